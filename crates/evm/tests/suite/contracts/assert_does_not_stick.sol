// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified weigh 1
// falsified flag 1
// passed harmless
// mode: assertion
interface Vm { function assertLe(uint256, uint256) external pure; function store(address, bytes32, bytes32) external; }
contract Scales {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 last;
    function weigh(uint256 grams) public pure { vm.assertLe(grams, 31000); }
    // Like older test libraries: noted, but the call goes through.
    function flag(uint8 kind) public { last = kind; if (kind == 44) vm.store(address(vm), "failed", bytes32(uint256(1))); }
    function harmless(uint256 x) public { last = x / 2; }
}
