// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_balances
// config: balanceContract: 9000000
// config: balanceAddr: 1234
contract Test {
    constructor() payable {}
    function nothing() public {}
    function echidna_balances() public view returns (bool) { return address(this).balance == 9000000 && address(0x10000).balance == 1234 && address(0x20000).balance == 1234; }
}
