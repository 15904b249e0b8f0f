// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_doubles
// falsified echidna_small 1
// contract: Till
library Adder { function plus(uint256 a, uint256 b) public pure returns (uint256) { return a + b; } }
library Doubler { function twice(uint256 a) public pure returns (uint256) { return Adder.plus(a, a); } }
library Rounder {
    function up(uint256 a) public pure returns (uint256) { return Doubler.twice(a) > 2 * a ? a + 1 : Adder.plus(a, 0); }
}
contract Till {
    uint256 public amount;
    function put(uint256 a) public { amount = Rounder.up(a % 1000); }
    function echidna_doubles() public pure returns (bool) { return Doubler.twice(21) == 42 && Rounder.up(7) == 7; }
    function echidna_small() public view returns (bool) { return amount < 640; }
}
