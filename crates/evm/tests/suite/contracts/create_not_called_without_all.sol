// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_untouched
// contract: Test
contract Child { uint256 public value; function set(uint256 v) public { value = v; } }
contract Test {
    Child child;
    function spawn() public { if (address(child) == address(0)) child = new Child(); }
    function echidna_untouched() public view returns (bool) { return address(child) == address(0) || child.value() == 0; }
}
