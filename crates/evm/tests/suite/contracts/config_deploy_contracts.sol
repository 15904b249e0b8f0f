// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_far 1
// passed echidna_raw
// config: deployContracts: [["0x1f", "Far"]]
// config: deployBytecodes: [["0x2f", "600b380380600b5f395ff3602a5f5260205ff3"]]
// contract: Test
contract Far { bool public hit; function smash() public { hit = true; } }
contract Test {
    function go() public { Far(address(0x1f)).smash(); }
    function echidna_far() public view returns (bool) { return !Far(address(0x1f)).hit(); }
    function echidna_raw() public view returns (bool) { (bool ok, bytes memory data) = address(0x2f).staticcall(""); return ok && abi.decode(data, (uint256)) == 42; }
}
