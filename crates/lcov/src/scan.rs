//! The one pass over a tracefile's bytes: lines, sections and their errors. What is kept is up to
//! the [`Sink`]; nothing is kept here but one buffer.

use std::io::{ErrorKind, Read};

use memchr::{memchr, memrchr};

use crate::count::Decided;
use crate::error::{Error, preview};
use crate::model::Taken;
use crate::note::{NoteKind, Notes};
use crate::record::{Record, Refusal};

/// The longest line that is read. Mangled C++ names reach some ten thousand bytes.
const LONGEST_LINE: usize = 1 << 20;
const BUFFER: usize = 1 << 17;

/// What a reader keeps of a tracefile.
pub(crate) trait Sink {
    /// A section begins.
    fn open(&mut self, test: &[u8], path: &[u8]);
    /// An executable line of the open section. Never line 0.
    fn line(&mut self, number: u32, hits: u64);
    /// A plain branch of the open section: line, block and branch are small numbers.
    fn branch(&mut self, place: [u32; 3], taken: Taken);
    /// Any other record of the open section.
    fn record(&mut self, record: Record<'_>);
    /// The open section ends; it said so much in `LF` and `LH`.
    fn close(&mut self, declared: SectionSummary, log: &mut Log) -> Result<(), &'static str>;
}

/// `LF` and `LH` of a section, each where it was there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SectionSummary {
    pub(crate) found: Option<u64>,
    pub(crate) hit: Option<u64>,
}

/// Where the scanner is, and what it decided so far.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) notes: Notes,
    at: u64,
}

impl Log {
    pub(crate) fn note(&mut self, kind: NoteKind) {
        self.notes.add(kind, self.at);
    }

    fn take<T>(&mut self, (value, decision): Decided<T>) -> T {
        if let Some(kind) = decision {
            self.note(kind);
        }
        value
    }
}

/// Reads everything; returns what had to be decided.
pub(crate) fn scan<S: Sink>(mut reader: impl Read, sink: &mut S) -> Result<Notes, Error> {
    let mut scanner = Scanner::new(sink);
    let mut buffer = vec![0; BUFFER];
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            scanner.check_length(filled)?;
            buffer.resize(filled * 2, 0);
        }
        let read = match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(source) => return Err(Error::Io { line: scanner.log.at, source }),
        };
        let end = filled + read;
        let whole = memrchr(b'\n', &buffer[filled..end]).map_or(0, |at| filled + at + 1);
        scanner.lines(&buffer[..whole])?;
        buffer.copy_within(whole..end, 0);
        filled = end - whole;
    }
    scanner.finish(&buffer[..filled])
}

struct Scanner<'s, S> {
    sink: &'s mut S,
    test: Vec<u8>,
    open: bool,
    any_section: bool,
    declared: SectionSummary,
    log: Log,
}

impl<'s, S: Sink> Scanner<'s, S> {
    fn new(sink: &'s mut S) -> Self {
        let declared = SectionSummary::default();
        Self { sink, test: vec![], open: false, any_section: false, declared, log: Log::default() }
    }

    fn check_length(&self, length: usize) -> Result<(), Error> {
        if length < LONGEST_LINE {
            return Ok(());
        }
        Err(Error::LineTooLong { line: self.log.at + 1, limit: LONGEST_LINE })
    }

    /// Whole lines, each with its line break.
    fn lines(&mut self, mut text: &[u8]) -> Result<(), Error> {
        while !text.is_empty() {
            if self.open {
                text = self.plain_lines(text);
            }
            let Some(end) = memchr(b'\n', text) else { break };
            self.one(&text[..end])?;
            text = &text[end + 1..];
        }
        Ok(())
    }

    /// Nine lines in ten are `DA` or `BRDA` with small numbers and nothing else: those are read here
    /// without looking for the line's end first. Returns what begins with anything else.
    #[inline]
    fn plain_lines<'t>(&mut self, mut text: &'t [u8]) -> &'t [u8] {
        loop {
            let length = if let Some((number, hits, length)) = plain_line(text) {
                self.sink.line(number, hits);
                length
            } else if let Some((place, taken, length)) = plain_branch(text) {
                self.sink.branch(place, taken);
                length
            } else {
                return text;
            };
            self.log.at += 1;
            text = &text[length..];
        }
    }

    fn one(&mut self, line: &[u8]) -> Result<(), Error> {
        self.log.at += 1;
        let at = self.log.at;
        let line = if at == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        let malformed = |reason| Error::Malformed { line: at, reason, text: preview(line) };
        let record = Record::parse(line).map_err(|refusal| match refusal {
            Refusal::NotARecord => Error::NotARecord { line: at, text: preview(line) },
            Refusal::Malformed(reason) => malformed(reason),
        })?;
        match record {
            Record::Blank => Ok(()),
            Record::Test(name) => {
                self.test = name.to_vec();
                Ok(())
            }
            Record::Source(path) => self.section(path).map_err(malformed),
            // Some writers close a section twice.
            Record::End if !self.open && self.any_section => Ok(()),
            _ if !self.open => Err(Error::OutsideSection { line: at, text: preview(line) }),
            Record::End => self.close().map_err(malformed),
            record => {
                self.inside(record);
                Ok(())
            }
        }
    }

    fn section(&mut self, path: &[u8]) -> Result<(), &'static str> {
        if self.open {
            self.log.note(NoteKind::Unclosed);
            self.close()?;
        }
        self.sink.open(&self.test, path);
        (self.open, self.any_section) = (true, true);
        Ok(())
    }

    fn inside(&mut self, record: Record<'_>) {
        match record {
            Record::LinesFound(found) => self.declared.found = Some(found),
            Record::LinesHit(hit) => self.declared.hit = Some(hit),
            Record::OtherSummary => {}
            Record::Unknown => self.log.note(NoteKind::UnknownRecord),
            Record::Line { line: 0, .. } => self.log.note(NoteKind::LineZero),
            Record::Branch(branch) if branch.line == 0 => self.log.note(NoteKind::LineZero),
            Record::Line { line, hits, checksum: None } => {
                let hits = self.log.take(hits);
                self.sink.line(line, hits);
            }
            record => {
                let decision = record.decision();
                self.log.take(((), decision));
                self.sink.record(record);
            }
        }
    }

    fn close(&mut self) -> Result<(), &'static str> {
        self.open = false;
        let declared = std::mem::take(&mut self.declared);
        self.sink.close(declared, &mut self.log)
    }

    /// The rest of the file: a line without a line break, and the end of an open section.
    fn finish(mut self, rest: &[u8]) -> Result<Notes, Error> {
        if !rest.is_empty() {
            self.one(rest)?;
        }
        if self.open {
            self.log.note(NoteKind::CutOff);
            let line = self.log.at;
            let text = preview(rest);
            self.close().map_err(|reason| Error::Malformed { line, reason, text })?;
        }
        match (self.log.at, self.any_section) {
            (0, _) => Err(Error::NoData("the file is empty")),
            (_, false) => Err(Error::NoData("it names no source file")),
            _ => Ok(self.log.notes),
        }
    }
}

/// `DA:<1 to 9 digits>,<1 to 18 digits>\n` and nothing else; the length includes the line break.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each line costs a tenth of the reading")]
fn plain_line(text: &[u8]) -> Option<(u32, u64, usize)> {
    let rest = text.strip_prefix(b"DA:")?;
    let (number, used) = digits_up_to(rest, b',', 9)?;
    let (hits, used_too) = digits_up_to(&rest[used..], b'\n', 18)?;
    (number > 0).then_some((number as u32, hits, 3 + used + used_too))
}

/// `BRDA:<1 to 9 digits>` three times, then `<1 to 18 digits>\n` or `-\n`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each line costs a tenth of the reading")]
fn plain_branch(text: &[u8]) -> Option<([u32; 3], Taken, usize)> {
    let mut rest = text.strip_prefix(b"BRDA:")?;
    let mut numbers = [0; 3];
    for number in &mut numbers {
        let (value, used) = digits_up_to(rest, b',', 9)?;
        // Leading zeros make a name of a branch's number; the slow path knows.
        if rest[0] == b'0' && used > 2 {
            return None;
        }
        *number = value as u32;
        rest = &rest[used..];
    }
    let (taken, used) = match rest.starts_with(b"-\n") {
        true => (Taken::NEVER_EVALUATED, 2),
        false => digits_up_to(rest, b'\n', 18).map(|(times, used)| (Taken::times(times), used))?,
    };
    (numbers[0] > 0).then_some((numbers, taken, text.len() - rest.len() + used))
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "a call for each line costs a tenth of the reading")]
fn digits_up_to(text: &[u8], stop: u8, most: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (at, byte) in text.iter().take(most + 1).enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (*byte == stop && at > 0).then_some((value, at + 1));
        }
        value = value * 10 + u64::from(digit);
    }
    None
}
