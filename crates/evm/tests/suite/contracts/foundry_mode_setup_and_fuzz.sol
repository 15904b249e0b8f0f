// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified testFuzz_small 1
// falsified test_plain 1
// passed testFuzz_bound
// mode: foundry
interface Vm { function assume(bool) external pure; }
contract Test {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D); uint256 limit;
    function setUp() public { limit = 1000; }
    function test_plain() public view { require(limit != 1000, "set up"); }
    function testFuzz_small(uint256 x) public view { vm.assume(x < 5000); require(x < limit, "too large"); }
    function testFuzz_bound(uint256 x) public view { vm.assume(x < limit); require(x < 1000); }
}
