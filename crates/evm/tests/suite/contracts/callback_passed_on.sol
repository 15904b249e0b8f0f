// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_sealed 1
// contract: Office
// config: filterFunctions: ["Office.seal"]
// config: seqLen: 1
contract Stamp { uint256 public last; function press(uint256 ink) public { last = ink; } }
contract Office {
    Stamp stamp = new Stamp();
    bool broken;
    function seal(uint256 wax) public { require(msg.sender == address(this), "only from inside"); if (wax > 9) broken = true; }
    function relay(bool inside, bytes calldata order) public { (bool ok, ) = (inside ? address(this) : address(stamp)).call(order); require(ok); }
    function echidna_sealed() public view returns (bool) { return !broken && stamp.last() < 1 ether; }
}
