// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified testFuzz_half 1
// passed testFuzz_fine
// mode: foundry
// contract: Test
interface Vm { function assume(bool) external; }
contract Test {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    function testFuzz_half(uint256 x) public { vm.assume(x > 100); require(x != 7777, "found"); }
    function testFuzz_fine(uint256 x, uint256 y) public { vm.assume(x < 1000 && y < 1000); require(x + y >= x); }
}
