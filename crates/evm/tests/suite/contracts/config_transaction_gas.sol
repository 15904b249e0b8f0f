// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed echidna_bounded
// falsified echidna_untouched 1
// config: testMaxGas: 100000
contract Test {
    uint256 rounds; bool done;
    function work(uint256 n) public { for (uint256 i = 0; i < n; i++) rounds += i; done = true; }
    function echidna_bounded() public view returns (bool) { return rounds < 3000000; }
    function echidna_untouched() public view returns (bool) { return !done; }
}
