// SPDX-License-Identifier: MIT
pragma solidity >=0.7.0;

contract Vault {
    mapping(address => uint256) public balanceOf;
    uint256 public total;

    function deposit(uint256 amount) public {
        require(amount < 1e30);
        balanceOf[msg.sender] += amount;
        total += amount;
    }

    function withdraw(uint256 amount) public {
        amount = amount % (balanceOf[msg.sender] + 2);
        require(balanceOf[msg.sender] >= amount, "low");
        balanceOf[msg.sender] -= amount;
        total -= amount;
    }

    function transfer(address to, uint256 amount) public {
        amount = amount % (balanceOf[msg.sender] + 2);
        require(balanceOf[msg.sender] >= amount, "low");
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function echidna_total() public view returns (bool) {
        return total >= balanceOf[msg.sender];
    }
}
