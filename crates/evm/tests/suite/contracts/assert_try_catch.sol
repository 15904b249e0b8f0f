// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified outer
// mode: assertion
// contract: Test
contract Inner { function risky(uint256 x) public pure { assert(x != 4242); } }
contract Test {
    Inner inner = new Inner();
    function outer(uint256 x) public view { try inner.risky(x) {} catch {} }
}
