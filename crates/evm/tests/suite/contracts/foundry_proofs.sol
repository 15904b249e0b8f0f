// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified prove_sum_is_even 1
// falsified check_balance_bounded 1
// passed check_never_negative
// passed prove_nothing_lost
// mode: foundry
contract LedgerProofs {
    bool public IS_TEST = true;
    uint256 held;
    function take(uint16 amount) public { held += amount; }
    // With parameters: a test of its own.
    function prove_sum_is_even(uint64 a, uint64 b) public pure { require((uint256(a) + b) % 2 == 0, "odd"); }
    function prove_nothing_lost(uint64 a) public pure { require(uint256(a) + 1 - 1 == a); }
    // Without: asked after every call.
    function check_balance_bounded() public view { assert(held < 900); }
    function check_never_negative() public view { assert(held + 1 > held); }
}
