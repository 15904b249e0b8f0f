// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified redeem 2
// mode: assertion
contract Vouchers {
    mapping(bytes32 => address) owner;
    function issue(uint8 series) public { owner[keccak256(abi.encode("voucher", series, msg.sender))] = msg.sender; }
    function redeem(bytes32 voucher) public view { assert(owner[voucher] == address(0)); }
}
