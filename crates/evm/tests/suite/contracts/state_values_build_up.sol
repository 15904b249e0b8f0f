// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_never
contract Test {
    uint256 x; uint256 y; bool bad;
    function setX(uint256 v) public { require(v > 100 && v < 200); x = v; }
    function setY(uint256 v) public { require(v == x * 2); y = v; }
    function fire(uint256 v) public { require(y > 0 && v == x + y); bad = true; }
    function echidna_never() public view returns (bool) { return !bad; }
}
