// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_no_wrap 1
contract Test {
    uint256 public total = 1000;
    function mint(uint256 amount) public { uint256 old = total; unchecked { total += amount; } wrapped = wrapped || total < old; }
    bool wrapped;
    function echidna_no_wrap() public view returns (bool) { return !wrapped; }
}
