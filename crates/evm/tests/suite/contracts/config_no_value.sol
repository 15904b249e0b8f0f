// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_poor
// config: maxValue: 0
contract Test {
    function pay() public payable {}
    function echidna_poor() public view returns (bool) { return address(this).balance == 0; }
}
