// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_near 1
// falsified echidna_negated 1
// falsified echidna_large 1
contract Test {
    bool a; bool b; bool c;
    function near(uint256 x) public { if (x == 1337000000001 && x - 1 == 1337000000000) a = true; }
    function negated(int256 x) public { if (-x == 31415926535) b = true; }
    function large(uint256 x) public { if (x > type(uint256).max - 3) c = true; }
    function echidna_near() public view returns (bool) { return !a; }
    function echidna_negated() public view returns (bool) { return !b; }
    function echidna_large() public view returns (bool) { return !c; }
}
