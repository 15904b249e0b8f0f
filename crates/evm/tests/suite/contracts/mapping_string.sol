// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// keep: sources
// falsified echidna_reserved
contract Test {
    mapping(string => address) owner;
    constructor() { owner["root"] = address(this); }
    function claim(string memory name) public { require(bytes(name).length > 0); if (owner[name] != msg.sender) owner[name] = msg.sender; }
    function echidna_reserved() public view returns (bool) { return owner["root"] == address(this); }
}
