// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_not_other
// falsified echidna_listed 1
// config: filterFunctions: ["Test.listed(uint256)"]
// config: filterBlacklist: false
contract Test {
    bool l; bool o;
    function listed(uint256) public { l = true; }
    function other(uint256) public { o = true; }
    function echidna_listed() public view returns (bool) { return !l; }
    function echidna_not_other() public view returns (bool) { return !o; }
}
