// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// falsified prices 1
// falsified near 1
// passed same
// mode: assertion
interface Vm {
    function assertEqDecimal(uint256, uint256, uint256) external pure;
    function assertGeDecimal(int256, int256, uint256, string calldata) external pure;
    function assertApproxEqAbsDecimal(uint256, uint256, uint256, uint256) external pure;
    function assertApproxEqRelDecimal(int256, int256, uint256, uint256) external pure;
}
contract Quotes {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    function prices(int64 a, int64 b) public pure { if (a > 0 && b > 0) vm.assertGeDecimal(a, b, 2, "fell"); }
    function near(uint64 a) public pure { vm.assertApproxEqAbsDecimal(a, 5000, 4000, 3); }
    function same(uint128 a) public pure {
        vm.assertEqDecimal(a, a, 18);
        vm.assertApproxEqRelDecimal(-1000, -1009, 0.01e18, 1);
    }
}
