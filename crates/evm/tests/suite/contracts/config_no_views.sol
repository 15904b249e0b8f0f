// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_count_seen
// falsified echidna_low 3
// config: excludeViewPure: true
contract Steps {
    uint256 n;
    function step() public { n++; }
    function peek() public view returns (uint256) { return n; }
    function echidna_count_seen() public view returns (bool) { return peek() == n; }
    function echidna_low() public view returns (bool) { return n < 3; }
}
