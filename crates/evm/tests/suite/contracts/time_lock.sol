// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_locked
contract Test {
    uint256 immutable start = block.timestamp; bool open;
    function unlock() public { require(block.timestamp >= start + 10 days, "early"); open = true; }
    function echidna_locked() public view returns (bool) { return !open; }
}
