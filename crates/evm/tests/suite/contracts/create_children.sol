// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_children
// contract: Test
contract Child { uint256 public value; function set(uint256 v) public { value = v; } }
contract Test {
    Child[] children; 
    function spawn() public { require(children.length < 5); children.push(new Child()); }
    function poke(uint256 i, uint256 v) public { children[i].set(v); }
    function echidna_children() public view returns (bool) { return children.length < 3 || children[2].value() != 31337; }
}
