// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_owner 1
contract Test {
    address owner = msg.sender;
    function transferOwnership(address to) public { owner = to; }
    function echidna_owner() public view returns (bool) { return owner == address(0x30000); }
}
