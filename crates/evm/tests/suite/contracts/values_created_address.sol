// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_created 2
// contract: Test
contract Thing { }
contract Test {
    Thing thing; bool found;
    function make() public { if (address(thing) == address(0)) thing = new Thing(); }
    function guess(address a) public { if (a != address(0) && a == address(thing)) found = true; }
    function echidna_created() public view returns (bool) { return !found; }
}
