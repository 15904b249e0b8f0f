// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified direct 1
// passed fine
// falsified event_then_revert 1
// falsified AssertionFailed(..)
// mode: assertion
contract Test {
    event AssertionFailed(string why);
    function direct(uint256 x) public pure { assert(x != 1000); }
    function fine(uint256 x) public pure returns (uint256) { require(x < 10); return x; }
    function event_then_revert(int256 x) public { if (x < -100) { emit AssertionFailed("seen"); revert("undone"); } }
}
