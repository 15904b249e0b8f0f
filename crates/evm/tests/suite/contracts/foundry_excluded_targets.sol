// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed invariant_the_vault_is_left_alone
// passed invariant_the_emergency_exit_is_shut
// falsified invariant_the_pool_is_used 1
// mode: foundry
// contract: PoolInvariants
contract Vault {
    uint256 public touched;
    function touch() external { touched++; }
}

contract Pool {
    uint256 public joined;
    bool public emergency;
    function join() external { joined++; }
    function exitInEmergency() external { emergency = true; }
}

contract PoolInvariants {
    struct FuzzSelector { address addr; bytes4[] selectors; }

    bool public IS_TEST = true;
    Vault vault;
    Pool pool;

    function setUp() public { vault = new Vault(); pool = new Pool(); }

    function excludeContracts() public view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(vault);
    }

    function excludeSelectors() public view returns (FuzzSelector[] memory list) {
        list = new FuzzSelector[](1);
        list[0].addr = address(pool);
        list[0].selectors = new bytes4[](1);
        list[0].selectors[0] = Pool.exitInEmergency.selector;
    }

    function invariant_the_vault_is_left_alone() public view { require(vault.touched() == 0); }
    function invariant_the_emergency_exit_is_shut() public view { require(!pool.emergency()); }
    function invariant_the_pool_is_used() public view { require(pool.joined() == 0); }
}
