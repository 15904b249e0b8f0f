// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_short 1
contract Test {
    uint256 longest;
    function say(string memory words) public { if (bytes(words).length > longest) longest = bytes(words).length; }
    function echidna_short() public view returns (bool) { return longest < 12; }
}
