//! The index stays true: updated step by step it answers as one built afresh, and killing the writer at any
//! moment loses nothing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proofstone_context::index::Index;
use proofstone_context::search::{Filter, Looked, Question, Vectors, Weights, search};
use proofstone_jail::{Policy, Root};
use proptest::prelude::*;

const WORDS: &[&str] =
    &["token", "router", "session", "parseHeader", "config", "user_name", "flush", "Error"];
const PATHS: &[&str] = &[
    "src/a.rs",
    "src/b.py",
    "lib/c.ts",
    "lib/deep/d.go",
    "docs/e.md",
    "f.txt",
    "src/g.h",
    "src/g.hpp",
];

/// One thing done to a project.
#[derive(Debug, Clone)]
enum Step {
    Write(usize, Vec<usize>),
    Delete(usize),
    Rename(usize, usize),
    /// Puts the files of an earlier state back, as a branch switch does.
    Switch(usize),
    Touch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (path.clone(), prop::collection::vec(0..WORDS.len(), 0..12)).prop_map(|(p, w)| Step::Write(p, w)),
        1 => path.clone().prop_map(Step::Delete),
        1 => (path.clone(), path.clone()).prop_map(|(a, b)| Step::Rename(a, b)),
        1 => (0..8_usize).prop_map(Step::Switch),
        1 => path.prop_map(Step::Touch),
    ]
}

fn text(words: &[usize]) -> String {
    let lines = words
        .iter()
        .map(|w| format!("fn {}() {{ {} }}\n", WORDS[*w], WORDS[(*w + 3) % WORDS.len()]));
    lines.collect::<Vec<_>>().concat()
}

type State = Vec<Option<Vec<u8>>>;

fn state(folder: &Path) -> State {
    PATHS.iter().map(|path| std::fs::read(folder.join(path)).ok()).collect()
}

fn put(folder: &Path, state: &State) {
    for (path, bytes) in PATHS.iter().zip(state) {
        let path = folder.join(path);
        match bytes {
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None => drop(std::fs::remove_file(path)),
        }
    }
}

fn apply(folder: &Path, step: &Step, past: &[State]) {
    let at = |n: &usize| folder.join(PATHS[*n]);
    match step {
        Step::Write(path, words) => std::fs::write(at(path), text(words)).unwrap(),
        Step::Delete(path) => drop(std::fs::remove_file(at(path))),
        Step::Rename(from, to) => drop(std::fs::rename(at(from), at(to))),
        Step::Switch(n) => put(folder, &past[n % past.len()]),
        Step::Touch(path) => {
            if let Ok(bytes) = std::fs::read(at(path)) {
                std::fs::write(at(path), bytes).unwrap();
            }
        }
    }
}

/// Every answer to every question, with its scores.
fn answers(index: &Index) -> Vec<String> {
    let view = index.view();
    let questions = WORDS
        .iter()
        .map(|w| (*w).to_owned())
        .chain(["how is the session flushed".to_owned(), "router config error".to_owned()]);
    let mut shown: Vec<String> = view.files().iter().map(|file| file.path.clone()).collect();
    for question in questions {
        let (hits, total) =
            search(&view, &Question::parse(&question), &Filter::default(), &Weights::default(), 20);
        shown.push(format!("{question}: {total}"));
        shown.extend(
            hits.iter().map(|h| format!("{} {:?} {:?} {}", h.path, h.span, h.symbol, h.score)),
        );
    }
    shown
}

fn refreshed(cache: &Path, root: &Root) -> Index {
    let index = Index::open(cache, root.path()).unwrap();
    index.refresh(root, &AtomicBool::new(false), &|_| {}).unwrap();
    index
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, max_shrink_iters: 60, ..ProptestConfig::default() })]
    #[test]
    fn updated_in_steps_answers_as_built_afresh(steps in prop::collection::vec(step(), 1..14), reopen in any::<u16>()) {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for dir in ["src", "lib/deep", "docs"] {
            std::fs::create_dir_all(folder.path().join(dir)).unwrap();
        }
        let root = Root::open(folder.path(), Policy::project()).unwrap();
        let mut index = refreshed(cache.path(), &root);
        let mut past = vec![state(folder.path())];
        for (n, step) in steps.iter().enumerate() {
            apply(folder.path(), step, &past);
            past.push(state(folder.path()));
            if reopen & (1 << n) != 0 {
                // As another process would find it.
                drop(index);
                index = Index::open(cache.path(), root.path()).unwrap();
            }
            index.refresh(&root, &AtomicBool::new(false), &|_| {}).unwrap();
            let afresh = tempfile::tempdir().unwrap();
            prop_assert_eq!(answers(&index), answers(&refreshed(afresh.path(), &root)), "after step {} {:?}", n, step);
        }
    }
}

#[test]
fn a_lost_or_damaged_file_of_the_cache_is_no_loss() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("a.rs"), "fn token() {}\n").unwrap();
    let root = Root::open(folder.path(), Policy::project()).unwrap();
    let index = refreshed(cache.path(), &root);
    let expected = answers(&index);
    let kept = std::fs::read_dir(index.folder()).unwrap().flatten();
    for file in kept.map(|entry| entry.path()).filter(|path| path.is_file()) {
        let whole = std::fs::read(&file).unwrap();
        for damage in [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0xA5; whole.len()]] {
            std::fs::write(&file, damage).unwrap();
            assert_eq!(answers(&refreshed(cache.path(), &root)), expected, "{}", file.display());
        }
    }
}

#[test]
fn worktrees_share_one_store() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (main, tree) = (folder.path().join("main"), folder.path().join("tree"));
    std::fs::create_dir_all(main.join(".git/worktrees/tree")).unwrap();
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(
        tree.join(".git"),
        format!("gitdir: {}\n", main.join(".git/worktrees/tree").display()),
    )
    .unwrap();
    for place in [&main, &tree] {
        std::fs::write(place.join("a.rs"), "fn token() {}\n").unwrap();
    }
    let open = |path: &Path| Root::open(path, Policy::project()).unwrap();
    let first = refreshed(cache.path(), &open(&main));
    let segments = || {
        let files = std::fs::read_dir(first.folder()).unwrap().flatten();
        files.filter(|entry| entry.path().extension().is_some_and(|e| e == "segment")).count()
    };
    let before = segments();
    let second = refreshed(cache.path(), &open(&tree));
    assert_eq!(first.folder(), second.folder());
    assert_eq!((before, segments()), (1, 1), "the second checkout had nothing to add");
    assert_eq!(answers(&first), answers(&second));
}

/// Run by the test below in a process of its own: indexes the folder named in the environment until it is killed.
#[test]
fn index_until_killed() {
    let (Ok(folder), Ok(cache)) = (std::env::var("INDEX_FOLDER"), std::env::var("INDEX_CACHE"))
    else {
        return;
    };
    let root = Root::open(Path::new(&folder), Policy::project()).unwrap();
    refreshed(Path::new(&cache), &root);
}

#[test]
fn killed_a_hundred_times_nothing_is_lost() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for n in 0..300 {
        let words: Vec<usize> = (0..40).map(|w| (n * 7 + w * w) % WORDS.len()).collect();
        std::fs::write(
            folder.path().join(format!("f{n}.rs")),
            format!("// file {n}\n{}", text(&words)),
        )
        .unwrap();
    }
    let mut killed = 0;
    for n in 0..100_u64 {
        // A new content each time, so that there is always something to write.
        std::fs::write(folder.path().join("changing.rs"), format!("fn change{n}() {{}}\n"))
            .unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["index_until_killed", "--exact", "--quiet"])
            .env("INDEX_FOLDER", folder.path())
            .env("INDEX_CACHE", cache.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(500 + n * n * 13 % 60_000));
        killed += u32::from(child.try_wait().unwrap().is_none());
        // SIGKILL on Unix.
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(killed > 20, "only {killed} of 100 were killed while they ran");
    let root = Root::open(folder.path(), Policy::project()).unwrap();
    let afresh = tempfile::tempdir().unwrap();
    assert_eq!(answers(&refreshed(cache.path(), &root)), answers(&refreshed(afresh.path(), &root)));
    let left = std::fs::read_dir(refreshed(cache.path(), &root).folder()).unwrap().flatten();
    let partial =
        left.filter(|entry| entry.path().extension().is_some_and(|e| e == "partial")).count();
    assert_eq!(partial, 0, "what killed writers left is swept up");
}

/// A search reads names only of chunks that may be among the best; reading those of all must give the same answer.
#[test]
fn a_search_finds_what_looking_at_everything_finds() {
    let root =
        Root::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), Policy::project());
    let (root, cache) = (root.unwrap(), tempfile::tempdir().unwrap());
    let index = Index::open(cache.path(), root.path()).unwrap();
    index.refresh(&root, &AtomicBool::new(false), &|_| {}).unwrap();
    let (view, filter) = (index.view(), Filter::default());
    let questions = [
        "how is a segment written",
        "read names of a chunk",
        "names_on",
        "words of a question that say nothing",
        "copy copy of the view view",
        "which files changed since the last refresh",
        "a",
        "",
    ];
    for weights in [Weights::default(), Weights::without_vectors(), Weights::vectors_only()] {
        let vectors =
            if weights == Weights::without_vectors() { Vectors::None } else { Vectors::Own };
        for (question, limit) in questions.iter().flat_map(|q| [(q, 1), (q, 10), (q, 60)]) {
            let question = Question::parse(question);
            let (found, total) = search(&view, &question, &filter, &weights, limit);
            let looked = Looked::at(&view, &question, &filter, weights.bm25, vectors);
            let found: Vec<_> = found.iter().map(|hit| (hit.file, hit.span)).collect();
            assert_eq!(found, looked.places(&weights, limit), "{question:?}");
            assert_eq!(total, looked.total);
        }
    }
}
