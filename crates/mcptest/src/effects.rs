//! What calls leave behind, as far as a server shows it: its lists, the contents of its resources, and what
//! it says has changed.
//!
//! A server's files, databases, memory and what it does to others can't be seen from here, so that nothing
//! changed here proves nothing; that something did proves an effect. What changes by itself, or with every
//! call, as counters of calls do, is found out first and not counted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use crate::connection::Connection;
use crate::sample;

/// What can't be seen, for those who read that nothing changed.
pub const UNSEEN: &str = "what a server does to files, databases, its memory and others is not seen, \
    unless its lists or resources show it";

/// The most resources whose contents are watched.
const RESOURCES: usize = 10;

/// What is listed, and by which capability it is known to be there.
const LISTS: [(&str, &str, &str); 4] = [
    ("tools", "tools/list", "tools"),
    ("prompts", "prompts/list", "prompts"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
];

/// What a server shows, by what it is.
type Seen = BTreeMap<String, Value>;

/// A look at a server from time to time.
#[derive(Debug)]
pub struct Watch<'a> {
    connection: &'a Connection,
    patience: Duration,
    seen: Seen,
    unsteady: BTreeSet<String>,
    since: u64,
}

impl<'a> Watch<'a> {
    /// Looks twice, with calls in between that can do nothing: one of a tool that is not there, and one of
    /// a given tool with arguments that break its schema. What differs then changes by itself, or only
    /// counts calls.
    pub async fn start(connection: &'a Connection, tool: &Value, patience: Duration) -> Self {
        let (seen, unsteady) = (Seen::new(), BTreeSet::new());
        let mut watch = Self { connection, patience, seen, unsteady, since: 0 };
        watch.seen = watch.look().await;
        watch.since = connection.client.journal().last();
        watch.call(json!({ "name": "proofstone-no-such-tool", "arguments": {} })).await;
        if let Some(broken) = sample::breaking(&tool["inputSchema"]) {
            watch.call(json!({ "name": tool["name"], "arguments": broken })).await;
        }
        let again = watch.look().await;
        watch.unsteady.extend(differing(&watch.seen, &again).into_iter().map(|(what, _)| what));
        watch.unsteady.extend(watch.announced());
        watch.seen = again;
        watch.since = connection.client.journal().last();
        watch
    }

    /// What is watched, in words.
    pub fn watched(&self) -> Vec<String> {
        self.seen.keys().filter(|what| !self.unsteady.contains(*what)).cloned().collect()
    }

    /// What has changed since the last look, in words.
    pub async fn changes(&mut self) -> Vec<String> {
        let now = self.look().await;
        let mut changed = differing(&self.seen, &now);
        changed.extend(self.announced().into_iter().map(|what| (what, "was sent")));
        changed.retain(|(what, _)| !self.unsteady.contains(what));
        self.since = self.connection.client.journal().last();
        self.seen = now;
        if !changed.is_empty() {
            // What changes again without a call was no effect of one.
            let again = self.look().await;
            self.unsteady.extend(differing(&self.seen, &again).into_iter().map(|(what, _)| what));
            self.unsteady.extend(self.announced());
            changed.retain(|(what, _)| !self.unsteady.contains(what));
            self.seen = again;
            self.since = self.connection.client.journal().last();
        }
        changed.into_iter().map(|(what, how)| format!("{what} {how}")).collect()
    }

    async fn call(&self, params: Value) {
        // How it is answered is for other checks.
        let _ = self.connection.client.request("tools/call", params, self.patience).await;
    }

    async fn look(&self) -> Seen {
        let client = &self.connection.client;
        let claims = client.era().opening["capabilities"].clone();
        let mut seen = Seen::new();
        let mut addresses = Vec::new();
        for (capability, method, key) in LISTS {
            if claims.get(capability).is_none() {
                continue;
            }
            let Ok((entries, _)) = client.list_all(method, key, self.patience).await else {
                continue;
            };
            if key == "resources" {
                let named = entries.iter().filter_map(|entry| entry["uri"].as_str());
                addresses.extend(named.take(RESOURCES).map(str::to_owned));
            }
            seen.insert(method.to_owned(), Value::Array(entries));
        }
        for uri in addresses {
            let read = client.request("resources/read", json!({ "uri": uri }), self.patience).await;
            let Ok(reply) = read else { continue };
            seen.insert(format!("the resource {uri}"), reply.result["contents"].clone());
        }
        seen
    }

    /// The changes that the server itself has spoken of since the last look.
    fn announced(&self) -> BTreeSet<String> {
        let said = self.connection.client.notifications().into_iter();
        said.filter(|said| said.frame > self.since)
            .filter(|said| {
                said.method.ends_with("/list_changed") || said.method.ends_with("/updated")
            })
            .map(|said| said.method)
            .collect()
    }
}

/// What differs between two looks, and how.
fn differing(before: &Seen, after: &Seen) -> Vec<(String, &'static str)> {
    let gone = before.keys().filter(|what| !after.contains_key(*what));
    let gone = gone.map(|what| (what.clone(), "can't be read any more"));
    let other = after.iter().filter_map(|(what, value)| match before.get(what) {
        Some(old) if old == value => None,
        Some(_) => Some((what.clone(), "changed")),
        None => Some((what.clone(), "appeared")),
    });
    gone.chain(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_comes_and_changes_is_named() {
        let seen = |pairs: &[(&str, i64)]| -> Seen {
            pairs.iter().map(|(what, value)| ((*what).to_owned(), json!(value))).collect()
        };
        let found = differing(
            &seen(&[("a", 1), ("b", 1), ("c", 1)]),
            &seen(&[("b", 2), ("c", 1), ("d", 1)]),
        );
        let found: Vec<String> =
            found.into_iter().map(|(what, how)| format!("{what} {how}")).collect();
        assert_eq!(found, ["a can't be read any more", "b changed", "d appeared"]);
    }
}
