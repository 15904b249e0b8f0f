// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_poor
contract Test {
    function give() public payable {}
    function echidna_poor() public view returns (bool) { return address(this).balance < 5 ether; }
}
