//! Questions that one function answers: `project, file, start, end, symbol, question` and, where there are several, their
//! category, in columns apart by tabs. Where the whole file answers, the lines are 0.

use std::collections::HashSet;
use std::path::Path;

use proofstone_context::search::Question;

use crate::corpus::{Asked, Project};

/// The questions of `file` about the projects that are there. One whose function no longer begins on its line, as in
/// another version of the project, is left out and named.
pub(crate) fn load(file: &Path, projects: &[Project]) -> Vec<Asked> {
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter_map(|row| {
        let asked = asked(&row, projects);
        if asked.is_none() {
            println!("left out: {}", row.join(" "));
        }
        asked
    })
    .collect()
}

fn asked(row: &[&str], projects: &[Project]) -> Option<Asked> {
    let (&[name, path, start, end, symbol, question], category) = match row {
        [rest @ .., category] if row.len() == 7 => (rest.first_chunk::<6>()?, *category),
        _ => (row.first_chunk::<6>()?, "span"),
    };
    let project = projects.iter().position(|project| project.name == name)?;
    let (start, end): (u32, u32) = (start.parse().ok()?, end.parse().ok()?);
    let mut asked = Asked {
        project,
        category: category.to_owned(),
        text: question.to_owned(),
        question: Question::parse(question),
        likeness: None,
        wanted: HashSet::from([path.to_owned()]),
        spans: Vec::new(),
    };
    if start > 0 {
        let bytes = std::fs::read(projects[project].folder.join(path)).ok()?;
        let first = String::from_utf8_lossy(&bytes).lines().nth(start as usize - 1)?.to_owned();
        asked.spans.push((path.to_owned(), start, end));
        return first.contains(symbol).then_some(asked);
    }
    Some(asked)
}
