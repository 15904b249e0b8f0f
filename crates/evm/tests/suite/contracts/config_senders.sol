// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_only_listed 1
// passed echidna_never_other
// config: sender: ["0x41414141", "0x42424242"]
contract Test {
    bool a; bool other;
    function go() public { if (msg.sender == address(0x42424242)) a = true; else if (msg.sender != address(0x41414141)) other = true; }
    function echidna_only_listed() public view returns (bool) { return !a; }
    function echidna_never_other() public view returns (bool) { return !other; }
}
