// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_first
// config: stopOnFail: true
contract Test {
    bool f;
    function set() public { f = true; }
    function echidna_first() public view returns (bool) { return !f; }
}
