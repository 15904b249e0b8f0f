// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_total
// passed echidna_true
contract Test {
    mapping(address => uint256) b; uint256 total;
    function deposit(uint96 a) public { b[msg.sender] += a; total += a; }
    function withdraw(uint96 a) public { b[msg.sender] -= a; total -= a; }
    function move(address to, uint96 a) public { b[msg.sender] -= a; b[to] += a; }
    function echidna_total() public view returns (bool) { return b[address(0x10000)] + b[address(0x20000)] + b[address(0x30000)] <= total; }
    function echidna_true() public pure returns (bool) { return true; }
}
