// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_start
// config: maxTimeDelay: 0
// config: maxBlockDelay: 0
contract Test {
    function nothing() public {}
    function echidna_start() public view returns (bool) { return block.timestamp == 1524785992 && block.number == 4370000 && block.chainid == 1; }
}
