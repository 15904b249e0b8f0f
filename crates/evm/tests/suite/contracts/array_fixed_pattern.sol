// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_pattern 1
contract Test {
    bool hit;
    function set(uint8[4] memory xs) public { if (xs[0] == 1 && xs[1] == 3 && xs[2] == 3 && xs[3] == 7) hit = true; }
    function echidna_pattern() public view returns (bool) { return !hit; }
}
