//! Calls as people write them: `transfer(0x1234…, 100)`, typed by the ABI.
//!
//! Integers are decimal or hexadecimal, with `_` and an exponent (`1e18`) allowed; strings stand in
//! double quotes; bytes are `0x…` or a string; arrays and structs stand in `[…]` (structs also in
//! `(…)`); `?` leaves an argument to the fuzzer.

use super::{AbiType, Function, Value};
use crate::abi::kind::{low_mask, sign_extend};
use revm::primitives::U256;
use std::fmt::Write as _;
use thiserror::Error;

/// One argument of a parsed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A concrete value.
    Is(Value),
    /// `?`: the fuzzer chooses.
    Any,
}

/// A call whose text was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedCall {
    /// Index into the functions given to [`parse_call`].
    pub function: usize,
    /// One per parameter.
    pub arguments: Vec<Argument>,
}

/// Why the text of a call was not understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CallSyntaxError {
    /// The text is not of the form `name(arguments)`.
    #[error("`{text}` is not a call: {problem}")]
    Malformed {
        /// What was given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No function has this name.
    #[error("no function `{name}` here; there are: {known}")]
    UnknownFunction {
        /// The name that was asked for.
        name: String,
        /// Signatures that exist.
        known: String,
    },
    /// The function takes another number of arguments.
    #[error("`{name}` takes {expected}, {found} given")]
    Arity {
        /// The function's name.
        name: String,
        /// The signatures that would fit.
        expected: String,
        /// The number of arguments given.
        found: usize,
    },
    /// An argument is not of its parameter's type.
    #[error("argument {position} of `{signature}`: expected {expected}, found `{found}`")]
    Argument {
        /// The signature of the function.
        signature: String,
        /// Counting from 1.
        position: usize,
        /// The parameter's type.
        expected: String,
        /// What was given.
        found: String,
    },
}

/// Reads one call, choosing among overloads by the number and then the types of the arguments.
pub fn parse_call(text: &str, functions: &[Function]) -> Result<ParsedCall, CallSyntaxError> {
    let malformed = |problem: &str| CallSyntaxError::Malformed {
        text: text.to_owned(),
        problem: problem.to_owned(),
    };
    let text = text.trim();
    let open = text.find('(').ok_or_else(|| malformed("there is no `(`"))?;
    let name = text[..open].trim();
    let literals = Parser::new(&text[open..]).arguments().map_err(|p| malformed(&p))?;
    let named: Vec<usize> = (0..functions.len()).filter(|i| functions[*i].name == name).collect();
    if named.is_empty() {
        return Err(CallSyntaxError::UnknownFunction {
            name: name.to_owned(),
            known: functions.iter().map(|f| f.signature.as_str()).collect::<Vec<_>>().join(", "),
        });
    }
    let fitting: Vec<usize> =
        named.iter().copied().filter(|i| functions[*i].inputs.len() == literals.len()).collect();
    let Some(&first) = fitting.first() else {
        return Err(CallSyntaxError::Arity {
            name: name.to_owned(),
            expected: named
                .iter()
                .map(|i| functions[*i].signature.as_str())
                .collect::<Vec<_>>()
                .join(" or "),
            found: literals.len(),
        });
    };
    let mut failure = None;
    for index in fitting {
        match type_arguments(&functions[index], &literals) {
            Ok(arguments) => return Ok(ParsedCall { function: index, arguments }),
            Err(error) if index == first => failure = Some(error),
            Err(_) => {}
        }
    }
    Err(failure.expect("the first overload of this arity was tried and failed"))
}

fn type_arguments(
    function: &Function,
    literals: &[Literal],
) -> Result<Vec<Argument>, CallSyntaxError> {
    let pairs = function.inputs.iter().zip(literals).enumerate();
    pairs
        .map(|(index, (kind, literal))| match literal {
            Literal::Any => Ok(Argument::Any),
            _ => literal.typed(kind).map(Argument::Is).ok_or_else(|| CallSyntaxError::Argument {
                signature: function.signature.clone(),
                position: index + 1,
                expected: kind.canonical(),
                found: literal.source(),
            }),
        })
        .collect()
}

#[derive(Clone, Debug)]
enum Literal {
    Any,
    Plain(String),
    Text(Vec<u8>),
    List(Vec<Literal>),
}

impl Literal {
    fn typed(&self, kind: &AbiType) -> Option<Value> {
        match (kind, self) {
            (AbiType::Bool, Self::Plain(word)) => match word.as_str() {
                "true" => Some(Value::Word(U256::from(1))),
                "false" => Some(Value::Word(U256::ZERO)),
                _ => None,
            },
            (AbiType::Uint(_) | AbiType::Int(_), Self::Plain(word)) => {
                integer(kind, word).map(Value::Word)
            }
            (AbiType::Address, Self::Plain(word)) => address(word).map(Value::Word),
            (AbiType::FixedBytes(size), _) => {
                let bytes = self.raw_bytes()?;
                (bytes.len() <= usize::from(*size)).then(|| Value::Word(left_aligned(&bytes)))
            }
            (AbiType::Bytes | AbiType::String, Self::Text(bytes)) => {
                Some(Value::Bytes(bytes.clone()))
            }
            (AbiType::Bytes, _) => self.raw_bytes().map(Value::Bytes),
            (AbiType::Array(inner), Self::List(items)) => typed_list(items, |_| Some(inner)),
            (AbiType::FixedArray(inner, size), Self::List(items)) if items.len() == *size => {
                typed_list(items, |_| Some(inner))
            }
            (AbiType::Tuple(members), Self::List(items)) if items.len() == members.len() => {
                typed_list(items, |i| members.get(i))
            }
            _ => None,
        }
    }

    fn raw_bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text(bytes) => Some(bytes.clone()),
            Self::Plain(word) => hex_bytes(word.strip_prefix("0x")?),
            _ => None,
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Any => "?".to_owned(),
            Self::Plain(word) => word.clone(),
            Self::Text(bytes) => quote(bytes),
            Self::List(items) => {
                let parts: Vec<_> = items.iter().map(Self::source).collect();
                format!("[{}]", parts.join(","))
            }
        }
    }
}

fn typed_list<'a>(items: &[Literal], kind: impl Fn(usize) -> Option<&'a AbiType>) -> Option<Value> {
    let values: Option<Vec<_>> =
        items.iter().enumerate().map(|(i, item)| item.typed(kind(i)?)).collect();
    values.map(Value::List)
}

fn integer(kind: &AbiType, word: &str) -> Option<U256> {
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    let magnitude = magnitude(digits)?;
    let word = if negative { U256::ZERO.wrapping_sub(magnitude) } else { magnitude };
    let fits = match kind {
        AbiType::Uint(bits) => !negative && magnitude <= low_mask(usize::from(*bits)),
        AbiType::Int(bits) => {
            let limit = U256::from(1) << (usize::from(*bits) - 1);
            if negative { magnitude <= limit } else { magnitude < limit }
        }
        _ => false,
    };
    fits.then_some(word)
}

fn magnitude(digits: &str) -> Option<U256> {
    let clean = digits.replace('_', "");
    if let Some(hex) = clean.strip_prefix("0x") {
        return (!hex.is_empty()).then(|| U256::from_str_radix(hex, 16).ok()).flatten();
    }
    let (mantissa, exponent) = clean.split_once(['e', 'E']).unwrap_or((&clean, "0"));
    if mantissa.is_empty() || !mantissa.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let exponent: u32 = exponent.parse().ok().filter(|e| *e <= 77)?;
    let scale = U256::from(10).checked_pow(U256::from(exponent))?;
    U256::from_str_radix(mantissa, 10).ok()?.checked_mul(scale)
}

fn address(word: &str) -> Option<U256> {
    let digits = word.strip_prefix("0x")?;
    let ok = (1..=40).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    // Short forms such as 0x0 and 0xdeadbeef are how addresses are printed after shrinking; a
    // nearly complete one is a slip of the pen.
    (ok && (digits.len() == 40 || digits.len() <= 32))
        .then(|| U256::from_str_radix(digits, 16).ok())
        .flatten()
}

fn left_aligned(bytes: &[u8]) -> U256 {
    let mut word = [0u8; 32];
    word[..bytes.len()].copy_from_slice(bytes);
    U256::from_be_bytes(word)
}

fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok()).collect()
}

/// Reads the bracketed argument list. Problems are sentences for [`CallSyntaxError::Malformed`].
struct Parser<'a> {
    rest: &'a str,
}

/// Deeper nesting than any ABI has; bounds the recursion on hostile text.
const MAX_NESTING: usize = 16;

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    fn arguments(mut self) -> Result<Vec<Literal>, String> {
        let items = self.list(MAX_NESTING)?;
        if self.rest.trim().is_empty() {
            Ok(items)
        } else {
            Err(format!("`{}` stands after the closing bracket", self.rest.trim()))
        }
    }

    /// Reads from an opening bracket to its partner.
    fn list(&mut self, depth: usize) -> Result<Vec<Literal>, String> {
        let depth = depth.checked_sub(1).ok_or("it is nested too deeply")?;
        let close = if self.rest.starts_with('(') { ')' } else { ']' };
        self.rest = self.rest[1..].trim_start();
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(self.literal(depth)?);
            self.rest = self.rest.trim_start();
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(',') {
                return Err(format!("expected `,` or `{close}` before `{}`", self.rest));
            }
            self.rest = self.rest.trim_start();
        }
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        match self.rest.chars().next() {
            None => Err("it ends in the middle of the arguments".to_owned()),
            Some('[' | '(') => self.list(depth).map(Literal::List),
            Some('"') => self.quoted().map(Literal::Text),
            Some(',' | ')' | ']') => Err("an argument is empty".to_owned()),
            Some(_) => {
                let end = self.rest.find([',', ')', ']']).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                let word = word.trim();
                Ok(if word == "?" { Literal::Any } else { Literal::Plain(word.to_owned()) })
            }
        }
    }

    fn quoted(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let mut chars = self.rest[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[1 + at + 1..];
                    return Ok(bytes);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => bytes.push(b'\n'),
                    Some('t') => bytes.push(b'\t'),
                    Some('r') => bytes.push(b'\r'),
                    Some('x') => {
                        let digits: String = chars.by_ref().take(2).map(|(_, c)| c).collect();
                        let byte = u8::from_str_radix(&digits, 16);
                        bytes.push(byte.map_err(|_| format!("`\\x{digits}` is not a byte"))?);
                    }
                    Some(c) => bytes.extend_from_slice(c.to_string().as_bytes()),
                    None => break,
                },
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Err("a string has no closing quote".to_owned())
    }

    fn eat(&mut self, expected: char) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// Reads one value of a type; `?` is none.
pub fn parse_value(text: &str, kind: &AbiType) -> Option<Value> {
    let literals = Parser::new(&format!("({text})")).arguments().ok()?;
    match literals.as_slice() {
        [one] => one.typed(kind),
        _ => None,
    }
}

/// Writes a call so that [`parse_call`] reads the same one.
pub fn render_call(function: &Function, values: &[Value]) -> String {
    let arguments: Vec<_> =
        function.inputs.iter().zip(values).map(|(kind, value)| render(kind, value)).collect();
    format!("{}({})", function.name, arguments.join(","))
}

/// Writes a value of a type.
pub fn render(kind: &AbiType, value: &Value) -> String {
    match (kind, value) {
        (AbiType::Bool, Value::Word(word)) => (!word.is_zero()).to_string(),
        (AbiType::Int(_), Value::Word(word)) if word.bit(255) => {
            format!("-{}", U256::ZERO.wrapping_sub(*word))
        }
        (AbiType::Address, Value::Word(word)) => format!("{word:#x}"),
        (AbiType::FixedBytes(size), Value::Word(word)) => {
            hex(&word.to_be_bytes::<32>()[..usize::from(*size)])
        }
        (_, Value::Word(word)) => word.to_string(),
        (AbiType::String, Value::Bytes(bytes)) => quote(bytes),
        (_, Value::Bytes(bytes)) => hex(bytes),
        (AbiType::Array(inner) | AbiType::FixedArray(inner, _), Value::List(values)) => {
            bracketed(values.iter().map(|v| render(inner, v)))
        }
        (AbiType::Tuple(members), Value::List(values)) => {
            bracketed(members.iter().zip(values).map(|(k, v)| render(k, v)))
        }
        (_, Value::List(_)) => "[]".to_owned(),
    }
}

fn bracketed(parts: impl Iterator<Item = String>) -> String {
    format!("[{}]", parts.collect::<Vec<_>>().join(","))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn quote(bytes: &[u8]) -> String {
    let mut out = "\"".to_owned();
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

/// Whether a value has the shape of a type, with every word in range.
pub fn fits(kind: &AbiType, value: &Value) -> bool {
    match (kind, value) {
        (AbiType::Bytes | AbiType::String, Value::Bytes(_)) => true,
        (AbiType::Array(inner), Value::List(values)) => values.iter().all(|v| fits(inner, v)),
        (AbiType::FixedArray(inner, size), Value::List(values)) => {
            values.len() == *size && values.iter().all(|v| fits(inner, v))
        }
        (AbiType::Tuple(members), Value::List(values)) => {
            members.len() == values.len() && members.iter().zip(values).all(|(k, v)| fits(k, v))
        }
        (AbiType::Int(bits), Value::Word(word)) => sign_extend(*word, usize::from(*bits)) == *word,
        (kind, Value::Word(word)) => kind.is_word() && kind.clamp(*word) == *word,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::Mutability;
    use expect_test::{Expect, expect};

    fn function(signature: &str) -> Function {
        let (name, list) = signature.split_once('(').unwrap();
        let inputs = AbiType::parse(&format!("({list}")).unwrap();
        let AbiType::Tuple(inputs) = inputs else { panic!("a list of types") };
        Function {
            name: name.to_owned(),
            signature: signature.to_owned(),
            selector: [0; 4],
            input_names: vec![String::new(); inputs.len()],
            inputs,
            outputs: Vec::new(),
            mutability: Mutability::NonPayable,
        }
    }

    fn check(text: &str, expected: &Expect) {
        let functions = [
            function("transfer(address,uint256)"),
            function("f(int8,bool)"),
            function("f(string)"),
            function("f(uint256)"),
            function("g(bytes4,bytes,(uint256,string)[])"),
            function("h(uint8[2][])"),
        ];
        let shown = match parse_call(text, &functions) {
            Err(error) => error.to_string(),
            Ok(call) => {
                let function = &functions[call.function];
                let parts: Vec<_> = function
                    .inputs
                    .iter()
                    .zip(&call.arguments)
                    .map(|(kind, argument)| match argument {
                        Argument::Any => "?".to_owned(),
                        Argument::Is(value) => render(kind, value),
                    })
                    .collect();
                format!("{} <- {}", function.signature, parts.join(" | "))
            }
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn calls_are_typed_by_the_abi() {
        check(
            "transfer(0x1234567890abcdef1234567890abcdef12345678, 100)",
            &expect![
                "transfer(address,uint256) <- 0x1234567890abcdef1234567890abcdef12345678 | 100"
            ],
        );
        check("f(-128, true)", &expect!["f(int8,bool) <- -128 | true"]);
        check("f(\"a,b)\\x00\")", &expect![[r#"f(string) <- "a,b)\x00""#]]);
        check("f(1e18)", &expect!["f(uint256) <- 1000000000000000000"]);
        check("f(?)", &expect!["f(string) <- ?"]);
        check(
            "g(0x01020304, 0x, [[1,\"x\"],(2,\"\")])",
            &expect![[
                r#"g(bytes4,bytes,(uint256,string)[]) <- 0x01020304 | 0x | [[1,"x"],[2,""]]"#
            ]],
        );
        check("h([[1,2],[3,255]])", &expect!["h(uint8[2][]) <- [[1,2],[3,255]]"]);
    }

    #[test]
    fn mistakes_are_named() {
        check(
            "transfer(0xZZZ,-100)",
            &expect!["argument 1 of `transfer(address,uint256)`: expected address, found `0xZZZ`"],
        );
        check(
            "transfer(0x0,-100)",
            &expect!["argument 2 of `transfer(address,uint256)`: expected uint256, found `-100`"],
        );
        check(
            "transfer(0x234567890abcdef1234567890abcdef12345678, 1)",
            &expect![
                "argument 1 of `transfer(address,uint256)`: expected address, found `0x234567890abcdef1234567890abcdef12345678`"
            ],
        );
        check(
            "f(-129, true)",
            &expect!["argument 1 of `f(int8,bool)`: expected int8, found `-129`"],
        );
        check("f()", &expect!["`f` takes f(int8,bool) or f(string) or f(uint256), 0 given"]);
        check(
            "nope()",
            &expect![
                "no function `nope` here; there are: transfer(address,uint256), f(int8,bool), f(string), f(uint256), g(bytes4,bytes,(uint256,string)[]), h(uint8[2][])"
            ],
        );
        check("f(1", &expect!["`f(1` is not a call: expected `,` or `)` before ``"]);
        check("f(1,,2)", &expect!["`f(1,,2)` is not a call: an argument is empty"]);
        check("f(1)x", &expect!["`f(1)x` is not a call: `x` stands after the closing bracket"]);
        check(
            "h([[1,2],[3]])",
            &expect!["argument 1 of `h(uint8[2][])`: expected uint8[2][], found `[[1,2],[3]]`"],
        );
        check(
            "f(115792089237316195423570985008687907853269984665640564039457584007913129639936)",
            &expect![
                "argument 1 of `f(string)`: expected string, found `115792089237316195423570985008687907853269984665640564039457584007913129639936`"
            ],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in "\\PC{0,60}") {
            let _ = parse_call(&text, &[function("f(uint256,string,bytes)")]);
        }
    }
}
