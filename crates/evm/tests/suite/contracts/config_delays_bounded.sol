// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_not_too_late
// falsified echidna_some_time
// config: maxTimeDelay: 10
// config: maxBlockDelay: 5
contract Test {
    uint256 t = block.timestamp; uint256 b = block.number; bool jump;
    function look() public { if (block.timestamp > t + 10 || block.number > b + 5) jump = true; t = block.timestamp; b = block.number; }
    function echidna_not_too_late() public view returns (bool) { return !jump; }
    function echidna_some_time() public view returns (bool) { return block.timestamp < 1524785992 + 50; }
}
