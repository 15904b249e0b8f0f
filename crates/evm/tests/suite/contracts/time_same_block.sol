// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_not_same 2
contract Test {
    uint256 last; bool same;
    function touch() public { if (last == block.number && last != 0) same = true; last = block.number; }
    function echidna_not_same() public view returns (bool) { return !same; }
}
