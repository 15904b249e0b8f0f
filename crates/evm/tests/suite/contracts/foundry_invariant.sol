// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified invariant_small
// mode: foundry
// contract: Test
contract Handler { uint256 public n; function add(uint256 x) public { x = x % 100; n += x; } }
contract Test {
    Handler h; bool public IS_TEST = true;
    function setUp() public { h = new Handler(); }
    function invariant_small() public view { require(h.n() < 1000, "big"); }
}
