// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_unmeasured 1
// passed echidna_cheap
interface Vm { function assume(bool) external pure; }
contract Meter {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 spent;
    function measure() public {
        bytes memory data = abi.encodeCall(Vm.assume, (true));
        address to = address(vm);
        uint256 before;
        uint256 later;
        assembly { before := gas() pop(call(gas(), to, 0, add(data, 32), mload(data), 0, 0)) later := gas() }
        spent = before - later;
    }
    function echidna_unmeasured() public view returns (bool) { return spent == 0; }
    function echidna_cheap() public view returns (bool) { return spent < 64; }
}
