// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed invariant_only_the_handler_moves_the_bank
// passed invariant_nobody_sweeps
// passed invariant_strangers_send_nothing
// falsified invariant_the_handler_is_called 1
// falsified invariant_the_proxy_is_called_by_its_interface 1
// mode: foundry
// contract: BankInvariants
contract Bank {
    uint256 public held;
    address public last;
    function put(uint256 amount) external { held += amount; last = msg.sender; }
}

contract Handler {
    Bank public bank;
    uint256 public sum;
    bool public swept;
    address public from;
    constructor(Bank b) { bank = b; }
    function deposit(uint256 amount) external { amount %= 1000; sum += amount; bank.put(amount); from = msg.sender; }
    function sweep() external { swept = true; }
}

interface ICounter { function step() external; }

contract Forwarder {
    uint256 public steps;
    fallback() external { steps += 1; }
}

contract BankInvariants {
    struct FuzzSelector { address addr; bytes4[] selectors; }
    struct FuzzInterface { address addr; string[] artifacts; }

    bool public IS_TEST = true;
    Bank bank;
    Handler handler;
    Forwarder forwarder;
    address constant ALICE = address(0xa11ce);

    function setUp() public {
        bank = new Bank();
        handler = new Handler(bank);
        forwarder = new Forwarder();
    }

    function targetContracts() public view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    function targetSelectors() public view returns (FuzzSelector[] memory list) {
        list = new FuzzSelector[](1);
        list[0].addr = address(handler);
        list[0].selectors = new bytes4[](1);
        list[0].selectors[0] = Handler.deposit.selector;
    }

    function targetInterfaces() public view returns (FuzzInterface[] memory list) {
        list = new FuzzInterface[](1);
        list[0].addr = address(forwarder);
        list[0].artifacts = new string[](1);
        list[0].artifacts[0] = "ICounter";
    }

    function targetSenders() public pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = ALICE;
    }

    // Not to be called: the suite declares its targets.
    function breakIt() public { bank.put(1); }

    function invariant_only_the_handler_moves_the_bank() public view { require(bank.held() == handler.sum()); }
    function invariant_nobody_sweeps() public view { require(!handler.swept()); }
    function invariant_strangers_send_nothing() public view { require(handler.from() == address(0) || handler.from() == ALICE); }
    function invariant_the_handler_is_called() public view { require(handler.sum() == 0); }
    function invariant_the_proxy_is_called_by_its_interface() public view { require(forwarder.steps() == 0); }
}
