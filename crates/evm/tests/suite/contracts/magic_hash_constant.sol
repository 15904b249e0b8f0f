// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(bytes32 x) public { if (x == keccak256("proofstone")) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
