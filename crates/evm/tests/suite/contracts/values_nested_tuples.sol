// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_nested 1
contract Test {
    struct In { uint8 a; bytes4 tag; } struct Out { In[] list; string name; In one; }
    bool found;
    function go(Out[] memory o, uint16[2][] memory m) public {
        if (o.length > 0 && o[0].list.length > 1 && o[0].one.tag == 0xcafebabe && m.length == 2 && m[1][0] == 4321) found = true;
    }
    function echidna_nested() public view returns (bool) { return !found; }
}
