// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_abs 1
contract Test {
    int256 result = 1;
    function absolute(int256 x) public { unchecked { result = x < 0 ? -x : x; } }
    function echidna_abs() public view returns (bool) { return result >= 0; }
}
