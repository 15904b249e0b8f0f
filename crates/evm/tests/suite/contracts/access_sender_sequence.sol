// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_all 3
contract Test {
    bool a; bool b; bool c;
    function first() public { if (msg.sender == address(0x10000)) a = true; }
    function second() public { if (msg.sender == address(0x20000) && a) b = true; }
    function third() public { if (msg.sender == address(0x30000) && b) c = true; }
    function echidna_all() public view returns (bool) { return !c; }
}
