// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified crytic_flag 1
// config: prefix: "crytic_"
contract Test {
    bool f;
    function set() public { f = true; }
    function echidna_ignored() public pure returns (bool) { return false; }
    function crytic_flag() public view returns (bool) { return !f; }
}
