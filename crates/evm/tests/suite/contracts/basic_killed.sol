// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_alive
contract Test {
    bool armed;
    function arm(uint256 x) public { if (x == 90125) armed = true; }
    function kill() public { require(armed); selfdestruct(payable(msg.sender)); }
    function get() public view returns (uint256) { return address(this).balance; }
    function echidna_alive() public view returns (bool) { return !armed; }
}
