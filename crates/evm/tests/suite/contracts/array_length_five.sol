// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_short 1
contract Test {
    uint256 length;
    function set(uint256[] memory xs) public { length = xs.length; }
    function echidna_short() public view returns (bool) { return length < 5; }
}
