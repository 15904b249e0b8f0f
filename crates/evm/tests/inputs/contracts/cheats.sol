// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Vm {
    function warp(uint256) external;
    function roll(uint256) external;
    function fee(uint256) external;
    function prevrandao(bytes32) external;
    function chainId(uint256) external;
    function coinbase(address) external;
    function txGasPrice(uint256) external;
    function deal(address, uint256) external;
    function prank(address) external;
    function prank(address, address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function store(address, bytes32, bytes32) external;
    function load(address, bytes32) external returns (bytes32);
    function etch(address, bytes calldata) external;
    function getNonce(address) external returns (uint64);
    function setNonce(address, uint64) external;
    function label(address, string calldata) external;
    function getLabel(address) external returns (string memory);
    function addr(uint256) external returns (address);
    function sign(uint256, bytes32) external returns (uint8, bytes32, bytes32);
    function expectRevert() external;
    function expectRevert(bytes calldata) external;
    function expectRevert(bytes4) external;
    function snapshot() external returns (uint256);
    function revertTo(uint256) external returns (bool);
    function mockCall(address, bytes calldata, bytes calldata) external;
    function clearMockedCalls() external;
    function recordLogs() external;
    struct Log { bytes32[] topics; bytes data; address emitter; }
    function getRecordedLogs() external returns (Log[] memory);
    function envOr(string calldata, uint256) external returns (uint256);
    function envUint(string calldata) external returns (uint256);
    function setEnv(string calldata, string calldata) external;
    function envExists(string calldata) external returns (bool);
    function toString(uint256) external returns (string memory);
    function toString(int256) external returns (string memory);
    function toString(bool) external returns (string memory);
    function toString(address) external returns (string memory);
    function toString(bytes32) external returns (string memory);
    function toString(bytes calldata) external returns (string memory);
    function parseUint(string calldata) external returns (uint256);
    function parseInt(string calldata) external returns (int256);
    function parseBool(string calldata) external returns (bool);
    function parseAddress(string calldata) external returns (address);
    function assertEq(uint256, uint256) external;
    function assertTrue(bool) external;
    function assertLt(int256, int256) external;
    function assume(bool) external;
    function ffi(string[] calldata) external returns (bytes memory);
    function getBlockTimestamp() external returns (uint256);
    function computeCreateAddress(address, uint256) external returns (address);
    function randomUint(uint256, uint256) external returns (uint256);
    function split(string calldata, string calldata) external returns (string[] memory);
    function expectEmit() external;
    function expectEmit(address) external;
    function expectEmit(bool, bool, bool, bool) external;
    function expectEmit(bool, bool, bool, bool, address) external;
    function expectCall(address, bytes calldata) external;
    function expectCall(address, bytes calldata, uint64) external;
    function expectCall(address, uint256, bytes calldata) external;
    function assertApproxEqAbs(uint256, uint256, uint256) external;
    function assertApproxEqRel(uint256, uint256, uint256) external;
    function bound(uint256, uint256, uint256) external returns (uint256);
    function createFork(string calldata) external returns (uint256);
    function selectFork(uint256) external;
    function readFile(string calldata) external returns (string memory);
    function notACheatcode(uint256) external;
}

contract Other {
    error Custom(uint256);
    event Seen(uint256 indexed a, uint256 b);
    uint256 public x = 7;
    function who() public view returns (address, address) { return (msg.sender, tx.origin); }
    function fail(string memory why) public pure { revert(why); }
    function custom() public pure { revert Custom(5); }
    function fine() public pure returns (uint256) { return 1; }
    function see() public { emit Seen(1, 2); }
    function seeTwice() public { emit Seen(1, 2); emit Seen(3, 4); }
    function pay(uint256) public payable {}
}

// Every `check_*` must return; the test calls each one.
contract Cheats {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Other other = new Other();

    function check_warp() public { vm.warp(12345); require(block.timestamp == 12345); require(vm.getBlockTimestamp() == 12345); }
    function check_roll() public { vm.roll(77); require(block.number == 77); }
    function check_fee() public { vm.fee(9); require(block.basefee == 9); }
    function check_prevrandao() public { vm.prevrandao(bytes32(uint256(5))); require(block.prevrandao == 5); }
    function check_chain_id() public { vm.chainId(31337); require(block.chainid == 31337); }
    function check_coinbase() public { vm.coinbase(address(0xc0)); require(block.coinbase == address(0xc0)); }
    function check_gas_price() public { vm.txGasPrice(3); require(tx.gasprice == 3); }
    function check_deal() public { vm.deal(address(0xabc), 5 ether); require(address(0xabc).balance == 5 ether); vm.deal(address(0xabc), 1); require(address(0xabc).balance == 1); }
    function check_prank() public {
        vm.prank(address(0xa11ce));
        (address a, ) = other.who();
        require(a == address(0xa11ce));
        (a, ) = other.who();
        require(a == address(this));
    }
    function check_prank_origin() public { vm.prank(address(1), address(2)); (address a, address b) = other.who(); require(a == address(1) && b == address(2)); }
    function check_start_stop_prank() public {
        vm.startPrank(address(0xb0b));
        (address a, ) = other.who(); require(a == address(0xb0b));
        (a, ) = other.who(); require(a == address(0xb0b));
        vm.stopPrank();
        (a, ) = other.who(); require(a == address(this));
    }
    function check_store_load() public { vm.store(address(other), bytes32(0), bytes32(uint256(42))); require(other.x() == 42); require(uint256(vm.load(address(other), bytes32(0))) == 42); }
    function check_etch() public { vm.etch(address(0xe7c), hex"600160005260206000f3"); (, bytes memory d) = address(0xe7c).call(""); require(abi.decode(d, (uint256)) == 1); }
    function check_nonce() public { vm.setNonce(address(0x99), 8); require(vm.getNonce(address(0x99)) == 8); }
    function check_label() public { vm.label(address(5), "five"); require(keccak256(bytes(vm.getLabel(address(5)))) == keccak256("five")); }
    function check_addr() public { require(vm.addr(1) == 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf); }
    function check_sign() public { (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, keccak256("m")); require(ecrecover(keccak256("m"), v, r, s) == vm.addr(1)); }
    function check_expect_revert() public { vm.expectRevert(); other.fail("x"); }
    function check_expect_revert_text() public { vm.expectRevert(bytes("boom")); other.fail("boom"); }
    function check_expect_revert_selector() public { vm.expectRevert(Other.Custom.selector); other.custom(); }
    function check_expect_revert_missing() public { (bool ok, ) = address(this).call(abi.encodeWithSignature("expectsButFine()")); require(!ok); }
    function expectsButFine() public { vm.expectRevert(); other.fine(); }
    function check_expect_revert_other_text() public { (bool ok, ) = address(this).call(abi.encodeWithSignature("expectsOther()")); require(!ok); }
    function expectsOther() public { vm.expectRevert(bytes("a")); other.fail("b"); }
    function check_snapshot() public {
        uint256 id = vm.snapshot();
        vm.deal(address(0x51), 9); vm.warp(1);
        require(vm.revertTo(id));
        require(address(0x51).balance == 0 && block.timestamp != 1);
        require(!vm.revertTo(id + 7));
    }
    function check_mock_call() public {
        vm.mockCall(address(other), abi.encodeWithSelector(Other.fine.selector), abi.encode(uint256(99)));
        require(other.fine() == 99);
        vm.clearMockedCalls();
        require(other.fine() == 1);
    }
    function check_record_logs() public { vm.recordLogs(); other.see(); Vm.Log[] memory l = vm.getRecordedLogs(); require(l.length == 1 && l[0].topics.length == 2 && l[0].emitter == address(other) && abi.decode(l[0].data, (uint256)) == 2); }
    function check_env() public { require(vm.envOr("PROOFSTONE_SURELY_UNSET", 5) == 5); (bool ok, ) = address(vm).call(abi.encodeWithSignature("envUint(string)", "PROOFSTONE_SURELY_UNSET")); require(!ok); }
    function eq(string memory a, string memory b) internal pure returns (bool) { return keccak256(bytes(a)) == keccak256(bytes(b)); }
    function check_to_string() public {
        require(eq(vm.toString(uint256(12)), "12"));
        require(eq(vm.toString(int256(-12)), "-12"));
        require(eq(vm.toString(true), "true"));
        require(eq(vm.toString(address(0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf)), "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"));
        require(eq(vm.toString(abi.encodePacked(uint16(0x0102))), "0x0102"));
    }
    function check_parse() public {
        require(vm.parseUint("42") == 42 && vm.parseInt("-7") == -7 && vm.parseBool("true"));
        require(vm.parseAddress("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf") == vm.addr(1));
        (bool ok, ) = address(vm).call(abi.encodeWithSignature("parseUint(string)", "x"));
        require(!ok);
    }
    function check_asserts() public {
        vm.assertEq(uint256(3), uint256(3)); vm.assertTrue(true); vm.assertLt(int256(-1), int256(0));
        (bool ok, ) = address(vm).call(abi.encodeWithSignature("assertEq(uint256,uint256)", 1, 2));
        require(!ok);
    }
    function check_assume() public { vm.assume(true); (bool ok, ) = address(vm).call(abi.encodeWithSignature("assume(bool)", false)); require(!ok); }
    function check_ffi_is_off() public { string[] memory c = new string[](1); c[0] = "true"; (bool ok, ) = address(vm).call(abi.encodeWithSignature("ffi(string[])", c)); require(!ok); }
    function check_create_address() public { require(vm.computeCreateAddress(address(0x6AC7EA33F8831EA9dcC53393aAA88B25A785DBF0), 0) == 0xcd234A471b72ba2F1Ccf0A70FCABA648a5eeCD8d); }
    function check_set_env() public {
        vm.setEnv("PROOFSTONE_ROUNDS", "17");
        require(vm.envUint("PROOFSTONE_ROUNDS") == 17 && vm.envExists("PROOFSTONE_ROUNDS") && vm.envOr("PROOFSTONE_ROUNDS", 3) == 17);
        try vm.setEnv("A=B", "1") { revert("name"); } catch {}
    }
    function check_random() public { uint256 r = vm.randomUint(5, 9); require(r >= 5 && r <= 9); }
    function check_split() public { require(vm.split("a,b,c", ",").length == 3); }
    function unknown() public { vm.notACheatcode(1); }
    function echidna_true() public pure returns (bool) { return true; }

    event Seen(uint256 indexed a, uint256 b);
    // Whether a step that breaks a promise fails: it is made in a frame of its own.
    function fails(bytes memory step) internal returns (bool) { (bool ok, ) = address(this).call(step); return !ok; }
    function emit_all() public { vm.expectEmit(); emit Seen(1, 2); other.see(); }
    function emit_wrong_data() public { vm.expectEmit(); emit Seen(1, 3); other.see(); }
    function emit_loose_data() public { vm.expectEmit(true, true, true, false); emit Seen(1, 3); other.see(); }
    function emit_wrong_topic() public { vm.expectEmit(true, false, false, false); emit Seen(2, 2); other.see(); }
    function emit_from() public { vm.expectEmit(address(other)); emit Seen(1, 2); other.see(); }
    function emit_from_another() public { vm.expectEmit(true, true, true, true, address(this)); emit Seen(1, 2); other.see(); }
    function emit_none() public { vm.expectEmit(); emit Seen(1, 2); other.fine(); }
    function emit_two() public { vm.expectEmit(); emit Seen(1, 2); vm.expectEmit(); emit Seen(3, 4); other.seeTwice(); }
    function emit_two_swapped() public { vm.expectEmit(); emit Seen(3, 4); vm.expectEmit(); emit Seen(1, 2); other.seeTwice(); }
    function emit_never_called() public { vm.expectEmit(); emit Seen(1, 2); }
    function check_expect_emit() public {
        emit_all(); emit_loose_data(); emit_from(); emit_two();
        require(fails(abi.encodeCall(this.emit_wrong_data, ())), "data");
        require(fails(abi.encodeCall(this.emit_wrong_topic, ())), "topic");
        require(fails(abi.encodeCall(this.emit_from_another, ())), "emitter");
        require(fails(abi.encodeCall(this.emit_none, ())), "none");
        require(fails(abi.encodeCall(this.emit_two_swapped, ())), "order");
        require(fails(abi.encodeCall(this.emit_never_called, ())), "never called");
    }
    function call_made() public { vm.expectCall(address(other), abi.encodeCall(other.pay, (5))); other.pay(5); }
    function call_begins() public { vm.expectCall(address(other), abi.encodeWithSelector(other.pay.selector)); other.pay(6); other.pay(7); }
    function call_missed() public { vm.expectCall(address(other), abi.encodeCall(other.pay, (5))); other.pay(6); }
    function call_twice() public { vm.expectCall(address(other), abi.encodeCall(other.pay, (5)), 2); other.pay(5); other.pay(5); }
    function call_once_of_two() public { vm.expectCall(address(other), abi.encodeCall(other.pay, (5)), 2); other.pay(5); }
    function call_value() public { vm.deal(address(this), 9); vm.expectCall(address(other), 9, abi.encodeCall(other.pay, (5))); other.pay{value: 9}(5); }
    function call_other_value() public { vm.deal(address(this), 9); vm.expectCall(address(other), 9, abi.encodeCall(other.pay, (5))); other.pay{value: 8}(5); }
    function check_expect_call() public {
        require(!fails(abi.encodeCall(this.call_made, ())), "made");
        require(!fails(abi.encodeCall(this.call_begins, ())), "begins");
        require(!fails(abi.encodeCall(this.call_twice, ())), "twice");
        require(!fails(abi.encodeCall(this.call_value, ())), "value");
        require(fails(abi.encodeCall(this.call_missed, ())), "missed");
        require(fails(abi.encodeCall(this.call_once_of_two, ())), "once of two");
        require(fails(abi.encodeCall(this.call_other_value, ())), "other value");
    }
    function check_approx() public {
        vm.assertApproxEqAbs(uint256(100), 103, 3);
        vm.assertApproxEqRel(uint256(101), 100, 0.01e18);
        try vm.assertApproxEqAbs(uint256(100), 104, 3) { revert("abs"); } catch {}
        try vm.assertApproxEqRel(uint256(102), 100, 0.01e18) { revert("rel"); } catch {}
    }
    function check_bound() public { require(vm.bound(5, 3, 9) == 5 && vm.bound(100, 3, 9) >= 3 && vm.bound(100, 3, 9) <= 9); }
    function check_named_refusals() public {
        try vm.createFork("x") returns (uint256) { revert("fork"); } catch Error(string memory why) { require(starts(why, "the cheatcode createFork(string) is not supported: no other chain"), why); }
        try vm.selectFork(1) { revert("fork"); } catch Error(string memory why) { require(starts(why, "the cheatcode selectFork(uint256)"), why); }
        try vm.readFile("x") returns (string memory) { revert("file"); } catch Error(string memory why) { require(starts(why, "the cheatcode readFile(string)"), why); }
    }
    function starts(string memory text, string memory head) internal pure returns (bool) {
        bytes memory t = bytes(text); bytes memory h = bytes(head);
        if (t.length < h.length) return false;
        for (uint256 i; i < h.length; i++) if (t[i] != h[i]) return false;
        return true;
    }
}
