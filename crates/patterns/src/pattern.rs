//! One pattern: what its file says, in words of ours. Reading it from text is [`crate::reading`]'s work.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diagnostic::Spot;
use crate::markdown::{Fence, Role, Section};
use crate::scope::Scope;

/// How much a reader should know already.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    /// Nothing special.
    Beginner,
    /// The language and its ecosystem.
    Intermediate,
    /// How things work underneath.
    Advanced,
}

impl Difficulty {
    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "beginner" | "easy" | "basic" => Some(Self::Beginner),
            "intermediate" | "medium" => Some(Self::Intermediate),
            "advanced" | "expert" | "hard" => Some(Self::Advanced),
            _ => None,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Beginner => "beginner",
            Self::Intermediate => "intermediate",
            Self::Advanced => "advanced",
        }
    }
}

/// Where a pattern comes from. A nearer layer's pattern takes the place of a farther one's with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// The project's own `.patterns/`.
    Project,
    /// The user's folder.
    User,
    /// What the program brings along.
    BuiltIn,
}

impl Layer {
    /// The layer's name in answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::BuiltIn => "built-in",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A rule as its file states it; [`crate::rules`] compiles and tests it.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleSource {
    /// Its id, unique in the library.
    pub id: String,
    /// `error`, `warning`, `info` or `hint`.
    pub severity: Severity,
    /// What is wrong with code that it matches.
    pub message: String,
    /// The ast-grep configuration: language (one or several), rule, constraints, fix and so on.
    pub config: Map<String, Value>,
    /// The line in its file.
    pub line: usize,
}

/// How bad it is that a rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A bug.
    Error,
    /// Probably a bug.
    Warning,
    /// Worth a look.
    Info,
    /// A matter of taste.
    Hint,
}

impl Severity {
    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "error" | "high" => Some(Self::Error),
            "warning" | "warn" | "medium" => Some(Self::Warning),
            "info" | "low" => Some(Self::Info),
            "hint" => Some(Self::Hint),
            _ => None,
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Hint => "hint",
        }
    }
}

/// One pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// Its id, unique in the library.
    pub id: String,
    /// Its title.
    pub title: String,
    /// One or two sentences.
    pub summary: String,
    /// What it is about.
    pub category: String,
    /// How much a reader should know.
    pub difficulty: Difficulty,
    /// The languages it is written for.
    pub languages: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Phrases to find it by, not shown.
    pub aliases: Vec<String>,
    /// When it fits.
    pub use_when: Vec<String>,
    /// When it does not.
    pub avoid_when: Vec<String>,
    /// Ids of related patterns.
    pub related: Vec<String>,
    /// Where it applies.
    pub scope: Scope,
    /// The rule in a sentence, where the file states one.
    pub rule: Option<String>,
    /// Rules that run.
    pub rules: Vec<RuleSource>,
    /// Who wrote it, under which licence, from where.
    pub credit: Credit,
    /// `draft`, `reviewed` or `deprecated`.
    pub status: Option<String>,
    /// The pattern that took its place.
    pub replaced_by: Option<String>,
    /// The body's sections.
    pub sections: Vec<Section>,
    /// The body's code.
    pub fences: Vec<Fence>,
    /// Where it was loaded from.
    pub origin: Origin,
    /// Why its text needs care, if it does.
    pub flags: Vec<String>,
    /// The front matter as written, for telling places in it.
    pub front: String,
}

/// Who wrote a pattern, under which licence and from where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credit {
    /// The author.
    pub author: Option<String>,
    /// The licence.
    pub license: Option<String>,
    /// Where it was published.
    pub source: Option<String>,
    /// The file's own version.
    pub version: Option<String>,
}

/// Where a pattern was loaded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The file, relative to the layer's folder.
    pub file: String,
    /// The layer whose pattern of the same id it hides.
    pub overrides: Option<Layer>,
}

impl Pattern {
    /// The first section with a role.
    pub fn section(&self, role: Role) -> Option<&Section> {
        self.sections.iter().find(|section| section.role == role)
    }

    /// The code that shows how it is done: the first good example, or else any code that is not an anti-pattern.
    pub fn example(&self) -> Option<&Fence> {
        let good = self.fences.iter().find(|fence| fence.role == Role::GoodExample);
        good.or_else(|| self.fences.iter().find(|fence| fence.role != Role::AntiPattern))
    }

    /// Where a word stands in the front matter, at or after a line of the file.
    pub fn place_in_front(&self, word: &str, from: usize) -> Option<Spot> {
        let lines = self.front.lines().enumerate().skip(from.saturating_sub(2));
        lines.into_iter().find_map(|(number, line)| {
            let at = line.find(word)?;
            Some(Spot { line: number + 2, column: line[..at].chars().count() + 1 })
        })
    }

    /// The code of one role.
    pub fn code(&self, role: Role) -> impl Iterator<Item = &Fence> {
        self.fences.iter().filter(move |fence| fence.role == role)
    }
}
