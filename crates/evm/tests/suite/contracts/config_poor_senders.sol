// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_unpaid
// falsified echidna_visited 1
// config: balanceAddr: 0
contract Door {
    uint256 paid; uint256 visits;
    function enter() public payable { paid += msg.value; visits++; }
    function echidna_unpaid() public view returns (bool) { return paid == 0 && address(this).balance == 0; }
    function echidna_visited() public view returns (bool) { return visits == 0; }
}
