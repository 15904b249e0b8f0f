// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_small 20
contract Test {
    uint256 count;
    function up() public { count += 1; }
    function reset(uint256 x) public { if (x == 99) count = 0; }
    function echidna_small() public view returns (bool) { return count < 20; }
}
