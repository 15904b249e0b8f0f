// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function pay() public payable { if (msg.value == 1234567890123456789) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
