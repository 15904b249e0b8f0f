// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed Target contract is not self-destructed
// passed No contract can be self-destructed
// passed echidna_true
// contract: Test
// config: testDestruction: true
contract Child {
    function end() public { selfdestruct(payable(address(0))); }
    function endAndFail() public { this.end(); revert("undone"); }
}
contract Test {
    Child child = new Child();
    uint256 tried;
    function attempt() public { try child.endAndFail() {} catch { tried++; } }
    function fail() public { child.end(); revert("undone too"); }
    function echidna_true() public pure returns (bool) { return true; }
}
