// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(uint256 x) public { if (x == 0x8f3a9b1c7d2e4f5061728394a5b6c7d8e9fa0b1c2d3e4f506172839405162738) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
