// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_gas
// config: propMaxGas: 25000
contract Test {
    function echidna_gas() public view returns (bool) { return gasleft() > 2000 && gasleft() < 5000; }
}
