//! A discovery: something worth knowing about the code, with where it came from and whether it still holds.

use super::anchor::{Anchor, AnchorState};

/// What sort of thing was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DiscoveryKind {
    /// How things are done here.
    Pattern,
    /// What must or must not be.
    Rule,
    /// What was chosen, and why.
    Decision,
    /// What went wrong, and what helped.
    Issue,
}

impl DiscoveryKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Pattern, Self::Rule, Self::Decision, Self::Issue];

    /// Its name in answers and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pattern => "pattern",
            Self::Rule => "rule",
            Self::Decision => "decision",
            Self::Issue => "issue",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where a discovery came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Somebody said so with the tool.
    Told,
    /// A file in the discoveries folder that was written by hand or merged.
    File,
    /// A decision record in the repository.
    DecisionRecord,
    /// A commit's message.
    Commit,
}

impl Source {
    /// Its name in answers and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::File => "file",
            Self::DecisionRecord => "decision-record",
            Self::Commit => "commit",
        }
    }

    /// Reads a name; what is not known was written by hand.
    pub fn parse(name: &str) -> Self {
        [Self::Told, Self::DecisionRecord, Self::Commit]
            .into_iter()
            .find(|source| source.name() == name)
            .unwrap_or(Self::File)
    }
}

/// Whether a discovery still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It counts.
    Active,
    /// Another one took its place.
    Superseded,
    /// It was taken back.
    Withdrawn,
}

impl Status {
    /// Its name in answers and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Active, Self::Superseded, Self::Withdrawn]
            .into_iter()
            .find(|status| status.name() == name)
    }
}

/// Something that was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovery {
    /// Its id.
    pub id: String,
    /// Its file beneath the root.
    pub file: String,
    /// What sort.
    pub kind: DiscoveryKind,
    /// What was learned.
    pub content: String,
    /// The module it is about.
    pub module: Option<String>,
    /// The session it was learned in.
    pub session: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// Who says so.
    pub author: Option<String>,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// Whether it still counts.
    pub status: Status,
    /// What took its place.
    pub superseded_by: Option<String>,
    /// When it was first recorded.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
    /// The code it is about.
    pub anchor: Option<Anchor>,
    /// Whether that code is still as it was.
    pub anchor_state: Option<AnchorState>,
}

/// A discovery to be recorded.
#[derive(Debug, Clone)]
pub struct NewDiscovery {
    /// What sort.
    pub kind: DiscoveryKind,
    /// What was learned, 10 to 1000 characters.
    pub content: String,
    /// The module it is about.
    pub module: Option<String>,
    /// The session it was learned in.
    pub session: Option<String>,
    /// Who says so.
    pub author: Option<String>,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
    /// The code it is about: path and perhaps symbol.
    pub anchor: Option<(String, Option<String>)>,
}

/// What became of a new discovery.
#[derive(Debug, Clone, PartialEq)]
pub enum Recorded {
    /// It is new.
    New(Discovery),
    /// The same thing was known already: that one is returned and nothing was written.
    Known(Discovery),
}

/// What is to change about a discovery. What it said stays readable in the one it supersedes.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// New words: the old discovery is superseded by a new one.
    pub content: Option<String>,
    /// Another kind.
    pub kind: Option<DiscoveryKind>,
    /// Another module.
    pub module: Option<String>,
    /// Take it back.
    pub withdraw: bool,
    /// Look at its code again and take it as it is now.
    pub confirm: bool,
}

/// Which discoveries to list.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this kind.
    pub kind: Option<DiscoveryKind>,
    /// About this module.
    pub module: Option<String>,
    /// With this status; active ones unless said otherwise.
    pub status: Option<Status>,
    /// Whatever the status.
    pub any_status: bool,
}

impl Filter {
    /// Whether a discovery is meant.
    pub fn allows(&self, discovery: &Discovery) -> bool {
        let same_module = |wanted: &String| {
            discovery.module.as_ref().is_some_and(|m| m.eq_ignore_ascii_case(wanted))
        };
        self.kind.is_none_or(|kind| kind == discovery.kind)
            && self.module.as_ref().is_none_or(same_module)
            && (self.any_status || discovery.status == self.status.unwrap_or(Status::Active))
    }
}

/// Words without their case and spacing, to recognise the same thing said twice.
pub(crate) fn normal_form(content: &str) -> String {
    crate::tokens::words(content).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
