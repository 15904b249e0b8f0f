//! Go cover profiles. A profile lists blocks of statements; a line is executable where a block
//! touches it and ran as often as the most frequent of those blocks. `go tool cover` counts
//! statements, so its percentage differs.

use std::collections::BTreeMap;
use std::io::BufRead;

use proofstone_lcov::Coverage;

use super::{FormatError, file};
use crate::report::{Format, Report};

/// A block longer than this is no Go function but a broken profile.
const LONGEST_BLOCK: u32 = 1_000_000;

/// Reads a Go cover profile.
pub(super) fn read(reader: impl BufRead) -> Result<Report, FormatError> {
    let mut blocks: BTreeMap<String, BTreeMap<Span, u64>> = BTreeMap::new();
    for (at, line) in reader.split(b'\n').enumerate() {
        let line = line?;
        let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        // Profiles put one after the other have a mode line each.
        if line.is_empty() || line.trim_start_matches('\u{feff}').starts_with("mode: ") {
            continue;
        }
        let (path, span, statements, count) = block(&line).ok_or_else(|| FormatError::Go {
            line: at as u64 + 1,
            text: line.chars().take(60).collect(),
        })?;
        // An empty body has nothing to run; Go counts none of it either.
        if statements == 0 {
            continue;
        }
        let known = blocks.entry(path).or_default().entry(span).or_default();
        *known = known.saturating_add(count);
    }
    let files = blocks.into_iter().map(|(path, blocks)| file(path, coverage(&blocks))).collect();
    let mut report = Report::new(Format::Go, files);
    report.notes.push("Go profiles count statements; lines were taken from their blocks".into());
    Ok(report)
}

/// First line, first column, last line, last column.
type Span = (u32, u32, u32, u32);

/// `name.go:first.column,last.column statements count`
fn block(line: &str) -> Option<(String, Span, u64, u64)> {
    let (path, rest) = line.rsplit_once(':')?;
    let mut parts = rest.split(' ');
    let (first, last) = parts.next()?.split_once(',')?;
    let (statements, count): (u64, u64) =
        (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let place = |text: &str| {
        let (line, column) = text.split_once('.')?;
        Some((line.parse::<u32>().ok()?, column.parse::<u32>().ok()?))
    };
    let ((first, first_column), (last, last_column)) = (place(first)?, place(last)?);
    let sound = first > 0 && first <= last && last - first < LONGEST_BLOCK && !path.is_empty();
    sound.then(|| (path.to_owned(), (first, first_column, last, last_column), statements, count))
}

fn coverage(blocks: &BTreeMap<Span, u64>) -> Coverage {
    let mut lines: BTreeMap<u32, u64> = BTreeMap::new();
    for ((first, _, last, _), count) in blocks {
        for line in *first..=*last {
            let known = lines.entry(line).or_default();
            *known = (*known).max(*count);
        }
    }
    Coverage { lines: lines.into_iter().collect(), ..Coverage::default() }
}
