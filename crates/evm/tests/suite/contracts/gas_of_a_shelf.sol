// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_true
// config: estimateGas: true
contract Shelf {
    uint256[] books; uint256 title; uint256 pages;
    function label(uint256 t) public { title = t; }
    function add(uint256 b) public { books.push(b | 1); }
    function walk() public { uint256 sum; for (uint256 i; i < books.length; i++) sum ^= books[i]; pages = sum | 1; }
    function refuse() public pure { revert(); }
    function nothing() public pure {}
    function echidna_true() public pure returns (bool) { return true; }
}
