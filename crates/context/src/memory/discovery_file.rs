//! A discovery as a file: a few `name: value` lines between `---`, then the words. Made for people to read in
//! a review and for git to merge: one file each, written only when it changes.

use super::anchor::Anchor;
use super::discovery::{Discovery, DiscoveryKind, Source, Status};

/// The folder of discovery files.
pub(super) const FOLDER: &str = ".context/discoveries";

/// The file's text.
pub(super) fn write(d: &Discovery) -> String {
    let mut out = String::from("---\n");
    let mut line = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            for part in [name, ": ", &value.replace(['\n', '\r'], " "), "\n"] {
                out.push_str(part);
            }
        }
    };
    line("id", Some(&d.id));
    line("type", Some(d.kind.name()));
    line("module", d.module.as_deref());
    line("status", Some(d.status.name()));
    line("superseded-by", d.superseded_by.as_deref());
    line("source", Some(d.source.name()));
    line("author", d.author.as_deref());
    line("confidence", Some(&d.confidence.to_string()));
    line("session", d.session.as_deref());
    line("created", Some(&d.created_at));
    line("updated", Some(&d.updated_at));
    if let Some(anchor) = &d.anchor {
        line("anchor-path", Some(&anchor.path));
        line("anchor-symbol", anchor.symbol.as_deref());
        line("anchor-hash", Some(&anchor.hash));
        line("anchor-commit", anchor.commit.as_deref());
    }
    out.push_str("---\n\n");
    out.push_str(d.content.trim());
    out.push('\n');
    out
}

/// Reads a file. Everything but the words may be missing: a file written by hand needs no header at all.
pub(super) fn read(file: &str, text: &str) -> Option<Discovery> {
    let (header, content) = split(text);
    let value = |name: &str| {
        let found = header
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.trim() == name);
        found.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let content = content.trim().to_owned();
    if content.is_empty() {
        return None;
    }
    let created_at = value("created").unwrap_or_else(super::now);
    let anchor = value("anchor-path").map(|path| Anchor {
        path,
        symbol: value("anchor-symbol"),
        hash: value("anchor-hash").unwrap_or_default(),
        commit: value("anchor-commit"),
    });
    Some(Discovery {
        id: value("id").unwrap_or_else(|| id_of(file)),
        file: file.to_owned(),
        kind: value("type")
            .and_then(|name| DiscoveryKind::parse(&name))
            .unwrap_or(DiscoveryKind::Pattern),
        content,
        module: value("module"),
        session: value("session"),
        source: value("source").map_or(Source::File, |name| Source::parse(&name)),
        author: value("author"),
        confidence: value("confidence")
            .and_then(|c| c.parse().ok())
            .filter(|c| (0.0..=1.0).contains(c))
            .unwrap_or(1.0),
        status: value("status").and_then(|name| Status::parse(&name)).unwrap_or(Status::Active),
        superseded_by: value("superseded-by"),
        updated_at: value("updated").unwrap_or_else(|| created_at.clone()),
        created_at,
        anchor,
        anchor_state: None,
    })
}

/// A decision record of the repository as a discovery: its title and its decision.
pub(super) fn read_decision_record(file: &str, text: &str) -> Option<Discovery> {
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim)?;
    let section = |name: &str| {
        let start = text.to_lowercase().find(&format!("\n## {name}"))?;
        let body = text.get(start + 4 + name.len()..)?;
        let body = body.split_once('\n').map_or("", |(_, rest)| rest);
        Some(body.split("\n## ").next().unwrap_or(body).trim().to_owned())
    };
    let decision = section("decision").filter(|d| !d.is_empty())?;
    let withdrawn = section("status").is_some_and(|s| {
        s.to_lowercase().contains("superseded") || s.to_lowercase().contains("deprecated")
    });
    let content: String = format!("{title}: {decision}").chars().take(1000).collect();
    let mut found = read(file, &content)?;
    found.kind = DiscoveryKind::Decision;
    found.source = Source::DecisionRecord;
    found.status = if withdrawn { Status::Superseded } else { Status::Active };
    Some(found)
}

/// Where a new discovery is written: by date and words, so that a folder listing reads like a log.
pub(super) fn path_for(d: &Discovery) -> String {
    let words = crate::tokens::words(&d.content)
        .filter(|w| w.is_ascii())
        .take(6)
        .collect::<Vec<_>>()
        .join("-")
        .to_lowercase();
    let words: String = words.chars().take(50).collect();
    let short: String = d.id.chars().take(8).collect();
    let day = d.created_at.get(..10).unwrap_or("undated");
    format!("{FOLDER}/{day}-{words}-{short}.md")
}

fn split(text: &str) -> (&str, &str) {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let inner = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    inner.and_then(|rest| rest.split_once("\n---")).map_or(("", text), |(header, body)| {
        (header, body.split_once('\n').map_or("", |(_, body)| body))
    })
}

/// The same file always has the same id.
fn id_of(file: &str) -> String {
    uuid::Builder::from_custom_bytes(
        blake3::hash(file.as_bytes()).as_bytes()[..16].try_into().unwrap_or_default(),
    )
    .into_uuid()
    .to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in ".{0,300}") {
            super::super::read_any(&text);
            super::super::read_any(&format!("---\ncreated: {text}\n---\n\n{text}"));
        }

        #[test]
        fn what_is_written_is_read(content in "[a-zA-Z][a-zA-Z :\n-]{10,80}[a-z]", module in proptest::option::of("[a-z]{1,8}")) {
            let Some(mut d) = read("x.md", &content) else { return Ok(()) };
            d.module = module;
            prop_assume!(!content.starts_with("---"));
            prop_assert_eq!(read("x.md", &write(&d)), Some(d));
        }
    }

    #[test]
    fn by_hand() {
        let d = read(".context/discoveries/x.md", "Use one transaction per request.\n").unwrap();
        assert_eq!(
            (d.kind, d.status, d.source),
            (DiscoveryKind::Pattern, Status::Active, Source::File)
        );
        let record = "# 3. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nWe keep sessions in SQLite.\n\n## Consequences\n\nNone.\n";
        let d = read_decision_record("docs/adr/0003.md", record).unwrap();
        assert_eq!(
            (d.kind, d.content.as_str()),
            (DiscoveryKind::Decision, "3. Use SQLite: We keep sessions in SQLite.")
        );
    }
}
