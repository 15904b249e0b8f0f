// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// keep: sources
// falsified echidna_locked 1
contract Test {
    bool open;
    function unlock(string memory key) public { if (keccak256(bytes(key)) == keccak256("correct horse battery")) open = true; }
    function echidna_locked() public view returns (bool) { return !open; }
}
