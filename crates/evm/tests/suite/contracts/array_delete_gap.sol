// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_no_gap
contract Test {
    uint256[] xs;
    function push(uint256 v) public { require(v != 0 && xs.length < 10); xs.push(v); }
    function remove(uint256 i) public { delete xs[i]; }
    function echidna_no_gap() public view returns (bool) { for (uint256 i; i < xs.length; i++) if (xs[i] == 0) return false; return true; }
}
