//! The projects and the questions asked about them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use proofstone_context::index::{Index, View};
use proofstone_context::search::{Likeness, Question};
use proofstone_jail::{Policy, Root};
use serde::Deserialize;

#[derive(Deserialize)]
struct Repo {
    name: String,
    language: String,
    root: String,
}

#[derive(Deserialize)]
struct Annotation {
    query: String,
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
    category: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Target {
    Path(String),
    Lines { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

impl Target {
    fn path(&self) -> &str {
        match self {
            Self::Path(path) | Self::Lines { path, .. } => path,
        }
    }

    fn lines(&self) -> Option<(u32, u32)> {
        match self {
            Self::Lines { start_line: Some(start), end_line: Some(end), .. } => {
                Some((*start, *end))
            }
            _ => None,
        }
    }
}

/// A question and the files that answer it.
pub(crate) struct Asked {
    pub(crate) project: usize,
    pub(crate) category: String,
    pub(crate) text: String,
    pub(crate) question: Question,
    /// How alike everything is to it by another model, where that is to be measured.
    pub(crate) likeness: Option<Likeness>,
    pub(crate) wanted: HashSet<String>,
    pub(crate) spans: Vec<(String, u32, u32)>,
}

/// An indexed project.
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) language: String,
    pub(crate) folder: PathBuf,
    pub(crate) view: Arc<View>,
}

/// Indexes the projects and reads the questions, from a table if there is one; those whose files are not there are left out.
pub(crate) fn load(
    questions: &Path,
    corpus: &Path,
    table: Option<&Path>,
) -> (Vec<Project>, Vec<Asked>) {
    let repos: Vec<Repo> = read_json(&questions.join("repos.json"));
    let (mut projects, mut asked) = (Vec::new(), Vec::new());
    let (mut files, mut chunks, mut seconds) = (0, 0, 0.0);
    for repo in repos {
        let folder = corpus.join(&repo.name).join(&repo.root);
        let Ok(root) = Root::open(&folder, Policy::project()) else {
            println!("{}: not found at {}", repo.name, folder.display());
            continue;
        };
        let cache = tempfile::tempdir().unwrap();
        let started = Instant::now();
        let index = Index::open(cache.path(), root.path()).unwrap();
        let ready = index.refresh(&root, &AtomicBool::new(false), &|_| {}).unwrap();
        seconds += started.elapsed().as_secs_f64();
        files += ready.searchable;
        let view = index.view();
        chunks += view.chunk_count();
        let file = questions.join(format!("{}.json", repo.name));
        let annotations: Vec<Annotation> =
            if table.is_none() { read_json(&file) } else { Vec::new() };
        let questions =
            annotations.iter().filter_map(|a| question(a, &repo, projects.len(), &view));
        asked.extend(questions);
        projects.push(Project { name: repo.name, language: repo.language, folder, view });
    }
    if let Some(table) = table {
        asked = crate::table::load(table, &projects);
    }
    println!(
        "{} projects, {files} files ({chunks} chunks) indexed in {seconds:.3} s, {} questions",
        projects.len(),
        asked.len()
    );
    (projects, asked)
}

fn question(annotation: &Annotation, repo: &Repo, project: usize, view: &View) -> Option<Asked> {
    let inside = |target: &Target| {
        let path = match repo.root.as_str() {
            "." => target.path(),
            root => target.path().strip_prefix(root)?.strip_prefix('/')?,
        };
        view.file_number(path).map(|_| (path.to_owned(), target.lines()))
    };
    let targets = annotation.relevant.iter().chain(&annotation.secondary);
    let targets: Vec<_> = targets.filter_map(inside).collect();
    let spans = targets.iter().filter_map(|(p, l)| l.map(|(a, b)| (p.clone(), a, b))).collect();
    let wanted: HashSet<String> = targets.into_iter().map(|(path, _)| path).collect();
    (!wanted.is_empty()).then(|| Asked {
        project,
        category: annotation.category.clone(),
        text: annotation.query.clone(),
        question: Question::parse(&annotation.query),
        likeness: None,
        wanted,
        spans,
    })
}

fn read_json<T: serde::de::DeserializeOwned>(path: &PathBuf) -> T {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
