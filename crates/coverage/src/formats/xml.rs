//! What the three XML readers share: walking over elements and reading attributes.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::FormatError;
use crate::report::Format;

/// Something that happens while walking over a document.
pub(super) enum Step<'a> {
    /// An element begins (and ends at once, if it has no content).
    Open(&'a Element<'a>),
    /// An element of this name ends.
    Close(&'a str),
    /// A piece of the text inside the element that was opened last: a reference (`&amp;`) is a piece of
    /// its own, and blanks are kept.
    Text(&'a str),
}

/// An element's name and attributes.
pub(super) struct Element<'a> {
    start: &'a BytesStart<'a>,
}

impl Element<'_> {
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// An attribute's text; empty where it is missing.
    pub(super) fn text(&self, name: &str) -> String {
        let attribute = self.start.try_get_attribute(name).ok().flatten();
        let value = attribute.map(|a| a.value.into_owned()).unwrap_or_default();
        unescaped(&value)
    }

    /// An attribute that must be a whole number.
    pub(super) fn number(&self, name: &str) -> Result<u64, String> {
        let text = self.text(name);
        text.trim()
            .parse()
            .map_err(|_| format!("<{}> needs a number in {name}, not {text:?}", self.name()))
    }
}

/// Text with its references replaced; one that XML does not define stays as it is.
fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Walks over a document; the visitor's refusal becomes an error with its place.
pub(super) fn walk(
    format: Format,
    reader: impl BufRead,
    mut visit: impl FnMut(Step<'_>) -> Result<(), String>,
) -> Result<(), FormatError> {
    let mut xml = Reader::from_reader(reader);
    let (mut buffer, mut depth) = (Vec::new(), 0_u32);
    loop {
        let event = xml.read_event_into(&mut buffer);
        let at = xml.buffer_position();
        let stop = |reason: String| FormatError::Xml { format, at, reason };
        match event.map_err(|error| stop(error.to_string()))? {
            Event::Start(start) => {
                depth += 1;
                visit(Step::Open(&Element { start: &start })).map_err(stop)?;
            }
            Event::Empty(start) => {
                visit(Step::Open(&Element { start: &start })).map_err(stop)?;
                visit(Step::Close(start.local_name().into_inner())).map_err(stop)?;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                visit(Step::Close(end.local_name().into_inner())).map_err(stop)?;
            }
            Event::Text(text) => visit(Step::Text(&text.into_inner())).map_err(stop)?,
            Event::CData(text) => visit(Step::Text(&text.into_inner())).map_err(stop)?,
            Event::GeneralRef(name) => {
                visit(Step::Text(&unescaped(&format!("&{};", &*name)))).map_err(stop)?;
            }
            Event::Eof if depth > 0 => return Err(stop("the file is cut off".to_owned())),
            Event::Eof => return Ok(()),
            _ => {}
        }
        buffer.clear();
    }
}

/// A line number: not 0, not past what a file can have.
pub(super) fn line_number(number: u64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("{number} is no line number"))
}
