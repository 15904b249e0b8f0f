// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(int64 x, int256 y) public { if (x == -9007199254740993 && y == -1) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
