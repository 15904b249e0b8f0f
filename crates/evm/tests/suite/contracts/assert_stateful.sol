// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified check
// mode: assertion
contract Test {
    uint256 a;
    function set(uint256 x) public { if (x > 10 && x < 20) a = x; }
    function check(uint256 y) public view { assert(a == 0 || y != a * 3); }
}
