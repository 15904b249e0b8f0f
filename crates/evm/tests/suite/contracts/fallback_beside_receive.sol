// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_plain 1
// falsified echidna_with_data 1
// falsified echidna_with_words 1
contract Mailbox {
    uint256 letters; uint256 coins; bool greeted;
    receive() external payable { coins++; }
    fallback(bytes calldata data) external returns (bytes memory) {
        letters++;
        if (data.length > 3 && bytes4(data[:4]) == 0x68656c6c) greeted = true;
        return data;
    }
    function echidna_plain() public view returns (bool) { return coins == 0; }
    function echidna_with_data() public view returns (bool) { return letters == 0; }
    function echidna_with_words() public view returns (bool) { return !greeted; }
}
