// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_paid_once
contract Test {
    enum S { Created, Funded, Shipped, Done, Refunded } S s; uint256 payouts;
    function fund() public { require(s == S.Created); s = S.Funded; }
    function ship() public { require(s == S.Funded); s = S.Shipped; }
    function confirm() public { require(s == S.Shipped); s = S.Done; payouts++; }
    function refund() public { require(s == S.Funded || s == S.Done); s = S.Refunded; payouts++; }
    function echidna_paid_once() public view returns (bool) { return payouts < 2; }
}
