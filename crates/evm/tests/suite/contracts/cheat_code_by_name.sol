// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// passed invariant_made_from_its_name
// falsified invariant_wheels 1
// mode: foundry
// contract: CarTest
interface Vm { function getCode(string calldata) external view returns (bytes memory); function getDeployedCode(string calldata) external view returns (bytes memory); }
contract Wheel { uint256 public turns; function turn(uint8 n) public { turns += n; } }
contract CarTest {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Wheel wheel;
    function setUp() public {
        bytes memory code = vm.getCode("cheat_code_by_name.sol:Wheel");
        address at;
        assembly { at := create(0, add(code, 32), mload(code)) }
        wheel = Wheel(at);
    }
    function invariant_made_from_its_name() public {
        require(keccak256(address(wheel).code) == keccak256(vm.getDeployedCode("Wheel")), "code");
        try vm.getCode("Engine") { revert("there is none"); } catch {}
    }
    function invariant_wheels() public view { require(wheel.turns() < 100); }
}
