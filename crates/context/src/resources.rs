//! The contract's four documents, in Markdown.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::{
    BoxFuture, CallCx, Failure, Resource, ResourceBody, ResourceTemplate, Resources, address_text,
};

use crate::memory::{Discovery, DiscoveryKind, Filter, Session};
use crate::overview::{Module, Overview, overview};
use crate::project::{Project, leaving_time};

const MARKDOWN: &str = "text/markdown";
const OVERVIEW: &str = "context://project/overview";
const CURRENT: &str = "context://session/current";
const RECENT: &str = "context://sessions/recent";
const MODULE: &str = "context://module/";

/// The documents of one project.
#[derive(Debug)]
pub(crate) struct ContextResources {
    project: Arc<Project>,
}

impl ContextResources {
    pub(crate) fn new(project: Arc<Project>) -> Self {
        Self { project }
    }

    /// The names of all modules, for completing them.
    pub(crate) fn module_names(&self) -> Vec<String> {
        let overview = looked_over(&self.project, Instant::now() + Duration::from_millis(500));
        overview.map(|o| o.modules.into_iter().map(|m| m.name).collect()).unwrap_or_default()
    }
}

impl Resources for ContextResources {
    fn list(&self) -> Vec<Resource> {
        vec![
            Resource::new(
                OVERVIEW,
                "Project overview",
                "Languages, how it is built, modules with key files and what is known about each",
                MARKDOWN,
            ),
            Resource::new(
                CURRENT,
                "Current session",
                "Files read, topics and discoveries of the session going on",
                MARKDOWN,
            ),
            Resource::new(
                RECENT,
                "Recent sessions",
                "The last sessions; ?limit=n for another number than 10",
                MARKDOWN,
            ),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new(
            "context://module/{name}",
            "Module",
            "A module's key files, patterns, rules, decisions and issues",
            MARKDOWN,
        )]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<ResourceBody>, Failure>>> {
        Box::pin(async move {
            let document = Document::parse(uri)?;
            let project = Arc::clone(&self.project);
            let text = cx.blocking(move |stop| document.write(&project, stop.deadline())).await;
            let body = |text| {
                vec![ResourceBody::Text {
                    uri: uri.to_owned(),
                    mime_type: MARKDOWN.to_owned(),
                    text,
                }]
            };
            Some(text.and_then(|text| text).map(body))
        })
    }
}

/// Which document an address means.
#[derive(Debug)]
enum Document {
    Overview,
    Module(String),
    Current,
    Recent(usize),
}

impl Document {
    fn parse(uri: &str) -> Option<Self> {
        let (address, query) = uri.split_once('?').unwrap_or((uri, ""));
        Some(match address {
            OVERVIEW => Self::Overview,
            CURRENT => Self::Current,
            RECENT => {
                let limit = query.split('&').find_map(|pair| pair.strip_prefix("limit="));
                Self::Recent(limit.and_then(|n| n.parse().ok()).unwrap_or(10).clamp(1, 100))
            }
            _ => Self::Module(address_text(
                address.strip_prefix(MODULE).filter(|name| !name.is_empty())?,
            )),
        })
    }

    fn write(&self, project: &Project, until: Instant) -> Result<String, Failure> {
        match self {
            Self::Overview => Ok(overview_text(&looked_over(project, until)?)),
            Self::Module(name) => {
                let overview = looked_over(project, until)?;
                let found = overview.modules.iter().find(|m| m.name.eq_ignore_ascii_case(name));
                let unknown = || {
                    Failure::refused("MODULE_NOT_FOUND", "Module not found")
                        .detail("module", name.clone())
                };
                found.map(module_text).ok_or_else(unknown)
            }
            Self::Current => {
                let session = project.memory()?.current_session()?;
                let none = || Failure::refused("NO_SESSION", "No active session");
                session
                    .as_ref()
                    .map(|s| format!("# Current session\n\n{}", session_text(s)))
                    .ok_or_else(none)
            }
            Self::Recent(limit) => {
                let sessions = project.memory()?.recent_sessions(*limit)?;
                let texts: Vec<String> = sessions
                    .iter()
                    .map(|s| format!("## {}\n\n{}", &s.id[..8.min(s.id.len())], session_text(s)))
                    .collect();
                Ok(format!("# Recent sessions\n\n{}", texts.join("\n")))
            }
        }
    }
}

fn looked_over(project: &Project, until: Instant) -> Result<Overview, Failure> {
    let (index, _) = project.fresh_index(leaving_time(until), &|_| {})?;
    let known =
        project.memory().and_then(|memory| memory.discoveries(project.root(), &Filter::default()));
    Ok(overview(project.root(), &index.view(), known.unwrap_or_default()))
}

fn overview_text(o: &Overview) -> String {
    let languages: Vec<String> =
        o.languages.iter().take(12).map(|(name, count)| format!("{name} ({count})")).collect();
    let mut text = format!(
        "# {}\n\n- Files: {}\n- Languages: {}\n- Built with: {}\n\n## Modules\n",
        o.name,
        o.files,
        languages.join(", "),
        listed(&o.manifests)
    );
    for m in o.modules.iter().take(100) {
        let _ = write!(
            text,
            "\n### {}\n\n{} files; {} patterns, {} rules, {} decisions, {} issues\n",
            m.name,
            m.files,
            m.count(DiscoveryKind::Pattern),
            m.count(DiscoveryKind::Rule),
            m.count(DiscoveryKind::Decision),
            m.count(DiscoveryKind::Issue)
        );
        for (path, role) in &m.key_files {
            let _ = writeln!(text, "- {path} ({})", role.name());
        }
    }
    text
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "no manifest found".to_owned() } else { names.join(", ") }
}

fn module_text(m: &Module) -> String {
    let mut text = format!("# {}\n\n{} files\n\n## Key files\n\n", m.name, m.files);
    for (path, role) in &m.key_files {
        let _ = writeln!(text, "- {path} ({})", role.name());
    }
    let sections = [
        ("Patterns", DiscoveryKind::Pattern),
        ("Business rules", DiscoveryKind::Rule),
        ("Decisions", DiscoveryKind::Decision),
        ("Common issues", DiscoveryKind::Issue),
    ];
    for (title, kind) in sections {
        let _ = write!(text, "\n## {title}\n\n");
        let found: Vec<&Discovery> = m.discoveries.iter().filter(|d| d.kind == kind).collect();
        if found.is_empty() {
            text.push_str("None recorded.\n");
        }
        for d in found {
            let state = d.anchor_state.map_or("", |state| {
                if state.name() == "holds" { "" } else { " **(the code changed since)**" }
            });
            let _ = writeln!(
                text,
                "- {}{state} ({}, {})",
                d.content.replace('\n', " "),
                d.created_at,
                &d.id[..8.min(d.id.len())]
            );
        }
    }
    text
}

fn session_text(s: &Session) -> String {
    let mut text = format!(
        "- Started: {}\n- Duration: {} s\n- Status: {}\n",
        s.started_at,
        s.seconds(),
        s.status.name()
    );
    if let Some(goal) = &s.goal {
        let _ = writeln!(text, "- Goal: {goal}");
    }
    if let Some(summary) = &s.summary {
        let _ = writeln!(text, "- Summary: {summary}");
    }
    let _ = writeln!(
        text,
        "- Topics: {}",
        if s.topics.is_empty() { "none".to_owned() } else { s.topics.join("; ") }
    );
    let _ = writeln!(
        text,
        "- Calls: {}, discoveries: {}, files: {}",
        s.tool_calls,
        s.discoveries,
        s.files.len()
    );
    for file in s.files.iter().take(10) {
        let _ = writeln!(text, "  - {} ({} times)", file.path, file.count);
    }
    text
}
