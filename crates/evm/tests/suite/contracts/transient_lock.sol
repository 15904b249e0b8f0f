// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_lock
contract Test {
    bool bad;
    function enter(uint256 x) public { assembly { tstore(0, add(tload(0), 1)) } if (x == 12321) this.again(); }
    function again() public { uint256 v; assembly { v := tload(0) } if (v == 1) bad = true; }
    function echidna_lock() public view returns (bool) { return !bad; }
}
