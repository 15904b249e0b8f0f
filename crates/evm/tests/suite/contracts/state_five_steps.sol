// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_start 5
contract Test {
    uint8 state;
    function a() public { state = state == 0 ? 1 : 0; }
    function b() public { state = state == 1 ? 2 : 0; }
    function c() public { state = state == 2 ? 3 : 0; }
    function d() public { state = state == 3 ? 4 : 0; }
    function e() public { state = state == 4 ? 5 : 0; }
    function echidna_start() public view returns (bool) { return state != 5; }
}
