// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_path 1
contract Test {
    bool hit;
    function f(int256 a, int256 b, int256 c) public {
        unchecked {
            int256 d = b + c;
            if (d < 1) { if (b < 3) return; if (a == 42) return; } 
            else { if (c < 42) return; hit = true; }
        }
    }
    function echidna_path() public view returns (bool) { return !hit; }
}
