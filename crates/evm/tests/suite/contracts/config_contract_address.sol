// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_here
// config: contractAddr: "0x00000000000000000000000000000000deadbeef"
// config: deployer: "0x70707070"
contract Test {
    address who = msg.sender;
    function nothing() public {}
    function echidna_here() public view returns (bool) { return address(this) == address(0xdeadbeef) && who == address(0x70707070); }
}
