// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed test_the_test_has_ether
// passed testFuzz_it_can_be_spent
// mode: foundry
// contract: BalanceTest
contract Till { receive() external payable {} }

contract BalanceTest {
    bool public IS_TEST = true;
    Till till;
    constructor() { require(address(this).balance == type(uint96).max); }
    function setUp() public { till = new Till(); }
    function test_the_test_has_ether() public view { require(address(this).balance == type(uint96).max); }
    function testFuzz_it_can_be_spent(uint96 amount) public {
        (bool sent, ) = address(till).call{value: amount}("");
        require(sent && address(till).balance == amount);
    }
}
