// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(bytes4 a, bytes8 b) public { if (a == 0xcafebabe && b == bytes8("password")) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
