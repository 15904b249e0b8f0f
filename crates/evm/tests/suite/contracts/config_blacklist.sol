// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_not_bad
// falsified echidna_other 1
// config: filterFunctions: ["Test.bad(uint256)"]
contract Test {
    bool b; bool o;
    function bad(uint256) public { b = true; }
    function good(uint256) public { o = true; }
    function echidna_not_bad() public view returns (bool) { return !b; }
    function echidna_other() public view returns (bool) { return !o; }
}
