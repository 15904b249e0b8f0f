//! What a handler returns and what a client is shown.

use serde_json::{Map, Value};

/// A successful answer: the typed output, and what goes beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<O> {
    /// The answer itself.
    pub output: O,
    /// Facts about the answer that its contract has no field for (the result's `_meta`).
    pub meta: Map<String, Value>,
    /// What to show in place of the output written as JSON; several blocks, if wanted.
    pub content: Option<Vec<Content>>,
}

impl<O> Answer<O> {
    /// An answer with nothing beside it.
    pub fn new(output: O) -> Self {
        Self { output, meta: Map::new(), content: None }
    }

    /// The same answer with one more fact about it.
    pub fn meta(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.meta.insert(name.to_owned(), value.into());
        self
    }

    /// The same answer, shown as this text instead of as JSON.
    pub fn shown_as(self, text: impl Into<String>) -> Self {
        self.with_content(vec![Content::text(text)])
    }

    /// The same answer, shown as these blocks instead of as JSON.
    pub fn with_content(mut self, content: Vec<Content>) -> Self {
        self.content = Some(content);
        self
    }
}

impl<O> From<O> for Answer<O> {
    fn from(output: O) -> Self {
        Self::new(output)
    }
}

/// One block of what a client shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// A picture, base64-encoded.
    Image {
        /// The bytes in base64.
        data: String,
        /// The media type.
        mime_type: String,
    },
    /// A sound, base64-encoded.
    Audio {
        /// The bytes in base64.
        data: String,
        /// The media type.
        mime_type: String,
    },
    /// A resource, embedded.
    Resource(crate::ResourceBody),
}

impl Content {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// A call's outcome as its dialect renders it: what every transport sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Whether the call failed.
    pub is_error: bool,
    /// What a person or a model reads.
    pub content: Vec<Content>,
    /// The same answer for programs.
    pub structured: Option<Value>,
    /// Facts about the answer.
    pub meta: Map<String, Value>,
}

impl Rendered {
    /// The text blocks, joined.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
