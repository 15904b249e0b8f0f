// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_time_stands
// passed echidna_block_stands
// config: maxTimeDelay: 0
// config: maxBlockDelay: 0
contract Test {
    uint256 t = block.timestamp; uint256 b = block.number; bool late; bool high;
    function look() public { if (block.timestamp != t) late = true; if (block.number != b) high = true; }
    function echidna_time_stands() public view returns (bool) { return !late && block.timestamp == t; }
    function echidna_block_stands() public view returns (bool) { return !high; }
}
