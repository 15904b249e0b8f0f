// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_fee
contract Test {
    uint256 moved; uint256 fees;
    function move(uint256 amount) public { require(amount > 0 && amount < 1e30); moved += amount; fees += amount * 3 / 1000; }
    function echidna_fee() public view returns (bool) { return moved < 10 || fees > 0; }
}
