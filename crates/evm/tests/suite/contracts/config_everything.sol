// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified holds_closed 3
// passed holds_settings
// contract: Lock
// config: prefix: holds_
// config: sender: ["0xbeef", "0xcafe"]
// config: deployer: "0xd00d"
// config: psender: "0xcafe"
// config: seqLen: 9
// config: filterFunctions: ["Lock.reset(uint8)"]
// config: maxTimeDelay: 500
// config: maxValue: 3
// config: balanceContract: 5
// config: balanceAddr: 60
// Opens only for what the settings allow, and notes anything that they do not.
contract Lock {
    uint256 last = block.timestamp; uint256 step; bool odd; address maker = msg.sender;
    constructor() payable { if (msg.value != 5 || maker != address(0xd00d)) odd = true; }
    modifier noted() {
        odd = odd || msg.value > 3 || block.timestamp > last + 9 * 500 || (msg.sender != address(0xbeef) && msg.sender != address(0xcafe));
        last = block.timestamp; _;
    }
    function turn(uint32 code) public payable noted { if (step == 0 && code == 482910 && msg.sender == address(0xbeef)) step = 1; }
    function wait_long() public payable noted { if (step == 1 && msg.value == 2) step = 2; }
    function push(bytes4 mark) public payable noted { if (step == 2 && mark == 0x0ff1ce00 && msg.sender == address(0xcafe)) step = 3; }
    function reset(uint8) public { odd = true; }
    function holds_closed() public view returns (bool) { return step < 3; }
    function holds_settings() public view returns (bool) { return !odd && msg.sender == address(0xcafe); }
}
