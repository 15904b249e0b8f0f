// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_alwaystrue_not 0
// passed echidna_always
// falsified echidna_second 2
contract Test {
    bool first = true; bool second = true;
    function set0(int256 x) public { if (x % 100 == 0) first = false; }
    function set1(int256 x) public { if (x % 10 == 0 && !first) second = false; }
    function echidna_always() public pure returns (bool) { return true; }
    function echidna_alwaystrue_not() public pure returns (bool) { return false; }
    function echidna_second() public view returns (bool) { return second; }
}
