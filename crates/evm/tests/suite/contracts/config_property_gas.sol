// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_runs_dry 1
// config: propMaxGas: 200000
contract Test {
    uint256 n = 1;
    function grow(uint256 x) public { if (x > 5 && x < 5000) n = x; }
    function echidna_runs_dry() public view returns (bool) { uint256 s; for (uint256 i; i < n; i++) s += i; return s < type(uint256).max; }
}
