// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// best echidna_opt_profit 900
// mode: optimization
contract Test {
    int256 x; int256 y;
    function setX(int256 v) public { require(v >= 0 && v <= 30); x = v; }
    function setY(int256 v) public { require(v >= 0 && v <= 30); y = v; }
    function echidna_opt_profit() public view returns (int256) { return x * y; }
}
