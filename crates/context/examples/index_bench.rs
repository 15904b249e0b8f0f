//! Times the index of a tree: `index_bench ROOT [ASKED] [QUESTIONS]`. Asks `ASKED` times, the lines of the file
//! `QUESTIONS` in turn where there is one. Prints files, chunks, seconds to build and to refresh, warm query times and
//! the most memory used, for `bench/retrieval/README.md`. With `INDEX_CACHE` the index is kept there and found again.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use proofstone_context::index::Index;
use proofstone_context::search::{Filter, Question, Weights, search};
use proofstone_jail::{Policy, Root};

const QUESTIONS: &str = "how are pages reclaimed
socket receive buffer
copy_from_user
parse the command line
error handling when memory is low";

fn main() {
    let Some(root) = std::env::args().nth(1) else {
        println!("usage: index_bench ROOT [ASKED] [QUESTIONS]");
        return;
    };
    let root = Root::open(Path::new(&root), Policy::project()).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("INDEX_CACHE").map(std::path::PathBuf::from);
    let index = Index::open(kept.as_deref().unwrap_or(cache.path()), root.path()).unwrap();
    let timed = |name: &str| {
        let (started, before) = (Instant::now(), processor_seconds());
        let ready = index.refresh(&root, &AtomicBool::new(false), &|_| {}).unwrap();
        println!(
            "{name}: {} of {} files in {:.3} s, {:.2} processor seconds",
            ready.searchable,
            ready.files,
            started.elapsed().as_secs_f64(),
            processor_seconds() - before
        );
    };
    timed("build");
    memory();
    timed("refresh");
    let view = index.view();
    let bytes: u64 = std::fs::read_dir(index.folder())
        .unwrap()
        .flatten()
        .filter_map(|e| e.metadata().ok())
        .map(|m| m.len())
        .sum();
    println!("{} chunks, {:.0} MB on disk", view.chunk_count(), bytes as f64 / 1e6);
    let written = std::env::args().nth(3).map(|path| std::fs::read_to_string(path).unwrap());
    let questions: Vec<&str> = written.as_deref().unwrap_or(QUESTIONS).lines().collect();
    let asked =
        std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(50).max(questions.len());
    let before = processor_seconds();
    let mut times: Vec<f64> = questions
        .iter()
        .cycle()
        .take(asked)
        .map(|text| {
            let started = Instant::now();
            let _ =
                search(&view, &Question::parse(text), &Filter::default(), &Weights::default(), 10);
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    let each = (processor_seconds() - before) * 1e3 / asked as f64;
    let shortest = (0..questions.len()).map(|n| {
        times.iter().skip(n).step_by(questions.len()).copied().fold(f64::INFINITY, f64::min)
    });
    let quiet = shortest.sum::<f64>() / questions.len() as f64;
    println!("query, the shortest of each, mean: {quiet:.2} ms; {each:.2} processor ms a query");
    times.sort_by(f64::total_cmp);
    println!("query p50 {:.2} ms, p90 {:.2} ms", times[asked / 2], times[asked * 9 / 10]);
    memory();
}

/// Prints the most memory used so far, what is used now, and how much of that is no file's.
fn memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0)
            / 1000
    };
    let (most, now, own) = (field("VmHWM"), field("VmRSS"), field("RssAnon"));
    println!("memory: {most} MB at the most so far, {now} MB now, {own} MB of it not of files");
}

/// What this process has used so far, in steps of a hundredth of a second; 0 where the system does not say.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = status.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2).filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}
