// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_revert_always 1
// falsified echidna_reverts 1
contract Test {
    bool broken;
    function f(int256 x) public { if (x < -5) broken = true; }
    function echidna_revert_always() public view returns (bool) { require(broken); return true; }
    function echidna_reverts() public view returns (bool) { require(!broken); return true; }
}
