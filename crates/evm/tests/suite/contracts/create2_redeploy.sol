// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_deployed 2
// contract: Test
contract Child { uint256 public x; constructor(uint256 v) { x = v; } }
contract Test {
    mapping(address => bool) made; bool twice; uint256 n;
    function deploy(uint8 salt) public { Child c = new Child{salt: bytes32(uint256(salt % 16))}(n++); if (made[address(uint160(uint256(salt % 16)))]) twice = true; made[address(uint160(uint256(salt % 16)))] = true; c; }
    function echidna_deployed() public view returns (bool) { return !twice; }
}
