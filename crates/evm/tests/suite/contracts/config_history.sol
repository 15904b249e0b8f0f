// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// What was recorded is made before this: without a record nothing is there.
// passed echidna_as_it_was
contract Later {
    uint256 code; uint256 calls; uint256 second; uint256 balance;
    constructor() {
        code = address(0xc0de).code.length;
        (, bytes memory answer) = address(0xc0de).call("");
        if (answer.length == 32) calls = abi.decode(answer, (uint256));
        second = block.timestamp; balance = address(0xa11ce).balance;
    }
    function nothing() public {}
    function echidna_as_it_was() public view returns (bool) {
        return code == 0 ? balance == 0 && second == 1524785992 : calls == 2 && balance > 0 && second == 1524785992 + 90;
    }
}
