// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_trust
// contract: Test
contract Oracle { uint256 price = 100; function set(uint256 p) public { price = p; } function get() public view returns (uint256) { return price; } }
contract Test {
    Oracle oracle = new Oracle(); uint256 last = 100; bool jumped;
    function update(uint256 p) public { oracle.set(p); uint256 n = oracle.get(); if (n > last * 10) jumped = true; last = n == 0 ? 1 : n; }
    function echidna_trust() public view returns (bool) { return !jumped; }
}
