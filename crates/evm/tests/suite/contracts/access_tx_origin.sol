// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_locked 1
contract Test {
    bool open;
    function unlock() public { require(tx.origin == address(0x20000)); open = true; }
    function echidna_locked() public view returns (bool) { return !open; }
}
