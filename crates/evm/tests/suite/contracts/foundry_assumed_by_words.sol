// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed test_only_even
// falsified test_small 1
// mode: foundry
contract Words {
    function test_only_even(uint256 n) public pure {
        if (n % 2 == 1) revert("FOUNDRY::ASSUME");
        require((n / 2) * 2 == n, "halves");
    }
    function test_small(uint256 n) public pure { require(n < 5000, "FOUNDRY::ASSUME?"); }
}
