// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_all_three 3
contract Test {
    bool a; bool b; bool c;
    function go() public {
        if (msg.sender == address(0x10000)) a = true;
        if (msg.sender == address(0x20000) && a) b = true;
        if (msg.sender == address(0x30000) && b) c = true;
    }
    function echidna_all_three() public view returns (bool) { return !c; }
}
