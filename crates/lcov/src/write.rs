//! The model as an LCOV tracefile that every reader understands.

use std::io::{self, Write};

use crate::model::Tracefile;
use crate::model::{Alias, Branch, BranchId, BranchKind, Condition, Coverage, Function, Section};

impl Tracefile {
    /// Writes all sections. Summaries are counted anew.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        self.sections.iter().try_for_each(|section| section.write(&mut out))
    }
}

impl Section {
    /// Writes one section, with its test name before it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        record(out, b"TN:", &[&self.test])?;
        if self.path.is_empty() || self.path.contains(&b'\n') {
            let message = format!("LCOV can't hold the file name {:?}", self.path);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        record(out, b"SF:", &[&self.path])?;
        if let Some(version) = &self.version {
            record(out, b"VER:", &[version])?;
        }
        functions(out, &self.coverage.functions)?;
        branches(out, &self.coverage)?;
        conditions(out, &self.coverage)?;
        lines(out, &self.coverage)?;
        out.write_all(b"end_of_record\n")
    }
}

/// One line: a tag and the parts of its value. A line's end inside a part becomes a space; a carriage
/// return there is read again as it is, so it stays.
fn record(out: &mut impl Write, tag: &[u8], parts: &[&[u8]]) -> io::Result<()> {
    out.write_all(tag)?;
    for part in parts {
        for (number, piece) in part.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                out.write_all(b" ")?;
            }
            out.write_all(piece)?;
        }
    }
    out.write_all(b"\n")
}

fn functions(out: &mut impl Write, functions: &[Function]) -> io::Result<()> {
    if functions.is_empty() {
        return Ok(());
    }
    if functions.iter().any(needs_groups) {
        grouped(out, functions)
    } else {
        plain(out, functions)
    }?;
    let hit = functions.iter().filter(|function| function.hits() > 0).count();
    writeln!(out, "FNF:{}\nFNH:{hit}", functions.len())
}

/// The older style has one name a function, and reads `12,f` as an end line and a name.
fn needs_groups(function: &Function) -> bool {
    let digits_first = |alias: &Alias| {
        let digits = alias.name.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && alias.name.get(digits) == Some(&b',')
    };
    function.aliases.len() > 1 || function.aliases.iter().any(digits_first)
}

fn plain(out: &mut impl Write, functions: &[Function]) -> io::Result<()> {
    for function in functions {
        let end = function.end.map_or(String::new(), |end| format!("{end},"));
        let start = format!("{},{end}", function.start);
        record(out, b"FN:", &[start.as_bytes(), name(function.aliases.first())])?;
    }
    for function in functions {
        let hits = format!("{},", function.hits());
        record(out, b"FNDA:", &[hits.as_bytes(), name(function.aliases.first())])?;
    }
    Ok(())
}

fn grouped(out: &mut impl Write, functions: &[Function]) -> io::Result<()> {
    for (index, function) in functions.iter().enumerate() {
        let end = function.end.map_or(String::new(), |end| format!(",{end}"));
        writeln!(out, "FNL:{index},{}{end}", function.start)?;
        for alias in &function.aliases {
            let hits = format!("{index},{},", alias.hits);
            record(out, b"FNA:", &[hits.as_bytes(), name(Some(alias))])?;
        }
    }
    Ok(())
}

fn name(alias: Option<&Alias>) -> &[u8] {
    match alias {
        Some(alias) if !alias.name.is_empty() => &alias.name,
        _ => b"(anonymous)",
    }
}

fn branches(out: &mut impl Write, coverage: &Coverage) -> io::Result<()> {
    if coverage.branches.is_empty() {
        return Ok(());
    }
    coverage.branches.iter().try_for_each(|one| branch(out, &one))?;
    let (hit, found) = coverage.branches_hit_and_found();
    writeln!(out, "BRF:{found}\nBRH:{hit}")
}

fn branch(out: &mut impl Write, branch: &Branch) -> io::Result<()> {
    let kind = match branch.kind {
        BranchKind::Plain => "",
        BranchKind::Exception => "e",
        BranchKind::Fallthrough => "f",
    };
    let unreachable = if branch.unreachable { "U" } else { "" };
    write!(out, "BRDA:{},{kind}{unreachable}{},", branch.line, branch.block)?;
    let taken = branch.taken.count().map_or(",-".to_owned(), |times| format!(",{times}"));
    match &branch.id {
        BranchId::Number(number) => writeln!(out, "{number}{taken}"),
        BranchId::Name(name) => record(out, b"", &[name, taken.as_bytes()]),
    }
}

fn conditions(out: &mut impl Write, coverage: &Coverage) -> io::Result<()> {
    if coverage.conditions.is_empty() {
        return Ok(());
    }
    coverage.conditions.iter().try_for_each(|one| condition(out, one))?;
    let (hit, found) = coverage.conditions_hit_and_found();
    writeln!(out, "MCF:{found}\nMCH:{hit}")
}

fn condition(out: &mut impl Write, c: &Condition) -> io::Result<()> {
    let unreachable = if c.unreachable { "U" } else { "" };
    let sense = if c.sense { 't' } else { 'f' };
    let head = format!("{},{unreachable}{},{sense},{},{},", c.line, c.group_size, c.hits, c.index);
    record(out, b"MCDC:", &[head.as_bytes(), &c.expression])
}

fn lines(out: &mut impl Write, coverage: &Coverage) -> io::Result<()> {
    let mut checksums = coverage.checksums.iter().peekable();
    for (number, hits) in coverage.lines.iter() {
        while checksums.next_if(|(line, _)| *line < number).is_some() {}
        match checksums.next_if(|(line, _)| *line == number) {
            Some((_, sum)) => record(out, b"DA:", &[format!("{number},{hits},").as_bytes(), sum])?,
            None => writeln!(out, "DA:{number},{hits}")?,
        }
    }
    writeln!(out, "LF:{}\nLH:{}", coverage.lines_found(), coverage.lines_hit())
}
