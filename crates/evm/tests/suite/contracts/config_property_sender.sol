// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_sender 0
// passed echidna_is_psender
// config: psender: "0x50505050"
contract Test {
    function nothing() public {}
    function echidna_sender() public view returns (bool) { return msg.sender == address(0x10000); }
    function echidna_is_psender() public view returns (bool) { return msg.sender == address(0x50505050) && tx.origin == msg.sender; }
}
