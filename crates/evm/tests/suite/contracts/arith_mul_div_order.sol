// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_fee 1
contract Test {
    uint256 fee; uint256 expected;
    function charge(uint256 amount) public { require(amount > 1000 && amount < 1e20); fee = amount / 10000 * 25; expected = amount * 25 / 10000; }
    function echidna_fee() public view returns (bool) { return expected - fee < 20; }
}
