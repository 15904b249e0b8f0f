//! `vm.assert*`, which newer forge-std uses for its own assertions.

use super::{Answer, Desk, Row, done, string};
use crate::abi::{AbiType, Value, render};
use revm::primitives::U256;

/// Each comparison exists with and without a message of its own.
macro_rules! assert_rows {
    ($($name:literal, $sign:literal, $kind:literal, $holds:expr);* $(;)?) => {
        &[
            ("assertTrue(bool)", "", |desk, v| truth(desk, v, true)),
            ("assertTrue(bool,string)", "", |desk, v| truth(desk, v, true)),
            ("assertFalse(bool)", "", |desk, v| truth(desk, v, false)),
            ("assertFalse(bool,string)", "", |desk, v| truth(desk, v, false)),
            ("assertApproxEqAbs(uint256,uint256,uint256)", "", |desk, v| near(desk, v, "uint256", absolute)),
            ("assertApproxEqAbs(uint256,uint256,uint256,string)", "", |desk, v| {
                near(desk, v, "uint256", absolute)
            }),
            ("assertApproxEqAbs(int256,int256,uint256)", "", |desk, v| near(desk, v, "int256", absolute)),
            ("assertApproxEqAbs(int256,int256,uint256,string)", "", |desk, v| {
                near(desk, v, "int256", absolute)
            }),
            ("assertApproxEqRel(uint256,uint256,uint256)", "", |desk, v| near(desk, v, "uint256", relative)),
            ("assertApproxEqRel(uint256,uint256,uint256,string)", "", |desk, v| {
                near(desk, v, "uint256", relative)
            }),
            $(
                (concat!($name, "(", $kind, ",", $kind, ")"), "", |desk, v| {
                    compare(desk, v, $sign, $kind, $holds(&v[0], &v[1]))
                }),
                (concat!($name, "(", $kind, ",", $kind, ",string)"), "", |desk, v| {
                    compare(desk, v, $sign, $kind, $holds(&v[0], &v[1]))
                }),
            )*
        ]
    };
}

pub(super) const TABLE: &[Row] = assert_rows! {
    "assertEq", "!=", "uint256", same;
    "assertEq", "!=", "int256", same;
    "assertEq", "!=", "address", same;
    "assertEq", "!=", "bool", same;
    "assertEq", "!=", "bytes32", same;
    "assertEq", "!=", "string", same;
    "assertEq", "!=", "bytes", same;
    "assertEq", "!=", "uint256[]", same;
    "assertEq", "!=", "int256[]", same;
    "assertEq", "!=", "address[]", same;
    "assertEq", "!=", "bytes32[]", same;
    "assertEq", "!=", "bool[]", same;
    "assertEq", "!=", "string[]", same;
    "assertEq", "!=", "bytes[]", same;
    "assertNotEq", "==", "uint256", different;
    "assertNotEq", "==", "int256", different;
    "assertNotEq", "==", "address", different;
    "assertNotEq", "==", "bool", different;
    "assertNotEq", "==", "bytes32", different;
    "assertNotEq", "==", "string", different;
    "assertNotEq", "==", "bytes", different;
    "assertLt", ">=", "uint256", |a, b| unsigned(a) < unsigned(b);
    "assertLt", ">=", "int256", |a, b| signed(a) < signed(b);
    "assertLe", ">", "uint256", |a, b| unsigned(a) <= unsigned(b);
    "assertLe", ">", "int256", |a, b| signed(a) <= signed(b);
    "assertGt", "<=", "uint256", |a, b| unsigned(a) > unsigned(b);
    "assertGt", "<=", "int256", |a, b| signed(a) > signed(b);
    "assertGe", "<", "uint256", |a, b| unsigned(a) >= unsigned(b);
    "assertGe", "<", "int256", |a, b| signed(a) >= signed(b);
};

fn same(a: &Value, b: &Value) -> bool {
    a == b
}

fn different(a: &Value, b: &Value) -> bool {
    a != b
}

fn unsigned(value: &Value) -> U256 {
    match value {
        Value::Word(word) => *word,
        _ => U256::ZERO,
    }
}

/// Order of signed numbers: flipping the sign bit makes it the order of unsigned ones.
fn signed(value: &Value) -> U256 {
    unsigned(value) ^ (U256::from(1) << 255)
}

fn truth(desk: &mut Desk<'_>, values: &[Value], wanted: bool) -> Answer {
    let holds = unsigned(&values[0]).is_zero() != wanted;
    verdict(desk, holds, &message(values, 1), "assertion failed")
}

fn compare(desk: &mut Desk<'_>, values: &[Value], sign: &str, kind: &str, holds: bool) -> Answer {
    let kind = AbiType::parse(kind).map_err(|e| e.to_string())?;
    let shown = format!("{} {sign} {}", render(&kind, &values[0]), render(&kind, &values[1]));
    verdict(desk, holds, &message(values, 2), &format!("assertion failed: {shown}"))
}

/// The third value says how far apart the first two may be.
fn near(
    desk: &mut Desk<'_>,
    values: &[Value],
    kind: &str,
    fits: fn(apart: U256, right: U256, limit: U256) -> bool,
) -> Answer {
    let order = if kind == "int256" { signed } else { unsigned };
    let (left, right) = (order(&values[0]), order(&values[1]));
    let apart = left.max(right) - left.min(right);
    let holds = fits(apart, unsigned(&values[1]), unsigned(&values[2]));
    let kind = AbiType::parse(kind).map_err(|e| e.to_string())?;
    let shown = [0, 1].map(|index| render(&kind, &values[index]));
    let text = format!("assertion failed: {} !~= {} (apart {apart})", shown[0], shown[1]);
    verdict(desk, holds, &message(values, 3), &text)
}

fn absolute(apart: U256, _: U256, limit: U256) -> bool {
    apart <= limit
}

/// A limit of 10^18 is the whole of the right value.
fn relative(apart: U256, right: U256, limit: U256) -> bool {
    let whole = U256::from(10).pow(U256::from(18));
    let share = apart.checked_mul(whole).and_then(|scaled| scaled.checked_div(right));
    apart.is_zero() || share.is_some_and(|share| share <= limit)
}

fn message(values: &[Value], index: usize) -> String {
    if values.len() > index { format!("{}: ", string(values, index)) } else { String::new() }
}

fn verdict(desk: &mut Desk<'_>, holds: bool, prefix: &str, text: &str) -> Answer {
    if holds {
        return done();
    }
    desk.context.chain.cheats.failed = true;
    Err(format!("{prefix}{text}"))
}
