// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_fair
contract Test {
    uint256 assets; uint256 shares; mapping(address => uint256) sharesOf; bool unfair;
    function deposit(uint128 amount) public { require(amount > 0); uint256 s = shares == 0 ? amount : uint256(amount) * shares / assets; assets += amount; shares += s; sharesOf[msg.sender] += s; if (s == 0) unfair = true; }
    function donate(uint128 amount) public { assets += amount; }
    function echidna_fair() public view returns (bool) { return !unfair; }
}
