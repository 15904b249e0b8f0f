// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_distinct 2
contract Test {
    mapping(bytes32 => bytes32) seen; bool collided;
    function register(string memory a, string memory b) public { bytes32 packed = keccak256(abi.encodePacked(a, b)); bytes32 exact = keccak256(abi.encode(a, b)); if (seen[packed] != 0 && seen[packed] != exact) collided = true; seen[packed] = exact; }
    function echidna_distinct() public view returns (bool) { return !collided; }
}
