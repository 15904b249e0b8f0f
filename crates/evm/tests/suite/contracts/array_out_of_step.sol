// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_lengths 1
contract Test {
    uint256 paid;
    function pay(address[] memory who, uint256[] memory amounts) public { for (uint256 i; i < who.length; i++) { if (i >= amounts.length) { paid = 999; } } }
    function echidna_lengths() public view returns (bool) { return paid == 0; }
}
