// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_closed 2
contract Test {
    uint256 entered; bool open;
    function press(uint8 digit) public { require(digit < 10); entered = (entered * 10 + digit) % 100; if (entered == 72) open = true; }
    function echidna_closed() public view returns (bool) { return !open; }
}
