// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed testFuzz_starts_from_set_up
// passed testFuzz_at_the_time_of_set_up
// passed test_without_arguments
// passed invariant_tests_leave_nothing_behind
// falsified testFuzz_finds_a_number 1
// falsified invariant_the_counter_stays_low 3
// mode: foundry
// contract: CounterTest
contract Counter {
    uint256 public count;
    bool public marked;
    function up() external { count++; }
    address immutable maker = msg.sender;
    function mark() external { require(msg.sender == maker, "only the test"); marked = true; }
}

contract CounterTest {
    bool public IS_TEST = true;
    Counter counter;
    uint256 begun;

    function setUp() public { counter = new Counter(); begun = block.timestamp; }

    // Each is called once, before anything else, at the time of setUp; what it does is undone.
    function testFuzz_starts_from_set_up(uint8 times) public {
        for (uint256 i = 0; i < times % 4; i++) counter.up();
        counter.mark();
        require(counter.count() == times % 4, "not the state that setUp left");
    }
    function testFuzz_at_the_time_of_set_up(uint256) public view { require(block.timestamp == begun, "time has passed"); }
    function test_without_arguments() public { counter.mark(); require(counter.count() == 0); }
    function testFuzz_finds_a_number(uint256 x) public pure { require(x != 123456789012345678901234567890); }

    function invariant_tests_leave_nothing_behind() public view { require(!counter.marked(), "a test was called in the sequence"); }
    function invariant_the_counter_stays_low() public view { require(counter.count() < 3); }
}
