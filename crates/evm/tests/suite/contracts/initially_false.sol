// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_never 0
contract Test {
    function f() public {}
    function echidna_never() public pure returns (bool) { return false; }
}
