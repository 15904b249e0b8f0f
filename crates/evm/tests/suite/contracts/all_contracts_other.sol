// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_other
// config: allContracts: true
// contract: Test
contract Other { bool public broken; function smash(uint256 x) public { if (x == 5150) broken = true; } }
contract Test {
    Other public other = new Other();
    function nothing() public {}
    function echidna_other() public view returns (bool) { return !other.broken(); }
}
