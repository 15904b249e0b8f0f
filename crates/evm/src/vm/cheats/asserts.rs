//! `vm.assert*`, which newer forge-std uses for its own assertions.

use super::{Answer, Desk, Row, done, string};
use crate::abi::{AbiType, Value, render};
use crate::vm::probe::Operator;
use revm::primitives::U256;

/// Each assertion exists with and without a message of its own, behind its other arguments.
macro_rules! rows {
    ($($name:literal, $kinds:literal, $handler:expr);* $(;)?) => {
        &[$(
            (concat!($name, "(", $kinds, ")"), "", $handler),
            (concat!($name, "(", $kinds, ",string)"), "", $handler),
        )*]
    };
}

pub(super) const TRUTHS: &[Row] = rows! {
    "assertTrue", "bool", |desk, v| truth(desk, v, true);
    "assertFalse", "bool", |desk, v| truth(desk, v, false);
    "assertApproxEqAbs", "uint256,uint256,uint256", |desk, v| near(desk, v, "uint256", absolute);
    "assertApproxEqAbs", "int256,int256,uint256", |desk, v| near(desk, v, "int256", absolute);
    "assertApproxEqRel", "uint256,uint256,uint256", |desk, v| near(desk, v, "uint256", relative);
    "assertApproxEqRel", "int256,int256,uint256", |desk, v| near(desk, v, "int256", relative);
    "assertApproxEqAbsDecimal", "uint256,uint256,uint256,uint256",
        |desk, v| near_decimal(desk, v, "uint256", absolute);
    "assertApproxEqAbsDecimal", "int256,int256,uint256,uint256",
        |desk, v| near_decimal(desk, v, "int256", absolute);
    "assertApproxEqRelDecimal", "uint256,uint256,uint256,uint256",
        |desk, v| near_decimal(desk, v, "uint256", relative);
    "assertApproxEqRelDecimal", "int256,int256,uint256,uint256",
        |desk, v| near_decimal(desk, v, "int256", relative);
};

/// The rows of a comparison; `$suffix` and `$more` are what its name and its arguments have beyond the plain ones.
macro_rules! comparisons {
    ($suffix:literal, $more:literal, $compare:ident: $($name:literal, $sign:literal, $kind:literal, $holds:expr);* $(;)?) => {
        &[$(
            (concat!($name, $suffix, "(", $kind, ",", $kind, $more, ")"), "", |desk, v| {
                $compare(desk, v, $sign, $kind, $holds(&v[0], &v[1]))
            }),
            (concat!($name, $suffix, "(", $kind, ",", $kind, $more, ",string)"), "", |desk, v| {
                $compare(desk, v, $sign, $kind, $holds(&v[0], &v[1]))
            }),
        )*]
    };
}

/// Numbers are compared as they are, and with so many digits after the point, which only matter to the message.
macro_rules! of_numbers {
    ($suffix:literal, $more:literal, $compare:ident) => {
        comparisons! { $suffix, $more, $compare:
            "assertEq", "!=", "uint256", same;
            "assertEq", "!=", "int256", same;
            "assertNotEq", "==", "uint256", different;
            "assertNotEq", "==", "int256", different;
            "assertLt", ">=", "uint256", |a, b| unsigned(a) < unsigned(b);
            "assertLt", ">=", "int256", |a, b| signed(a) < signed(b);
            "assertLe", ">", "uint256", |a, b| unsigned(a) <= unsigned(b);
            "assertLe", ">", "int256", |a, b| signed(a) <= signed(b);
            "assertGt", "<=", "uint256", |a, b| unsigned(a) > unsigned(b);
            "assertGt", "<=", "int256", |a, b| signed(a) > signed(b);
            "assertGe", "<", "uint256", |a, b| unsigned(a) >= unsigned(b);
            "assertGe", "<", "int256", |a, b| signed(a) >= signed(b);
        }
    };
}

pub(super) const NUMBERS: &[Row] = of_numbers!("", "", compare);
pub(super) const DECIMALS: &[Row] = of_numbers!("Decimal", ",uint256", compare_decimal);

pub(super) const OTHERS: &[Row] = comparisons! { "", "", compare:
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
    "assertNotEq", "==", "address", different;
    "assertNotEq", "==", "bool", different;
    "assertNotEq", "==", "bytes32", different;
    "assertNotEq", "==", "string", different;
    "assertNotEq", "==", "bytes", different;
    "assertNotEq", "==", "uint256[]", different;
    "assertNotEq", "==", "int256[]", different;
    "assertNotEq", "==", "address[]", different;
    "assertNotEq", "==", "bytes32[]", different;
    "assertNotEq", "==", "bool[]", different;
    "assertNotEq", "==", "string[]", different;
    "assertNotEq", "==", "bytes[]", different;
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
    leave_operands(desk, values, sign, kind);
    let kind = AbiType::parse(kind).map_err(|e| e.to_string())?;
    let shown = format!("{} {sign} {}", render(&kind, &values[0]), render(&kind, &values[1]));
    verdict(desk, holds, &message(values, 2), &format!("assertion failed: {shown}"))
}

/// The third value says how many digits stand after the point.
fn compare_decimal(
    desk: &mut Desk<'_>,
    values: &[Value],
    sign: &str,
    kind: &str,
    holds: bool,
) -> Answer {
    leave_operands(desk, values, sign, kind);
    let shown = [0, 1].map(|index| decimal(&values[index], kind, &values[2]));
    let text = format!("assertion failed: {} {sign} {}", shown[0], shown[1]);
    verdict(desk, holds, &message(values, 3), &text)
}

/// A number with a point before its last digits.
fn decimal(value: &Value, kind: &str, digits: &Value) -> String {
    let kind = if kind == "int256" { AbiType::Int(256) } else { AbiType::Uint(256) };
    let whole = render(&kind, value);
    let digits = usize::try_from(unsigned(digits)).unwrap_or(usize::MAX).min(77);
    let (sign, number) = whole.strip_prefix('-').map_or(("", whole.as_str()), |rest| ("-", rest));
    let padded = format!("{number:0>width$}", width = digits + 1);
    let (before, after) = padded.split_at(padded.len() - digits);
    if digits == 0 { whole } else { format!("{sign}{before}.{after}") }
}

/// Whether two numbers that are so far apart are near enough to each other.
type Nearness = fn(apart: U256, right: U256, limit: U256) -> bool;

/// The third value says how far apart the first two may be.
fn near(desk: &mut Desk<'_>, values: &[Value], kind: &str, fits: Nearness) -> Answer {
    let shown = [0, 1].map(|index| decimal(&values[index], kind, &Value::Word(U256::ZERO)));
    let (holds, apart) = nearness(values, kind, fits);
    let text = format!("assertion failed: {} !~= {} (apart {apart})", shown[0], shown[1]);
    verdict(desk, holds, &message(values, 3), &text)
}

/// The fourth value says how many digits stand after the point.
fn near_decimal(desk: &mut Desk<'_>, values: &[Value], kind: &str, fits: Nearness) -> Answer {
    let shown = [0, 1].map(|index| decimal(&values[index], kind, &values[3]));
    let (holds, apart) = nearness(values, kind, fits);
    let apart = decimal(&Value::Word(apart), "uint256", &values[3]);
    let text = format!("assertion failed: {} !~= {} (apart {apart})", shown[0], shown[1]);
    verdict(desk, holds, &message(values, 4), &text)
}

fn nearness(values: &[Value], kind: &str, fits: Nearness) -> (bool, U256) {
    let order = if kind == "int256" { signed } else { unsigned };
    let (left, right) = (order(&values[0]), order(&values[1]));
    let apart = left.max(right) - left.min(right);
    let whole = match kind {
        // The share is of the number's size, whatever its sign.
        "int256" if unsigned(&values[1]).bit(255) => U256::ZERO.wrapping_sub(unsigned(&values[1])),
        _ => unsigned(&values[1]),
    };
    (fits(apart, whole, unsigned(&values[2])), apart)
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

/// Leaves the operands like an instruction that compares: what would make the assertion fail can be tried.
fn leave_operands(desk: &mut Desk<'_>, values: &[Value], sign: &str, kind: &str) {
    if let [Value::Word(left), Value::Word(right), ..] = values {
        let operator = match (sign, kind) {
            ("==" | "!=", _) => Operator::Equal,
            (_, "int256") => Operator::Signed,
            _ => Operator::Unsigned,
        };
        desk.context.chain.compare(0, operator, *left, *right);
    }
}

fn verdict(desk: &mut Desk<'_>, holds: bool, prefix: &str, text: &str) -> Answer {
    if holds {
        return done();
    }
    desk.context.chain.cheats.failed_now = true;
    Err(format!("{prefix}{text}"))
}
