// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_owner_fixed
contract Test {
    address owner; bool initialised;
    function initialize(address o) public { if (initialised && owner != address(0)) return; owner = o; initialised = true; if (o == address(0)) return; first = first == address(0) ? o : first; }
    address first; 
    function renounce() public { require(msg.sender == owner); owner = address(0); }
    function echidna_owner_fixed() public view returns (bool) { return owner == address(0) || owner == first; }
}
