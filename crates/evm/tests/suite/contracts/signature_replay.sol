// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_once 2
contract Test {
    mapping(uint256 => uint256) used; 
    function claim(uint256 nonce, bytes32 note) public { if (note != bytes32(0)) used[nonce % 8]++; }
    function echidna_once() public view returns (bool) { for (uint256 i; i < 8; i++) if (used[i] > 1) return false; return true; }
}
