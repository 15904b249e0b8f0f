// SPDX-License-Identifier: MIT
// keep: sources
pragma solidity ^0.8.20;

/// A vault that keeps shares for its depositors. It has a fault in its books: find it.
contract Vault {
    mapping(address => uint256) public shares;
    uint256 public totalShares;
    bool public paused;
    address public owner;

    event Deposited(address indexed who, uint256 amount);
    event Withdrawn(address indexed who, uint256 amount);

    constructor() {
        owner = msg.sender;
    }

    function deposit(uint256 amount) external {
        require(!paused, "paused");
        require(amount > 0 && amount <= 1_000_000, "amount out of range");
        shares[msg.sender] += amount;
        totalShares += amount;
        emit Deposited(msg.sender, amount);
    }

    function withdraw(uint256 amount) external {
        require(shares[msg.sender] >= amount, "not enough shares");
        shares[msg.sender] -= amount;
        totalShares -= amount;
        emit Withdrawn(msg.sender, amount);
    }

    function transfer(address to, uint256 amount) external {
        uint256 mine = shares[msg.sender];
        uint256 theirs = shares[to];
        require(mine >= amount, "not enough shares");
        shares[msg.sender] = mine - amount;
        shares[to] = theirs + amount;
    }

    function pause(bool on) external {
        require(msg.sender == owner, "only the owner");
        paused = on;
    }

    /// Nobody can hold more than there is.
    function echidna_shares_are_backed() external view returns (bool) {
        return shares[address(0x10000)] <= totalShares
            && shares[address(0x20000)] <= totalShares
            && shares[address(0x30000)] <= totalShares;
    }

    /// The owner never changes.
    function echidna_owner_stays() external view returns (bool) {
        return owner == address(0x30000);
    }
}
