//! Everything that a server advertises, as one value: what is locked, compared and looked over.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Fault;
use crate::connection::{Connection, Listed, iso};

/// The version of the lock file's form.
const FORM: &str = "proofstone-mcp-surface/1";

/// What a server advertises. As a file it is the lock file: the whole surface as it was reviewed, so
/// that a later difference can be shown and not only noticed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Surface {
    form: String,
    /// When it was taken.
    pub taken_at: String,
    /// The server's address or command.
    pub server: String,
    /// The protocol revision that was spoken.
    pub revision: String,
    /// What the server said at the opening.
    pub opening: Value,
    /// Its tools, by name.
    pub tools: Vec<Value>,
    /// Its resources, by address.
    pub resources: Vec<Value>,
    /// Its resource templates.
    pub resource_templates: Vec<Value>,
    /// Its prompts, by name.
    pub prompts: Vec<Value>,
}

/// Why a text is no lock file.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is not the JSON that it should be.
    #[error("it is no lock file of a server's surface: {0}")]
    Json(#[from] serde_json::Error),
    /// It was written by a version that we don't know.
    #[error("it has the form `{0}`, and this program knows only `{FORM}`")]
    Form(String),
}

impl Surface {
    /// Asks a server for everything it advertises. A list that it does not have is empty.
    pub async fn of(connection: &Connection) -> Result<Self, Fault> {
        let era = connection.client.era();
        Ok(Self {
            form: FORM.to_owned(),
            taken_at: iso(Timestamp::now()),
            server: connection.url(),
            revision: era.revision.clone().unwrap_or_default(),
            opening: era.opening,
            tools: listed(connection, Listed::Tools, "name").await?,
            resources: listed(connection, Listed::Resources, "uri").await?,
            resource_templates: listed(connection, Listed::Templates, "uriTemplate").await?,
            prompts: listed(connection, Listed::Prompts, "name").await?,
        })
    }

    /// Reads a lock file.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let surface: Self = serde_json::from_str(text)?;
        match surface.form == FORM {
            true => Ok(surface),
            false => Err(Unreadable::Form(surface.form)),
        }
    }

    /// The lock file: one line for each thing that can change, in a fixed order.
    pub fn written(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("a surface has only text as keys") + "\n"
    }
}

async fn listed(connection: &Connection, what: Listed, key: &str) -> Result<Vec<Value>, Fault> {
    let mut entries = match connection.list(what).await {
        Ok((entries, _)) => entries,
        Err(Fault::Rpc { .. }) => Vec::new(),
        Err(fault) => return Err(fault),
    };
    entries.sort_by_key(|entry| entry[key].to_string());
    Ok(entries)
}
