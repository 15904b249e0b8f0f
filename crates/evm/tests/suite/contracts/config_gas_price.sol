// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_cheap 1
// config: maxGasprice: 1000000
contract Test {
    bool dear;
    function pay() public { if (tx.gasprice > 1000) dear = true; }
    function echidna_cheap() public view returns (bool) { return !dear; }
}
