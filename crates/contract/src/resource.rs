//! Documents that a toolset offers for reading.

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
