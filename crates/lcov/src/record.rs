//! One line of a tracefile, taken apart. Knows no sections and no files.

use crate::count::{self, Decided};
use crate::model::{BranchId, BranchKind, Taken};

/// What one line says. Text is borrowed from the line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    Blank,
    Test(&'a [u8]),
    Source(&'a [u8]),
    Version(&'a [u8]),
    Line {
        line: u32,
        hits: Decided<u64>,
        checksum: Option<&'a [u8]>,
    },
    Function {
        start: u32,
        end: Option<u32>,
        name: &'a [u8],
    },
    FunctionHits {
        hits: Decided<u64>,
        name: &'a [u8],
    },
    FunctionLeader {
        index: u32,
        start: u32,
        end: Option<u32>,
    },
    FunctionAlias {
        index: u32,
        hits: Decided<u64>,
        name: &'a [u8],
    },
    Branch(BranchRecord),
    Condition(ConditionRecord<'a>),
    LinesFound(u64),
    LinesHit(u64),
    /// `FNF`, `FNH`, `BRF`, `BRH`, `MCF`, `MCH`: counted from the records themselves.
    OtherSummary,
    End,
    /// Looks like a record (`XYZ:`), of a kind that is not known.
    Unknown,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BranchRecord {
    pub(crate) line: u32,
    pub(crate) kind: BranchKind,
    pub(crate) unreachable: bool,
    pub(crate) block: u32,
    pub(crate) id: BranchId,
    pub(crate) taken: Decided<Taken>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ConditionRecord<'a> {
    pub(crate) line: u32,
    pub(crate) unreachable: bool,
    pub(crate) group_size: u32,
    pub(crate) sense: bool,
    pub(crate) hits: Decided<u64>,
    pub(crate) index: u32,
    pub(crate) expression: &'a [u8],
}

/// Why a line is no record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotARecord,
    Malformed(&'static str),
}

impl<'a> Record<'a> {
    /// Takes one line apart; the line break is already gone.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, Refusal> {
        let line = line.trim_ascii_end();
        if line.is_empty() || line[0] == b'#' {
            return Ok(Self::Blank);
        }
        if line == b"end_of_record" {
            return Ok(Self::End);
        }
        let (tag, rest) = cut(line, b':').ok_or(Refusal::NotARecord)?;
        fields(tag, rest)
    }
}

fn fields<'a>(tag: &[u8], rest: &'a [u8]) -> Result<Record<'a>, Refusal> {
    Ok(match tag {
        b"DA" => line(rest).ok_or(Refusal::Malformed("DA needs a line number and a count"))?,
        b"BRDA" => branch(rest).ok_or(Refusal::Malformed("BRDA needs line,block,branch,taken"))?,
        b"TN" => Record::Test(rest.trim_ascii()),
        b"SF" | b"KF" => source(rest)?,
        b"VER" => Record::Version(rest),
        b"FN" => function(rest).ok_or(Refusal::Malformed("FN needs a line number and a name"))?,
        b"FNDA" => {
            function_hits(rest).ok_or(Refusal::Malformed("FNDA needs a count and a name"))?
        }
        b"FNL" => leader(rest).ok_or(Refusal::Malformed("FNL needs an index and a start line"))?,
        b"FNA" => {
            alias(rest).ok_or(Refusal::Malformed("FNA needs an index, a count and a name"))?
        }
        b"MCDC" => condition(rest)
            .ok_or(Refusal::Malformed("MCDC needs line,size,sense,taken,index,expression"))?,
        b"LF" => Record::LinesFound(summary(rest)?),
        b"LH" => Record::LinesHit(summary(rest)?),
        b"FNF" | b"FNH" | b"BRF" | b"BRH" | b"MCF" | b"MCH" => Record::OtherSummary,
        _ if looks_like_a_tag(tag) => Record::Unknown,
        _ => return Err(Refusal::NotARecord),
    })
}

/// Fields are a few bytes long, so a plain loop beats a searcher.
fn cut(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((&text[..place], &text[place + 1..]))
}

fn cut_last(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().rposition(|byte| *byte == at)?;
    Some((&text[..place], &text[place + 1..]))
}

fn looks_like_a_tag(tag: &[u8]) -> bool {
    (2..=8).contains(&tag.len()) && tag.iter().all(u8::is_ascii_uppercase)
}

fn source(path: &[u8]) -> Result<Record<'_>, Refusal> {
    let path = path.trim_ascii();
    if path.is_empty() {
        return Err(Refusal::Malformed("SF names no file"));
    }
    Ok(Record::Source(path))
}

fn summary(text: &[u8]) -> Result<u64, Refusal> {
    match count::count(text) {
        Some((number, None)) => Ok(number),
        _ => Err(Refusal::Malformed("a summary needs a whole number")),
    }
}

fn line(rest: &[u8]) -> Option<Record<'_>> {
    let mut parts = rest.splitn(3, |byte| *byte == b',');
    let line = count::number(parts.next()?)?;
    let hits = count::count(parts.next()?)?;
    let checksum = parts.next().map(<[u8]>::trim_ascii).filter(|text| !text.is_empty());
    Some(Record::Line { line, hits, checksum })
}

/// `start,[end,]name`: the name may hold commas, an end line is digits only.
fn function(rest: &[u8]) -> Option<Record<'_>> {
    let (start, rest) = cut(rest, b',')?;
    let start = count::number(start)?;
    let with_end = cut(rest, b',')
        .filter(|(end, name)| end.iter().all(u8::is_ascii_digit) && !name.is_empty())
        .and_then(|(end, name)| Some((count::number(end)?, name)));
    let (end, name) = match with_end {
        Some((end, name)) => (Some(end), name),
        None => (None, rest),
    };
    (!name.is_empty()).then_some(Record::Function { start, end, name })
}

fn function_hits(rest: &[u8]) -> Option<Record<'_>> {
    let (hits, name) = cut(rest, b',')?;
    let hits = count::count(hits)?;
    (!name.is_empty()).then_some(Record::FunctionHits { hits, name })
}

fn leader(rest: &[u8]) -> Option<Record<'_>> {
    let mut parts = rest.split(|byte| *byte == b',');
    let index = count::number(parts.next()?)?;
    let start = count::number(parts.next()?)?;
    let end = match parts.next() {
        Some(end) => Some(count::number(end)?),
        None => None,
    };
    Some(Record::FunctionLeader { index, start, end })
}

fn alias(rest: &[u8]) -> Option<Record<'_>> {
    let (index, rest) = cut(rest, b',')?;
    let (hits, name) = cut(rest, b',')?;
    let (index, hits) = (count::number(index)?, count::count(hits)?);
    (!name.is_empty()).then_some(Record::FunctionAlias { index, hits, name })
}

/// `line,[e|f][U]block,branch,taken`: the branch may be any text with commas, so `taken` stands
/// after the last one.
fn branch(rest: &[u8]) -> Option<Record<'_>> {
    let (line, rest) = cut(rest, b',')?;
    let (block, rest) = cut(rest, b',')?;
    let (id, taken) = cut_last(rest, b',')?;
    let (kind, unreachable, block) = branch_block(block.trim_ascii());
    Some(Record::Branch(BranchRecord {
        line: count::number(line)?,
        kind,
        unreachable,
        block: count::number(block)?,
        id: BranchId::from_bytes(id),
        taken: taken_count(taken.trim_ascii())?,
    }))
}

fn branch_block(text: &[u8]) -> (BranchKind, bool, &[u8]) {
    let (kind, text) = match text.first() {
        Some(b'e') => (BranchKind::Exception, &text[1..]),
        Some(b'f') => (BranchKind::Fallthrough, &text[1..]),
        _ => (BranchKind::Plain, text),
    };
    match text.strip_prefix(b"U") {
        Some(block) => (kind, true, block),
        None => (kind, false, text),
    }
}

fn taken_count(text: &[u8]) -> Option<Decided<Taken>> {
    if text == b"-" {
        return Some((Taken::NEVER_EVALUATED, None));
    }
    count::count(text).map(|(hits, note)| (Taken::times(hits), note))
}

fn condition(rest: &[u8]) -> Option<Record<'_>> {
    let mut parts = rest.splitn(6, |byte| *byte == b',');
    let line = count::number(parts.next()?)?;
    let size = parts.next()?.trim_ascii();
    let (unreachable, size) = match size.strip_prefix(b"U") {
        Some(size) => (true, size),
        None => (false, size),
    };
    let sense = match parts.next()?.trim_ascii() {
        b"t" => true,
        b"f" => false,
        _ => return None,
    };
    Some(Record::Condition(ConditionRecord {
        line,
        unreachable,
        group_size: count::number(size)?,
        sense,
        hits: count::count(parts.next()?)?,
        index: count::number(parts.next()?)?,
        expression: parts.next()?,
    }))
}

impl Record<'_> {
    /// What had to be decided to read its count.
    pub(crate) fn decision(&self) -> Option<crate::note::NoteKind> {
        match self {
            Self::Line { hits, .. }
            | Self::FunctionHits { hits, .. }
            | Self::FunctionAlias { hits, .. } => hits.1,
            Self::Branch(branch) => branch.taken.1,
            Self::Condition(condition) => condition.hits.1,
            _ => None,
        }
    }
}
