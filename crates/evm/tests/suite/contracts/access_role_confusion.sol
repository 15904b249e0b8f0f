// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_admin 2
// falsified echidna_breached 3
contract Test {
    mapping(address => uint8) role; bool breached;
    function join() public { role[msg.sender] |= 1; }
    function promote(address who) public { require(role[msg.sender] & 1 == 1); role[who] |= 4; }
    function destroy() public { require(role[msg.sender] & 4 == 4); breached = true; }
    function echidna_admin() public view returns (bool) { return role[address(0x10000)] & 4 == 0; }
    function echidna_breached() public view returns (bool) { return !breached; }
}
