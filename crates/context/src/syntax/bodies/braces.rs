//! Bodies between braces, as C and C++ write them. Comments, strings and preprocessor lines are told apart; nothing
//! else of the language is known.

use super::{Place, Stretch, indent};

/// The insides of blocks of up to `largest` bytes that follow a `)`: of functions, and of statements in those that are larger.
/// Each block's `}` stands first on its line and below the beginning of the statement, and nothing between them does.
pub(super) fn bodies(text: &str, largest: usize) -> Vec<Stretch> {
    let mut scan = Scan::new(text.as_bytes(), largest);
    while let Some(byte) = scan.bytes.get(scan.at) {
        scan.step(*byte);
    }
    scan.found
}

struct Scan<'t> {
    bytes: &'t [u8],
    largest: usize,
    at: usize,
    row: usize,
    line: usize,
    /// Where the statement began that is being read.
    statement: Option<Statement>,
    /// Brackets open in it.
    depth: usize,
    /// The last word, which may be the name before a bracket.
    word: &'t [u8],
    /// Whether the last thing was a `)` that a block may follow.
    closed: bool,
    open: Vec<Open>,
    found: Vec<Stretch>,
}

/// Columns that the line is indented by on which a statement began.
#[derive(Clone, Copy)]
struct Statement {
    indent: usize,
}

/// A block that has not ended yet.
struct Open {
    inside: Place,
    /// Columns that the end has to be indented by; none where the block has to stay.
    indent: Option<usize>,
    /// The least that a line beginning with a brace was indented by since.
    least: usize,
    depth: usize,
}

impl<'t> Scan<'t> {
    fn new(bytes: &'t [u8], largest: usize) -> Self {
        Self {
            bytes,
            largest,
            at: 0,
            row: 0,
            line: 0,
            statement: None,
            depth: 0,
            word: b"",
            closed: false,
            open: Vec::new(),
            found: Vec::new(),
        }
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'\n' => self.next_line(),
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'/' if self.next() == Some(b'/') => self.skip_line(),
            b'/' if self.next() == Some(b'*') => self.skip_comment(),
            b'#' if self.is_first() => self.skip_directive(),
            b'{' => self.begin_block(),
            b'}' => self.end_block(),
            b';' if self.depth == 0 => self.end_statement(),
            _ => self.read(byte),
        }
    }

    /// Something of a statement.
    fn read(&mut self, byte: u8) {
        if self.statement.is_none() {
            self.statement = Some(Statement { indent: self.indent() });
        }
        match byte {
            b'"' => self.skip_quoted(b'"'),
            b'\'' => self.skip_quoted(b'\''),
            b'(' => {
                self.depth += 1;
                self.closed = false;
                self.at += 1;
            }
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.closed = self.depth == 0 && !says_what_a_type_is(self.word);
                self.at += 1;
            }
            _ if in_word(byte) => self.read_word(),
            b':' if matches!(self.word, b"public" | b"private" | b"protected") => {
                self.end_statement();
            }
            _ => {
                self.closed = false;
                self.at += 1;
            }
        }
    }

    fn read_word(&mut self) {
        let rest = &self.bytes[self.at..];
        // `1'000` is one number.
        let is_number = rest[0].is_ascii_digit();
        let length =
            rest.iter().take_while(|b| in_word(**b) || (is_number && **b == b'\'')).count();
        let word = &rest[..length];
        if self.depth == 0 {
            self.word = word;
        }
        self.closed &= matches!(word, b"const" | b"noexcept" | b"override" | b"final");
        self.at += length;
    }

    fn begin_block(&mut self) {
        self.note_brace();
        let at = self.place();
        let inside = Place { byte: at.byte + 1, column: at.column + 1, ..at };
        let indent = self.statement.filter(|_| self.closed).map(|statement| statement.indent);
        self.open.push(Open { inside, indent, least: usize::MAX, depth: self.depth });
        self.end_statement();
    }

    fn end_block(&mut self) {
        let Some(block) = self.open.pop() else { return self.end_statement() };
        let (end, is_first) = (self.place(), self.is_first());
        let fits = block
            .indent
            .is_some_and(|indent| is_first && indent == self.indent() && block.least > indent);
        if fits && end.byte - block.inside.byte <= self.largest {
            let before = self.found.partition_point(|known| known.start < block.inside);
            self.found.truncate(before);
            self.found.push(block.inside..end);
        }
        if let Some(around) = self.open.last_mut() {
            around.least = around.least.min(block.least);
        }
        self.note_brace();
        self.end_statement();
        self.depth = block.depth;
    }

    /// Notes a brace that begins a line for the block it is in.
    fn note_brace(&mut self) {
        let indent = if self.is_first() { self.indent() } else { usize::MAX };
        if let Some(around) = self.open.last_mut() {
            around.least = around.least.min(indent);
        }
    }

    fn end_statement(&mut self) {
        self.statement = None;
        self.closed = false;
        self.depth = 0;
        self.word = b"";
        self.at += 1;
    }

    fn next_line(&mut self) {
        self.at += 1;
        self.row += 1;
        self.line = self.at;
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        let end = memchr::memmem::find(rest, b"*/").map_or(self.bytes.len(), |n| self.at + 4 + n);
        self.skip_to(end);
    }

    /// Moves on past lines that may end before.
    fn skip_to(&mut self, end: usize) {
        let skipped = &self.bytes[self.at..end];
        if let Some(last) = memchr::memrchr(b'\n', skipped) {
            self.row += memchr::memchr_iter(b'\n', skipped).count();
            self.line = self.at + last + 1;
        }
        self.at = end;
    }

    /// A preprocessor line with those that continue it.
    fn skip_directive(&mut self) {
        self.statement = None;
        self.closed = false;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.skip_to((self.at + 2).min(self.bytes.len())),
                b'/' if self.next() == Some(b'*') => self.skip_comment(),
                b'/' if self.next() == Some(b'/') => return self.skip_line(),
                _ => self.at += 1,
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.closed = false;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.skip_to((self.at + 2).min(self.bytes.len())),
                // Not closed on its line: then it was no quote.
                b'\n' => return,
                _ => self.at += 1,
            }
            if *byte == quote {
                return;
            }
        }
    }

    fn next(&self) -> Option<u8> {
        self.bytes.get(self.at + 1).copied()
    }

    fn place(&self) -> Place {
        Place { byte: self.at, row: self.row, column: self.at - self.line }
    }

    fn indent(&self) -> usize {
        indent(&self.bytes[self.line..])
    }

    /// Whether nothing stands before this on its line.
    fn is_first(&self) -> bool {
        self.line + self.indent() == self.at
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Names whose brackets may stand before the braces of a type.
fn says_what_a_type_is(word: &[u8]) -> bool {
    matches!(
        word,
        b"__attribute__"
            | b"__attribute"
            | b"__declspec"
            | b"alignas"
            | b"_Alignas"
            | b"__aligned"
            | b"__packed"
    )
}
