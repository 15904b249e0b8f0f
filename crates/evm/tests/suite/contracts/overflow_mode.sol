// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified Integer (over/under)flow
// mode: overflow
contract Test {
    uint8 n = 250;
    function add(uint8 x) public { n += x; }
}
