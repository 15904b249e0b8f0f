// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_children 2
// config: allContracts: true
// contract: Test
contract Child { uint256 public value; address public owner = msg.sender; function set(uint256 v) public { require(v > 1000); value = v; } }
contract Test {
    Child[] children;
    function spawn() public { require(children.length < 5); children.push(new Child()); }
    function echidna_children() public view returns (bool) {
        for (uint256 i; i < children.length; i++) if (children[i].value() == 4242) return false;
        return true;
    }
}
