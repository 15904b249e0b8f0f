// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(uint256 a, uint256 b, uint256 c, uint256 d) public { if (a == 71) if (b == 0xdeadbeefcafe) if (c == 1 ether + 3) if (d == type(uint128).max) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
