// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
// keep: sources

interface Nothing { function f() external; }
abstract contract Half { function f() public virtual; function echidna_x() public pure returns (bool) { return true; } }
contract Reverts { constructor() { revert("not today"); } function echidna_x() public pure returns (bool) { return true; } }
contract WithArguments { uint256 n; constructor(uint256 a, string memory b) { n = a + bytes(b).length; } function f() public {} function echidna_n() public view returns (bool) { return n != 7; } }
contract PropertyTakesOne { function f() public {} function echidna_bad(uint256 x) public pure returns (bool) { return x == 0; } }
contract NoTests { function f() public {} }
contract Plain { uint256 total; mapping(address => uint256) of_; event Put(address indexed who, uint256 amount);
    function put(uint256 amount) public { require(amount < 50, "too much"); of_[msg.sender] += amount; total += amount; emit Put(msg.sender, amount); }
    function echidna_small() public view returns (bool) { return total < 60; } }
library Far { function g(uint256 x) external pure returns (uint256) { return x + 1; } }
contract NeedsFar { uint256 n; function f(uint256 x) public { n = Far.g(x); } function echidna_x() public pure returns (bool) { return true; } }
contract SetUpFails { bool public IS_TEST = true; function setUp() public pure { require(false, "no setup"); } function f() public {} function echidna_x() public pure returns (bool) { return true; } }
contract SaysNothing { function f() public {} function echidna_silent() public view {} }
contract NoNumber { function f() public {} function echidna_opt_flag() public pure returns (bool) { return true; } }
