// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_order
// contract: Test
interface Hook { function onCall(uint256 x) external; }
contract Callee { function run(Hook hook, uint256 x) public { hook.onCall(x); } }
contract Test is Hook {
    Callee callee = new Callee(); bool inside; bool bad;
    function enter(uint256 x) public { inside = true; callee.run(this, x); inside = false; }
    function onCall(uint256 x) external override { if (inside && x == 77) bad = true; }
    function echidna_order() public view returns (bool) { return !bad; }
}
