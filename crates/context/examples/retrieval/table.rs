//! Questions in a table, columns apart by tabs: `project`, `file`, `start`, `end`, `symbol`, `question` and, where there are several,
//! their `category` and what `also` answers, apart by `|`. The lines are of the one function that answers, 0 where the whole file does;
//! `symbol` is something that stands on the first of them.

use std::path::Path;

use proofstone_context::search::Question;

use crate::corpus::{Asked, Project};

/// Questions that are left out and named; of the others only how many there are is said.
const NAMED: usize = 5;

/// The questions of `file` about the projects that are there. One whose file or function is no longer where it was, as in
/// another version of the project, is left out.
pub(crate) fn load(file: &Path, projects: &[Project]) -> Vec<Asked> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let place = |name: &str| columns.iter().position(|column| *column == name);
    let (mut questions, mut left_out) = (Vec::new(), Vec::new());
    for line in lines {
        let row: Vec<&str> = line.split('\t').collect();
        match asked(&|name| row.get(place(name)?).copied(), projects) {
            Some(asked) => questions.push(asked),
            None => left_out.push(line),
        }
    }
    if !left_out.is_empty() {
        let some = &left_out[..left_out.len().min(NAMED)];
        println!("{} questions left out, such as\n{}", left_out.len(), some.join("\n"));
    }
    questions
}

fn asked<'r>(column: &dyn Fn(&str) -> Option<&'r str>, projects: &[Project]) -> Option<Asked> {
    let (name, path, question) = (column("project")?, column("file")?, column("question")?);
    let project = projects.iter().position(|project| project.name == name)?;
    let (start, end): (u32, u32) = (column("start")?.parse().ok()?, column("end")?.parse().ok()?);
    let also = column("also").unwrap_or_default().split('|').filter(|path| !path.is_empty());
    let there = |path: &str| projects[project].view.file_number(path).is_some();
    let mut asked = Asked {
        project,
        category: column("category").unwrap_or("span").to_owned(),
        text: question.to_owned(),
        question: Question::parse(question),
        likeness: None,
        wanted: also.chain([path]).filter(|path| there(path)).map(str::to_owned).collect(),
        spans: Vec::new(),
    };
    if start > 0 {
        let bytes = std::fs::read(projects[project].folder.join(path)).ok()?;
        let first = String::from_utf8_lossy(&bytes).lines().nth(start as usize - 1)?.to_owned();
        asked.spans.push((path.to_owned(), start, end));
        return first.contains(column("symbol")?).then_some(asked);
    }
    asked.wanted.contains(path).then_some(asked)
}
