// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_no_loss 1
contract Test {
    uint256 lost;
    function split(uint256 amount, uint8 parts) public { require(parts > 1 && amount > 0 && amount < 1e24); uint256 share = amount / parts; lost = amount - share * parts; }
    function echidna_no_loss() public view returns (bool) { return lost == 0; }
}
