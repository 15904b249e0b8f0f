// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_refunds
contract Test {
    address best; uint256 bid; mapping(address => uint256) refund; uint256 owed; 
    function place() public payable { require(msg.value > bid); if (best != address(0)) { refund[best] = bid; owed += bid; } best = msg.sender; bid = msg.value; }
    function sumOf() public view returns (uint256) { return refund[address(0x10000)] + refund[address(0x20000)] + refund[address(0x30000)]; }
    function echidna_refunds() public view returns (bool) { return sumOf() == owed; }
}
