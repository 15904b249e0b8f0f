// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// best echidna_opt_best 1337
// mode: optimization
contract Test {
    int256 x;
    function up(int8 d) public { if (d > 0 && x + d <= 1300) x += d; }
    function jump() public { if (x >= 1200) x = 1337; }
    function echidna_opt_best() public view returns (int256) { return x; }
}
