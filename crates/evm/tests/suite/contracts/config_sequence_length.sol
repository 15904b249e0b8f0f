// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_three
// falsified echidna_two 2
// config: seqLen: 2
contract Test {
    uint256 n;
    function inc() public { n++; }
    function echidna_three() public view returns (bool) { return n < 3; }
    function echidna_two() public view returns (bool) { return n < 2; }
}
