// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified test_apart 1
// falsified test_far 1
// mode: foundry
interface Vm { function assertNotEqDecimal(uint256, uint256, uint256) external pure; function assertNotEq(bytes32, bytes32) external pure; }
contract Pairs {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    function test_apart(uint256 a, uint256 b) public pure { vm.assertNotEqDecimal(a, b ^ 0x5eed, 6); }
    function test_far(bytes32 a, bytes32 b) public pure { vm.assertNotEq(a, b); }
}
