// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// keep: sources
// falsified echidna_text 1
// falsified echidna_bools 1
contract Test {
    bool t; bool b;
    function say(string memory s) public { if (keccak256(bytes(s)) == keccak256(bytes(unicode"grüße"))) t = true; }
    function set(bool x, bool y, bool[3] memory z) public { if (x && !y && z[0] && !z[1] && z[2]) b = true; }
    function echidna_text() public view returns (bool) { return !t; }
    function echidna_bools() public view returns (bool) { return !b; }
}
