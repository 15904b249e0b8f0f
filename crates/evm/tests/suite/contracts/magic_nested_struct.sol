// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified echidna_hidden 1
contract Test {
    struct Inner { uint64 id; bytes3 tag; } struct Outer { Inner inner; bool flag; int32 delta; }
    bool found;
    function guess(Outer memory o) public { if (o.inner.id == 424242 && o.inner.tag == "abc" && o.flag && o.delta == -5) found = true; }
    function echidna_hidden() public view returns (bool) { return !found; }
}
