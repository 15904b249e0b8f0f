// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified Target contract is not self-destructed 2
// falsified No contract can be self-destructed 1
// passed echidna_true
// contract: Test
// config: testDestruction: true
contract Child { function end() public { selfdestruct(payable(address(0))); } }
contract Test {
    Child child = new Child();
    bool armed;
    function arm() public { child.end(); armed = true; }
    function end() public { require(armed); selfdestruct(payable(address(0))); }
    function echidna_true() public pure returns (bool) { return true; }
}
