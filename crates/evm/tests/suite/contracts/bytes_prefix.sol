// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_prefix 1
contract Test {
    bool hit;
    function send(bytes memory data) public { if (data.length >= 3 && data[0] == 0x42 && data[1] == 0x43 && data[2] == 0x44) hit = true; }
    function echidna_prefix() public view returns (bool) { return !hit; }
}
