// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_closed 1
contract Test {
    bool open;
    function execute(bytes memory data) public { (bool ok,) = address(this).call(data); ok; }
    function secret(uint256 code) public { require(msg.sender == address(this)); if (code > 0) open = true; }
    function echidna_closed() public view returns (bool) { return !open; }
}
