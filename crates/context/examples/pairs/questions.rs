//! Questions whose answers are known, made of packages: what a doc comment says is asked of a copy of the package without
//! that comment.
//!
//! `OUT/<registry>-<package>/` holds the copy, `OUT/repos.json` names the copies, and each line of `OUT/questions.tsv`
//! is a question: `project, file, start, end, symbol, question, category`. Where the whole file is the answer, the lines are 0.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use proofstone_context::language::Language as L;
use proofstone_context::search::PathKind;
use proofstone_context::syntax::DefinitionKind;
use serde_json::json;

use crate::comments::{above, as_prose, docstring, lines_above};
use crate::package::{Package, Source, hash, head, without_names};

/// Questions of one category from one package.
const OF_A_CATEGORY: usize = 25;
/// One question of so many has the name in it of what is asked for.
const NAMED: u64 = 4;
/// Lines of a function that is asked for.
const LINES: std::ops::RangeInclusive<usize> = 6..=120;

/// One question.
struct Question {
    file: String,
    lines: (usize, usize),
    symbol: String,
    asked: String,
    category: &'static str,
}

/// Writes questions and copies of all packages.
pub(crate) fn write(packages: &[(String, PathBuf)], out: &Path) {
    std::fs::create_dir_all(out).unwrap();
    let (mut rows, mut repos) =
        ("project\tfile\tstart\tend\tsymbol\tquestion\tcategory\n".to_owned(), Vec::new());
    for (registry, folder) in packages {
        let name = format!("{registry}-{}", folder.file_name().unwrap().to_string_lossy());
        let package = Package::read(folder);
        let Some(language) = main_language(&package) else { continue };
        let questions = of_package(&package, &out.join(&name));
        for q in thinned(questions) {
            let (start, end) = q.lines;
            writeln!(
                rows,
                "{name}\t{}\t{start}\t{end}\t{}\t{}\t{}",
                q.file, q.symbol, q.asked, q.category
            )
            .unwrap();
        }
        repos.push(json!({ "name": name, "language": language.name(), "root": "." }));
    }
    std::fs::write(out.join("questions.tsv"), rows).unwrap();
    std::fs::write(out.join("repos.json"), json!(repos).to_string()).unwrap();
}

/// The language that most of the sources are in.
fn main_language(package: &Package) -> Option<L> {
    let code = || package.sources.iter().map(|s| s.language).filter(|l| *l != L::Markdown);
    code().max_by_key(|language| code().filter(|other| other == language).count())
}

fn of_package(package: &Package, copy: &Path) -> Vec<Question> {
    let mut questions = Vec::new();
    named(package, &mut questions);
    for source in &package.sources {
        let mut removed = HashSet::new();
        if source.kind == PathKind::Source && source.language != L::Markdown {
            removed = asked_of(source, &mut questions);
        }
        let place = copy.join(&source.path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let lines = source.text.split_inclusive('\n').enumerate();
        let kept: String = lines.filter(|(n, _)| !removed.contains(n)).map(|(_, l)| l).collect();
        std::fs::write(place, kept).unwrap();
    }
    questions
}

/// Questions that a file's own comments ask, and the lines that are taken out for it.
fn asked_of(source: &Source, questions: &mut Vec<Question>) -> HashSet<usize> {
    let lines = source.lines();
    let mut removed: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    let said = head(source).and_then(|(text, place)| Some((as_prose(&text, false)?, place)));
    if let Some((asked, place)) = said {
        removed.extend(place);
        found.push((0, 0, String::new(), asked, "file"));
    }
    for d in &source.analysis.definitions {
        let (start, end) = (d.start_line as usize - 1, (d.end_line as usize).min(lines.len()));
        let is_function = matches!(d.kind, DefinitionKind::Function | DefinitionKind::Method);
        if !is_function || start >= end || !LINES.contains(&(end - start)) {
            continue;
        }
        if !hash(&format!("{}{}", source.path, d.name)).is_multiple_of(3) {
            continue;
        }
        let doc = match source.language {
            L::Python => docstring(&lines[start + 1..end])
                .map(|(text, place)| (text, place.start + start + 1..place.end + start + 1)),
            _ => above(source.language, &lines, start).zip(lines_above(
                source.language,
                &lines,
                start,
            )),
        };
        let Some((text, place)) = doc else { continue };
        let Some(asked) = as_prose(&text, false) else { continue };
        if !removed.is_disjoint(&place.clone().collect()) {
            continue;
        }
        removed.extend(place);
        found.push((start, end, d.name.clone(), asked, "doc"));
    }
    let before = |line: usize| removed.iter().filter(|gone| **gone < line).count();
    for (start, end, symbol, asked, category) in found {
        let (lines, name) = match category {
            "file" => ((0, 0), largest(source)),
            _ => ((start + 1 - before(start), end - before(end)), Some(symbol.as_str())),
        };
        let asked = without_names(&asked);
        let asked = match name.filter(|_| hash(&asked).is_multiple_of(NAMED)) {
            Some(name) => format!("{name} {asked}"),
            None => asked,
        };
        questions.push(Question { file: source.path.clone(), lines, symbol, asked, category });
    }
    removed
}

/// The name of the largest thing that a file defines.
fn largest(source: &Source) -> Option<&str> {
    let main = source.analysis.definitions.iter().filter(|d| d.kind.is_main());
    main.max_by_key(|d| d.end_line - d.start_line).map(|d| d.name.as_str())
}

/// Names that only one definition has.
fn named(package: &Package, questions: &mut Vec<Question>) {
    for (name, place) in package.unique_definitions() {
        let Some((file, _)) = place.filter(|_| name.len() > 5) else { continue };
        questions.push(Question {
            file: package.sources[file].path.clone(),
            lines: (0, 0),
            symbol: name.to_owned(),
            asked: name.to_owned(),
            category: "symbol",
        });
    }
}

/// Not too many of a category, each asked once; which ones is decided by their words alone.
fn thinned(mut questions: Vec<Question>) -> Vec<Question> {
    questions.retain(|q| {
        let words = q.asked.split_whitespace().count();
        let is_long = (3..=30).contains(&words) || q.category == "symbol";
        is_long && !q.asked.contains('\t') && !q.file.contains('\t')
    });
    questions.sort_by_cached_key(|q| hash(&q.asked));
    let mut asked = HashSet::new();
    questions.retain(|q| asked.insert(q.asked.clone()));
    let mut kept: Vec<Question> = Vec::new();
    for q in questions {
        if kept.iter().filter(|k| k.category == q.category).count() < OF_A_CATEGORY {
            kept.push(q);
        }
    }
    kept
}
