//! Why a line or a function has not been reached: the nearest conditions that only ever went one way.

use proofstone_evm::source::{Coverage, FileCoverage, Frontier};
use thiserror::Error;

/// Conditions told at most.
const TOLD: usize = 5;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) hits: u64,
    /// The function it stands in, with how often that was entered.
    pub(crate) function: Option<(String, u64)>,
}

/// There is no such place.
#[derive(Debug, Error)]
pub(crate) enum PlaceUnknown {
    #[error("no covered source file is called `{name}`; there are: {known}")]
    File { name: String, known: String },
    #[error("the name `{name}` fits several files: say one of {known}")]
    Files { name: String, known: String },
    #[error("{file} has no code on line {line}; lines with code near it: {near}")]
    Line { file: String, line: usize, near: String },
    #[error("no function `{name}` in the covered sources; there are: {known}")]
    Function { name: String, known: String },
    #[error("name a `line` (with its `file` if there are several), or a `function`")]
    Nothing,
}

/// Finds a place by line or by function. Of a function that was entered, the first line that was not.
pub(crate) fn locate(
    coverage: &Coverage,
    file: Option<&str>,
    line: Option<usize>,
    function: Option<&str>,
) -> Result<Place, PlaceUnknown> {
    match (line, function) {
        (Some(line), _) => at_line(file_named(coverage, file)?, line),
        (None, Some(name)) => in_function(coverage, file, name),
        (None, None) => Err(PlaceUnknown::Nothing),
    }
}

fn file_named<'a>(
    coverage: &'a Coverage,
    name: Option<&str>,
) -> Result<&'a FileCoverage, PlaceUnknown> {
    let wanted = name.unwrap_or_default();
    let fits = |f: &&FileCoverage| {
        name.is_none_or(|n| {
            f.path == n
                || f.path.ends_with(&format!("/{n}"))
                || n.ends_with(&format!("/{}", f.path))
        })
    };
    let fitting: Vec<_> = coverage.files.iter().filter(fits).collect();
    let list = |files: &[&FileCoverage]| {
        files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>().join(", ")
    };
    match fitting.as_slice() {
        [one] => Ok(one),
        [] => {
            let all: Vec<_> = coverage.files.iter().collect();
            Err(PlaceUnknown::File { name: wanted.to_owned(), known: list(&all) })
        }
        several => Err(PlaceUnknown::Files { name: wanted.to_owned(), known: list(several) }),
    }
}

fn at_line(file: &FileCoverage, line: usize) -> Result<Place, PlaceUnknown> {
    let Some(hits) = file.lines.get(&line) else {
        let mut near: Vec<usize> = file.lines.keys().copied().collect();
        near.sort_by_key(|other| other.abs_diff(line));
        near.truncate(6);
        near.sort_unstable();
        let near = near.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        return Err(PlaceUnknown::Line { file: file.path.clone(), line, near });
    };
    let around = file.functions.iter().rfind(|f| f.line <= line);
    Ok(Place {
        file: file.path.clone(),
        line,
        hits: *hits,
        function: around.map(|f| (f.name.clone(), f.hits)),
    })
}

fn in_function(coverage: &Coverage, file: Option<&str>, name: &str) -> Result<Place, PlaceUnknown> {
    let bare = name.split('(').next().unwrap_or(name);
    let matches = |known: &str| {
        known.eq_ignore_ascii_case(bare)
            || known.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case(bare))
    };
    let files = coverage.files.iter().filter(|f| file.is_none_or(|n| f.path.ends_with(n)));
    for file in files {
        let Some(at) = file.functions.iter().position(|f| matches(&f.name)) else { continue };
        let begin = file.functions[at].line;
        let end = file.functions.get(at + 1).map_or(usize::MAX, |next| next.line);
        let body = || file.lines.range(begin..end.max(begin + 1));
        let line = body().find(|(_, hits)| **hits == 0).or_else(|| body().next());
        return at_line(file, line.map_or(begin, |(line, _)| *line));
    }
    let known = coverage.files.iter().flat_map(|f| &f.functions).map(|f| f.name.as_str());
    let known = known.collect::<Vec<_>>().join(", ");
    Err(PlaceUnknown::Function { name: name.to_owned(), known })
}

/// The conditions that stand before a place, the nearest first: those of its own function, then the others.
pub(crate) fn nearest(
    coverage: &Coverage,
    place: &Place,
    frontiers: Vec<Frontier>,
) -> Vec<Frontier> {
    let file = coverage.files.iter().find(|f| f.path == place.file);
    let begin = file.and_then(|f| f.functions.iter().rfind(|f| f.line <= place.line));
    let begin = begin.map_or(0, |f| f.line);
    let mut ranked: Vec<(bool, usize, Frontier)> = frontiers
        .into_iter()
        .map(|f| {
            let here = f.file == place.file && (begin..=place.line).contains(&f.line);
            let far = if f.file == place.file { f.line.abs_diff(place.line) } else { usize::MAX };
            (!here, far, f)
        })
        .collect();
    ranked.sort_by_key(|(elsewhere, far, _)| (*elsewhere, *far));
    let any_here = ranked.iter().any(|(elsewhere, ..)| !elsewhere);
    let told = ranked.into_iter().filter(|(elsewhere, ..)| !any_here || !elsewhere);
    told.map(|(_, _, frontier)| frontier).take(TOLD).collect()
}
