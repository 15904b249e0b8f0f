// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_cast 1
contract Test {
    uint256 wide; uint64 narrow;
    function set(uint256 x) public { wide = x; narrow = uint64(x); }
    function echidna_cast() public view returns (bool) { return wide == narrow; }
}
