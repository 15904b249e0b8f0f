//! Documents that a toolset offers for reading.

use std::fmt::Write as _;

use crate::{BoxFuture, CallCx, Failure};

/// A document with a fixed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// A short name.
    pub name: String,
    /// What is in it.
    pub description: String,
    /// Its media type.
    pub mime_type: String,
}

impl Resource {
    /// A document at an address.
    pub fn new(
        uri: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        mime_type: impl Into<String>,
    ) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            description: description.into(),
            mime_type: mime_type.into(),
        }
    }
}

/// A family of documents whose addresses follow a template (RFC 6570).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceTemplate {
    /// The template of the addresses.
    pub uri_template: String,
    /// A short name.
    pub name: String,
    /// What is in such a document.
    pub description: String,
    /// The media type of such a document.
    pub mime_type: String,
}

impl ResourceTemplate {
    /// Documents at addresses of a kind.
    pub fn new(
        uri_template: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        mime_type: impl Into<String>,
    ) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            description: description.into(),
            mime_type: mime_type.into(),
        }
    }
}

/// A document's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text {
        /// The document's address.
        uri: String,
        /// Its media type.
        mime_type: String,
        /// Its text.
        text: String,
    },
    /// Bytes in base64.
    Blob {
        /// The document's address.
        uri: String,
        /// Its media type.
        mime_type: String,
        /// Its bytes in base64.
        data: String,
    },
}

/// The documents of one toolset.
pub trait Resources: Send + Sync {
    /// Those with fixed addresses.
    fn list(&self) -> Vec<Resource>;

    /// Those with templates.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads one; `None` if the address is not one of these.
    fn read<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<ResourceBody>, Failure>>>;
}

/// A part of an address as the text it stands for: `%2F` is a slash. What is no escape stays as it is.
pub fn address_text(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text as one part of an address: everything but letters, digits, `-`, `.`, `_` and `~` is escaped.
pub fn address_part(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut part, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            part.push(char::from(byte));
        } else {
            let _ = write!(part, "%{byte:02X}");
        }
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_survives_an_address() {
        for text in ["", "a/b c", "ä?&=#%", "100%", "%zz", "..%2f"] {
            assert_eq!(address_text(&address_part(text)), text);
        }
        assert_eq!(address_text("%zz%4"), "%zz%4");
    }
}
