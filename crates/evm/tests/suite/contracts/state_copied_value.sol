// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_never
// The value is given in one call, moved in a second and looked at in a third that has no arguments.
contract Relay {
    int256 draft; int256 sent; bool arrived;
    function write(int256 text) public { draft = text; }
    function send() public { sent = draft; }
    function bump() public { unchecked { sent++; } }
    function read() public { if (sent == 7771) arrived = true; }
    function echidna_never() public view returns (bool) { return !arrived; }
}
