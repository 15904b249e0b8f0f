//! Writing for people: one place for stdout and stderr, so that colours and closed pipes are handled
//! once.

use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

/// An error of the caller's: shown like any other, but the exit code is 2.
#[derive(Debug)]
pub(crate) struct BadUsage(pub(crate) String);

impl std::fmt::Display for BadUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadUsage {}

/// For headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// For what is there but not the point.
pub(crate) const DIM: Style = Style::new().dimmed();
/// For what holds.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// For what needs a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// For what does not hold.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();

/// The text in a style. Whether colours reach the terminal is decided when it is written.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Why a part of the answer did not reach stdout.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// Writes text and a line's end to stdout.
pub(crate) fn line(text: impl std::fmt::Display) {
    remember(writeln!(anstream::stdout(), "{text}"));
}

/// Writes bytes to stdout as they are.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    remember(stdout.write_all(bytes).and_then(|()| stdout.flush()));
}

/// A reader that has gone away (`| head`) is not an error; a full disk is.
fn remember(written: std::io::Result<()>) {
    if let Some(error) = written.err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        // Only the first reason is told.
        let _ = LOST.set(error);
    }
}

/// Fails where a part of the answer could not be written.
pub(crate) fn complete() -> anyhow::Result<()> {
    match LOST.get() {
        Some(error) => anyhow::bail!("the answer could not be written to stdout: {error}"),
        None => Ok(()),
    }
}

/// Writes a line to stderr: what is said beside the answer.
pub(crate) fn note(text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Writes a value as indented JSON to stdout.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Shows an error with its causes.
pub(crate) fn error(error: &anyhow::Error) {
    let mut told = error.to_string();
    note(format!("{} {told}", styled(BAD.bold(), "error:")));
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many messages end with their cause; it is not said twice.
        if !told.contains(&cause) {
            note(format!("  {} {cause}", styled(DIM, "because:")));
        }
        told = cause;
    }
}
