// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    bool found;
    function guess(address a) public { if (a == 0x52908400098527886E0F7030069857D2E4169EE7) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
