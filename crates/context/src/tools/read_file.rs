//! `read_file`: a file's content, with the files it imports when asked for.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use proofstone_jail::LineRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{failures::path_refused, shown};
use crate::language::Language;
use crate::module::{self, Role};
use crate::project::Project;
use crate::reading::{self, Dependencies, Dependency, Reading, Readings};
use crate::tracker::Event;

/// Which file, and what of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Input {
    /// File path relative to project root
    #[schemars(length(min = 1))]
    path: String,
    /// Include level 1 dependencies (imports)
    #[serde(default)]
    include_deps: bool,
    /// Dependency tree depth (MVP: max 1)
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 1))]
    max_depth: u32,
    /// First line to return, 1-based; with endLine, files of any size can be read in parts
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    /// Last line to return
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    /// The etag of an earlier read: if the file is unchanged its content is not repeated, otherwise the difference
    /// is returned in its place where it is shorter
    if_none_match: Option<String>,
}

fn one() -> u32 {
    1
}

/// The file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The file itself
    file: ShownFile,
    /// Files it imports
    dependencies: Vec<ShownDependency>,
    /// What is known about it
    metadata: Metadata,
    /// With includeDeps: packages from outside the project it imports; they are not read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external: Vec<String>,
    /// With includeDeps: imports that look like the project's own but lead nowhere
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<String>,
    /// What a reader should know about this answer
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A file's content.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownFile {
    /// Path relative to the project root
    path: String,
    /// Its content, or the lines asked for; left out when unchanged or when the difference says it
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Size of the whole file in bytes
    size: u64,
    /// Lines in content
    lines: u64,
    /// Its language
    language: &'static str,
    /// Names this content; pass it as ifNoneMatch when reading again
    #[serde(skip_serializing_if = "Option::is_none")]
    etag: Option<String>,
    /// True when the file is the one named by ifNoneMatch
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    /// The difference since the read named by ifNoneMatch, as a unified diff
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// For a part: its first line
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    /// For a part: its last line
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// For a part: whether the file goes on after it
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<bool>,
}

/// An imported file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShownDependency {
    /// Path relative to the project root
    path: String,
    /// import
    r#type: &'static str,
    /// How it is imported: import, export, require, dynamic, include or module
    how: &'static str,
    /// How far from the file: 1
    level: u32,
    /// Its language
    language: &'static str,
    /// Its content
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Why its content is not here
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

/// What is known about a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    /// The module it belongs to
    module: String,
    /// entry, config, core or test
    role: &'static str,
    /// When it was last written
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<String>,
}

/// The tool.
pub(super) struct ReadFile {
    project: Arc<Project>,
    readings: Arc<Readings>,
}

impl ReadFile {
    pub(super) fn new(project: Arc<Project>) -> Self {
        Self { project, readings: Arc::default() }
    }
}

impl Tool for ReadFile {
    const NAME: &'static str = "read_file";
    const TITLE: &'static str = "Read a file";
    const DESCRIPTION: &'static str = "Read file content with optional dependency tree. Tracks access for context scoring. \
        Larger files than 1 MB are read in parts with startLine and endLine; ifNoneMatch returns only what changed since an earlier read.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = Limits::DEFAULT.deadline(Duration::from_secs(10)).per_minute(100);

    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let (project, readings) = (Arc::clone(&self.project), Arc::clone(&self.readings));
        let output = cx.blocking(move |_| answer(&project, &readings, &input)).await??;
        let (path, bytes) = (output.file.path.clone(), output.file.size);
        self.project.track(Event::Read { module: module::of(&path), path, bytes });
        Ok(output.into())
    }
}

fn answer(project: &Project, readings: &Readings, input: &Input) -> Result<Output, Failure> {
    let range = line_range(input)?;
    let reading =
        reading::read(project.root(), &input.path, range).map_err(|error| path_refused(&error))?;
    let wants_dependencies = input.include_deps && input.max_depth > 0;
    let dependencies = if wants_dependencies {
        imported(project, &reading, input)?
    } else {
        Dependencies::default()
    };
    let mut notes = reading.notes.clone();
    notes.extend(dependencies.fault.map(|fault| {
        format!(
            "the file does not parse at line {}; its imports were read all the same",
            fault.line
        )
    }));
    Ok(Output {
        metadata: Metadata {
            module: module::of(&reading.path),
            role: Role::of(&reading.path).name(),
            last_modified: reading.modified.and_then(shown::time),
        },
        file: shown_file(reading, readings, input, range),
        dependencies: dependencies.files.into_iter().map(ShownDependency::from).collect(),
        external: dependencies.external,
        unresolved: dependencies.unresolved,
        notes,
    })
}

fn line_range(input: &Input) -> Result<Option<LineRange>, Failure> {
    let (start, end) = match (input.start_line, input.end_line) {
        (None, None) => return Ok(None),
        (start, end) => (start.unwrap_or(1), end.unwrap_or(u64::MAX - 1)),
    };
    if end < start {
        return Err(Failure::invalid(
            "/endLine",
            format!("`endLine` ({end}) must not be smaller than `startLine` ({start})"),
        ));
    }
    Ok(Some(LineRange { start, end }))
}

/// The contract's parse error is for a file whose imports can't be told.
fn imported(project: &Project, reading: &Reading, input: &Input) -> Result<Dependencies, Failure> {
    let found = reading::dependencies(project.root(), reading, true);
    match found.fault {
        Some(fault) if fault.touches_imports => {
            Err(Failure::refused("PARSE_ERROR", "Failed to parse imports")
                .detail("path", input.path.clone())
                .detail("details", format!("Syntax error at line {}", fault.line))
                .hint("Read it without includeDeps"))
        }
        _ => Ok(found),
    }
}

fn shown_file(
    reading: Reading,
    readings: &Readings,
    input: &Input,
    range: Option<LineRange>,
) -> ShownFile {
    let given = input.if_none_match.as_deref().map(|tag| tag.trim_matches('"'));
    let unchanged = given.is_some() && given == reading.tag.as_deref();
    let whole = range.is_none();
    let diff = given
        .filter(|_| whole && !unchanged)
        .and_then(|tag| readings.difference(tag, &reading.path, &reading.text))
        .filter(|diff| diff.len() < reading.text.len());
    if let Some(tag) = reading.tag.as_deref().filter(|_| whole) {
        readings.keep(tag, &reading.text);
    }
    let content = (!unchanged && diff.is_none()).then_some(reading.text);
    let last = (reading.start_line + reading.lines).saturating_sub(1);
    ShownFile {
        language: reading.language.map_or("text", Language::name),
        path: reading.path,
        content,
        size: reading.size,
        lines: reading.lines,
        etag: reading.tag,
        unchanged,
        diff,
        start_line: (!whole).then_some(reading.start_line),
        end_line: (!whole).then_some(last),
        more: (!whole).then_some(!reading.reaches_end),
    }
}

impl From<Dependency> for ShownDependency {
    fn from(d: Dependency) -> Self {
        let language = crate::language::name_of(&d.path);
        Self {
            path: d.path,
            r#type: "import",
            how: d.kind,
            level: 1,
            language,
            content: d.text,
            left_out: d.left_out,
        }
    }
}
