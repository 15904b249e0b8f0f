// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_defaults
contract Test {
    address who = msg.sender;
    function nothing() public {}
    function echidna_defaults() public view returns (bool) { return address(this) == 0x00a329c0648769A73afAc7F9381E08FB43dBEA72 && who == address(0x30000) && msg.sender == address(0x10000); }
}
