// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_no_side_effect
contract Test {
    uint256 n;
    function look() public view returns (uint256) { return n; }
    function echidna_no_side_effect() public returns (bool) { n++; return n == 1; }
}
