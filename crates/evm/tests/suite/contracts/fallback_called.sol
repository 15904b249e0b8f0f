// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_fallback 1
contract Test {
    bool called;
    function nothing() public {}
    fallback() external payable { called = true; }
    function echidna_fallback() public view returns (bool) { return !called; }
}
