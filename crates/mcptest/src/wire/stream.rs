//! Server-sent events, read piece by piece.

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamEvent {
    /// Its kind; `message` where the stream does not say.
    pub event: String,
    /// Its data, lines joined.
    pub data: String,
    /// Its id.
    pub id: Option<String>,
}

/// Cuts bytes into events. A line may be of any length up to the bound; what is longer is an error.
#[derive(Debug, Default)]
pub struct Cutter {
    begun: bool,
    line: Vec<u8>,
    event: StreamEvent,
    has_data: bool,
    after_return: bool,
    last_id: Option<String>,
    retry: Option<u64>,
}

/// What may stand before the first line.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The longest event that is kept.
const LONGEST: usize = 64 * 1024 * 1024;

impl Cutter {
    /// Takes more bytes and gives the events that they complete, or `None` if an event is too long.
    pub fn push(&mut self, bytes: &[u8]) -> Option<Vec<StreamEvent>> {
        let mut done = Vec::new();
        for &byte in bytes {
            let second = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if second => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.line);
                    done.extend(self.end_line(&line));
                }
                byte => self.line.push(byte),
            }
        }
        (self.line.len() + self.event.data.len() <= LONGEST).then_some(done)
    }

    /// Where a stream that ended can be taken up again, and after how many milliseconds.
    pub fn resumption(&self) -> Option<(String, u64)> {
        Some((self.last_id.clone()?, self.retry.unwrap_or(1000)))
    }

    fn end_line(&mut self, line: &[u8]) -> Option<StreamEvent> {
        let begun = std::mem::replace(&mut self.begun, true);
        let line = if begun { line } else { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) };
        if line.is_empty() {
            let mut event = std::mem::take(&mut self.event);
            let has_data = std::mem::take(&mut self.has_data);
            if event.event.is_empty() {
                "message".clone_into(&mut event.event);
            }
            return has_data.then_some(event);
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.event),
            // An id with NUL is none, as the standard says.
            "id" if value.contains('\0') => {}
            "id" => {
                self.last_id = Some(value.to_owned());
                self.event.id = Some(value.to_owned());
            }
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The events of a stream, however it is cut into pieces.
    fn check(stream: &str, expected: Expect) {
        let whole = Cutter::default().push(stream.as_bytes()).unwrap();
        let mut cutter = Cutter::default();
        let pieces: Vec<StreamEvent> =
            stream.as_bytes().iter().flat_map(|byte| cutter.push(&[*byte]).unwrap()).collect();
        assert_eq!(whole, pieces);
        let lines: Vec<String> =
            whole.iter().map(|e| format!("{} {:?} {:?}", e.event, e.id, e.data)).collect();
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn events_are_cut_at_blank_lines() {
        check("data: {}\n\n", expect![[r#"message None "{}""#]]);
        check(
            "event: endpoint\r\ndata: /x\r\n\r\n: comment\r\n\r\n",
            expect![[r#"endpoint None "/x""#]],
        );
        check(
            "id: 7\ndata: a\ndata: b\n\ndata:c\n\n",
            expect![[r#"
            message Some("7") "a\nb"
            message None "c""#]],
        );
        check("id: 1\nretry: 5\n\n", expect![""]);
        check("\u{feff}data: marked\n\n", expect![[r#"message None "marked""#]]);
        check("id: a\0b\nretry: x\ndata:1\n\n", expect![[r#"message None "1""#]]);
        check("data\n\n", expect![[r#"message None """#]]);
    }
}
