// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_height
contract Test {
    uint256 immutable start = block.number;
    function nothing() public {}
    function echidna_height() public view returns (bool) { return block.number < start + 100000; }
}
