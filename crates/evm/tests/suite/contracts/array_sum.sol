// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_sum 1
contract Test {
    bool hit;
    function set(uint16[] memory xs) public { uint256 s; for (uint256 i; i < xs.length; i++) s += xs[i]; if (xs.length == 3 && s == 1337) hit = true; }
    function echidna_sum() public view returns (bool) { return !hit; }
}
