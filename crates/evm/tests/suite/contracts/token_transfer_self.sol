// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_supply
contract Test {
    mapping(address => uint256) public balanceOf; uint256 public supply = 3000;
    constructor() { balanceOf[address(0x10000)] = 1000; balanceOf[address(0x20000)] = 1000; balanceOf[address(0x30000)] = 1000; }
    function transfer(address to, uint256 amount) public { uint256 from_ = balanceOf[msg.sender]; uint256 to_ = balanceOf[to]; require(from_ >= amount); balanceOf[msg.sender] = from_ - amount; balanceOf[to] = to_ + amount; }
    function echidna_supply() public view returns (bool) { return balanceOf[address(0x10000)] + balanceOf[address(0x20000)] + balanceOf[address(0x30000)] <= supply; }
}
