//! What a file is, by its first bytes and not by its name.

use crate::report::Format;

/// What the beginning of a file looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looks {
    /// A report of this format.
    Like(Format),
    /// Something else: a sentence that says what, and what to do.
    Foreign(String),
}

/// Tells a report's format from its beginning (some ten thousand bytes are enough).
pub fn looks_like(head: &[u8]) -> Looks {
    if head.starts_with(b"SQLite format 3\0") {
        return Looks::Like(Format::CoveragePyDatabase);
    }
    if head.is_empty() {
        return foreign("no coverage data (the file is empty)");
    }
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        return foreign("invalid format: the file is UTF-16 text; save it as UTF-8");
    }
    let text = head.strip_prefix(super::BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    match text.first() {
        Some(b'<') => markup(text),
        Some(b'{' | b'[') => json(text),
        _ if text.starts_with(b"mode: ") => Looks::Like(Format::Go),
        _ if is_binary(head) => foreign(format!(
            "invalid format: the file looks like binary data (it begins with {})",
            shown(head)
        )),
        // Everything else is read as LCOV, whose reader says where and why it stops.
        _ => Looks::Like(Format::Lcov),
    }
}

fn foreign(what: impl Into<String>) -> Looks {
    Looks::Foreign(what.into())
}

fn shown(head: &[u8]) -> String {
    head[..head.len().min(8)].iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

fn is_binary(head: &[u8]) -> bool {
    // A path may be in any encoding, but no text has a NUL.
    head.contains(&0)
}

fn markup(text: &[u8]) -> Looks {
    let has =
        |what: &[u8]| text.windows(what.len()).any(|window| window.eq_ignore_ascii_case(what));
    if has(b"<html") || has(b"<!doctype html") {
        return foreign(
            "invalid format: the file looks like an HTML page; \
             the report itself is usually beside it (lcov.info, coverage.xml, coverage-final.json)",
        );
    }
    if has(b"<report") && (has(b"jacoco") || has(b"<package") || has(b"<sessioninfo")) {
        return Looks::Like(Format::Jacoco);
    }
    if has(b"<coverage") && has(b"<project") {
        return Looks::Like(Format::Clover);
    }
    if has(b"<coverage") {
        return Looks::Like(Format::Cobertura);
    }
    foreign("invalid format: the file looks like XML, but not like Cobertura, JaCoCo or Clover")
}

fn json(text: &[u8]) -> Looks {
    let has = |what: &[u8]| text.windows(what.len()).any(|window| window == what);
    if has(b"\"statementMap\"") {
        return Looks::Like(Format::Istanbul);
    }
    if has(b"\"executed_lines\"") || (has(b"\"meta\"") && has(b"\"files\"")) {
        return Looks::Like(Format::CoveragePy);
    }
    if has(b"\"data\"") && (has(b"\"files\"") || has(b"\"functions\"")) {
        return Looks::Like(Format::LlvmCov);
    }
    if has(b"\"total\"") && has(b"\"pct\"") {
        return foreign(
            "invalid format: the file is an Istanbul summary without lines; \
             use coverage-final.json or lcov.info of the same run",
        );
    }
    let known = OTHER_JSON.iter().find(|(keys, _)| keys.iter().all(|key| has(key.as_bytes())));
    match known {
        Some((_, what)) => foreign(format!("invalid format: the file is {what}")),
        None => foreign(
            "invalid format: the file looks like JSON, but not like a report of Istanbul, coverage.py or llvm-cov",
        ),
    }
}

/// JSON that other tools write, told by what only they write, and what they write that can be read.
const OTHER_JSON: [(&[&str], &str); 4] = [
    (&["\"gcovr/"], "gcovr's own JSON; use its --lcov or --cobertura output"),
    (&["\"gcc_version\""], "gcov's own JSON; collect it with lcov or gcovr and use that"),
    (&["\"traces\"", "\"path\""], "tarpaulin's own JSON; use its --out Lcov"),
    (
        &["\"coverage\"", "\"lines\"", "null"],
        "a SimpleCov result set; use the LCOV that simplecov-lcov writes",
    ),
];
