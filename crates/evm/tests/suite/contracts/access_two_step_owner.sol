// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_owner 2
contract Test {
    address owner = address(0x30000); address pending;
    function propose(address to) public { pending = to; }
    function accept() public { require(msg.sender == pending); owner = pending; }
    function echidna_owner() public view returns (bool) { return owner == address(0x30000); }
}
