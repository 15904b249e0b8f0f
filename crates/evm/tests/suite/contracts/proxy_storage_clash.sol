// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_implementation
// contract: Test
contract Logic { uint256 slot0; uint256 public count; function set(uint256 x) public { slot0 = x; } }
contract Test {
    address implementation = address(new Logic());
    function forward(uint256 x) public { (bool ok,) = implementation.delegatecall(abi.encodeWithSignature("set(uint256)", x)); ok; }
    function echidna_implementation() public view returns (bool) { return implementation.code.length > 0; }
}
