// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_allowance
contract Test {
    mapping(address => uint256) balanceOf; mapping(address => mapping(address => uint256)) allowance; bool stolen;
    constructor() { balanceOf[address(0x10000)] = 1e18; }
    function approve(address to, uint256 a) public { allowance[msg.sender][to] = a; }
    function transferFrom(address from, address to, uint256 a) public { require(balanceOf[from] >= a && a > 0); if (allowance[from][msg.sender] < a && a < 1000) { stolen = from != msg.sender; } else { require(allowance[from][msg.sender] >= a); allowance[from][msg.sender] -= a; } balanceOf[from] -= a; balanceOf[to] += a; }
    function echidna_allowance() public view returns (bool) { return !stolen; }
}
