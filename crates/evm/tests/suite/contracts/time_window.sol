// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_window
contract Test {
    uint256 opened; bool hit;
    function open() public { opened = block.timestamp; }
    function close() public { if (opened != 0 && block.timestamp > opened + 1 hours && block.timestamp < opened + 2 hours) hit = true; }
    function echidna_window() public view returns (bool) { return !hit; }
}
