// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_balance 1
contract Test {
    uint256 balance = 100;
    function spend(uint256 amount) public { unchecked { balance -= amount; } }
    function echidna_balance() public view returns (bool) { return balance <= 100; }
}
