// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_unsolved 1
contract Test {
    bool solved;
    function solve(uint256 x) public { unchecked { if (x * 3 + 17 == 1000000017) solved = true; } }
    function echidna_unsolved() public view returns (bool) { return !solved; }
}
