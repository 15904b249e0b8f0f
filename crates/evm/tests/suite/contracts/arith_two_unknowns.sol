// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_unsolved 1
contract Test {
    bool solved;
    function solve(uint128 x, uint128 y) public { uint256 a = x; uint256 b = y; if (a + b == 123456789 && a > b + 1000) solved = true; }
    function echidna_unsolved() public view returns (bool) { return !solved; }
}
