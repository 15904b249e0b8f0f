// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified audit
// mode: assertion
// config: testLimit: 30000
// A ticket can be backed before it is opened: what backs it is then counted for nobody.
contract Tickets {
    mapping(bytes32 => address) public opened; mapping(address => bytes32) public backs;
    mapping(address => uint256) public weight; mapping(address => uint256) public stake;
    function open(address holder) public returns (bytes32 ticket) { ticket = keccak256(abi.encode(holder)); opened[ticket] = holder; }
    function deposit(uint96 amount) public { stake[msg.sender] += amount; weight[opened[backs[msg.sender]]] += amount; }
    function back(bytes32 ticket) public {
        weight[opened[backs[msg.sender]]] -= stake[msg.sender];
        backs[msg.sender] = ticket;
        weight[opened[ticket]] += stake[msg.sender];
    }
    function audit() public view { assert(weight[opened[backs[msg.sender]]] >= stake[msg.sender]); }
}
