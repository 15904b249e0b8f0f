// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified Leaf.fall(uint8) 3
// passed Leaf.stand(uint8)
// mode: assertion
// config: allContracts: true
// contract: Root
contract Leaf { function fall(uint8 x) public pure { assert(x != 77); } function stand(uint8 x) public pure { assert(x < 256); } }
contract Branch { Leaf public leaf; function grow() public { leaf = new Leaf(); } }
contract Root { Branch public branch; function grow() public { branch = new Branch(); } }
