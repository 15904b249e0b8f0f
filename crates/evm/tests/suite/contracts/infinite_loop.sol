// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_fine
// config: testMaxGas: 200000
contract Test {
    uint256 x;
    function spin(uint256 n) public { while (n != 3) { x++; } }
    function echidna_fine() public pure returns (bool) { return true; }
}
