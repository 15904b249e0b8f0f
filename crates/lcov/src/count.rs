//! Execution counts as producers really write them: mostly digits, sometimes not.

use crate::note::NoteKind;

/// A count and what had to be decided to read it.
pub(crate) type Decided<T> = (T, Option<NoteKind>);

/// Reads an execution count; `None` where the text is no number at all.
pub(crate) fn count(text: &[u8]) -> Option<Decided<u64>> {
    match digits(text) {
        Some(number) => Some((number, None)),
        None => unusual(text.trim_ascii()),
    }
}

/// Reads a line number or an index: digits only.
pub(crate) fn number(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii();
    digits(text).and_then(|number| u32::try_from(number).ok())
}

fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Signs, fractions, exponents and numbers past `u64`.
fn unusual(text: &[u8]) -> Option<Decided<u64>> {
    if let Some(number) = digits(text.strip_prefix(b"+").unwrap_or(text)) {
        return Some((number, None));
    }
    let plain = text.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    let value: f64 = std::str::from_utf8(text).ok().filter(|_| plain)?.parse().ok()?;
    Some(if value < 0.0 {
        (0, Some(NoteKind::NegativeCount))
    } else if value >= u64::MAX as f64 {
        (u64::MAX, Some(NoteKind::HugeCount))
    } else if value > 0.0 {
        // A line that ran half a time did run.
        ((value.round() as u64).max(1), Some(NoteKind::FractionalCount))
    } else {
        (0, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_producers_write_them() {
        for (text, expected) in [
            ("0", Some((0, None))),
            ("18446744073709551615", Some((u64::MAX, None))),
            ("18446744073709551616", Some((u64::MAX, Some(NoteKind::HugeCount)))),
            ("1e400", Some((u64::MAX, Some(NoteKind::HugeCount)))),
            ("-1", Some((0, Some(NoteKind::NegativeCount)))),
            ("-0", Some((0, None))),
            ("1.5e3", Some((1500, Some(NoteKind::FractionalCount)))),
            ("0.2", Some((1, Some(NoteKind::FractionalCount)))),
            ("0.0", Some((0, None))),
            (" 7 ", Some((7, None))),
            ("+7", Some((7, None))),
            ("", None),
            ("-", None),
            ("nan", None),
            ("inf", None),
            ("12abc", None),
            ("0x10", None),
        ] {
            assert_eq!(count(text.as_bytes()), expected, "{text:?}");
        }
    }
}
