// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// The code at 0x1234 stores 42 in its constructor and answers every call with it.
// falsified echidna_other 1
// config: deployBytecodes: [["0x1234", "602a5f55600a600e5f39600a5ff35f545f5260205ff3"]]
contract Test {
    bool heard;
    function ask(uint256 x) public { (bool ok, bytes memory a) = address(0x1234).staticcall(""); if (ok && a.length == 32 && abi.decode(a, (uint256)) == x) heard = true; }
    function echidna_other() public view returns (bool) { return !heard; }
}
