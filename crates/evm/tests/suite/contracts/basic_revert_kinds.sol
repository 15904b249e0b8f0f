// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_revert_always
// falsified echidna_revert_until
// falsified echidna_that_reverts
contract Test {
    uint256 s;
    function set(uint256 x) public { s = x; }
    function echidna_revert_always() public pure returns (bool) { revert("always"); }
    function echidna_revert_until() public view returns (bool) { require(s == 77); return true; }
    function echidna_that_reverts() public view returns (bool) { require(s < 2 ** 20); return true; }
}
