// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_backed
contract Test {
    mapping(address => uint256) deposits; uint256 total; uint256 held;
    function deposit(uint96 amount) public { deposits[msg.sender] += amount; total += amount; held += amount; }
    function withdraw(uint96 amount) public { require(deposits[msg.sender] >= amount && held >= amount); held -= amount; if (amount > 1 ether) return; deposits[msg.sender] -= amount; total -= amount; }
    function echidna_backed() public view returns (bool) { return held >= total; }
}
