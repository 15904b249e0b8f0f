// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_bounded
// config: propMaxGas: 4000000
contract Test {
    uint256[] items;
    function add(uint8 n) public { for (uint256 i; i < n; i++) items.push(i + 1); }
    function echidna_bounded() public view returns (bool) { uint256 s; for (uint256 i; i < items.length; i++) for (uint256 j; j < 64; j++) s += items[i] ^ j; return s >= 0; }
}
