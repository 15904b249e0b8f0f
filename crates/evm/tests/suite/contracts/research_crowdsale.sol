// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_once 3
contract Test {
    uint256 goal = 50; uint256 raised; uint256 closes = block.timestamp + 60 days; address owner = msg.sender; uint256 phase; bool bug;
    function invest(uint256 v) public { require(phase == 0 && v < 1000); raised += v; if (raised >= goal) phase = 1; }
    function refund() public { require(block.timestamp > closes && phase == 0); phase = 2; }
    function withdraw() public { require(phase == 1 && raised >= goal); if (msg.sender != owner) bug = true; phase = 3; }
    function again() public { require(phase == 3); if (bug) phase = 4; }
    function echidna_once() public view returns (bool) { return phase != 4; }
}
