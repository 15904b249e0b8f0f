// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden
contract Test {
    uint256 secret = uint256(keccak256(abi.encode(block.number, address(this)))); bool found;
    function guess(uint256 x) public { if (x == secret) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
