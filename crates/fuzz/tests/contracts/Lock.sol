// SPDX-License-Identifier: MIT
// keep: sources
pragma solidity ^0.8.20;

/// Nothing gets past `arm` by chance: only a hash of the key is known. Behind it stands an easy fault.
contract Lock {
    bytes32 private constant KEY = 0x44c094d4c5c5659e47df6039fa92ff0272f5326537af459b404e0defbd74a46f;
    bool public armed;
    bool public drained;
    int64 public level;
    string public label;
    struct Order { address to; uint96 amount; }
    uint256 public orders;

    function arm(uint256 high, uint256 low) external {
        require(keccak256(abi.encodePacked(high, low)) == KEY, "wrong key");
        armed = true;
    }

    function drain(uint256 amount) external {
        require(armed, "not armed");
        if (amount == 7777) drained = true;
    }

    function set(int64 to) external { level = to; }
    function set(int64 to, string calldata why) external { level = to; label = why; }

    function place(Order[] calldata list, bytes calldata note) external payable {
        require(note.length < 100, "note too long");
        orders += list.length;
    }

    function echidna_not_drained() external view returns (bool) { return !drained; }
    function echidna_level_fits() external view returns (bool) { return orders < type(uint256).max; }
}
