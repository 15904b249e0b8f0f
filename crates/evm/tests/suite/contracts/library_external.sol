// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_lib 1
// contract: Test
library Maths { function half(uint256 x) external pure returns (uint256) { return x == 86 ? 99 : x / 2; } }
contract Test {
    bool bad;
    function run(uint256 x) public { if (Maths.half(x) * 2 > x) bad = true; }
    function echidna_lib() public view returns (bool) { return !bad; }
}
