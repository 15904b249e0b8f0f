//! Holds the index's outline of every file beneath a folder against one of its whole syntax tree: `outline_check ROOT`.
//! Prints what differs, and how long each way took.

#![expect(clippy::print_stdout, reason = "a measuring program for developers")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proofstone_context::language::Language;
use proofstone_context::{outside, syntax};

fn main() {
    let Some(root) = std::env::args().nth(1) else {
        println!("usage: outline_check ROOT");
        return;
    };
    let (mut files, mut differing, mut definitions, mut lines) = (0, 0, 0, 0);
    let (mut outline, mut whole) = (Duration::ZERO, Duration::ZERO);
    for path in files_beneath(Path::new(&root)) {
        let name = path.to_string_lossy();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(language) = Language::of(&name).filter(|l| syntax::has_grammar(*l)) else {
            continue;
        };
        let started = Instant::now();
        definitions += syntax::chunks(Some(language), &text).1.len();
        outline += started.elapsed();
        let started = Instant::now();
        syntax::parse(language, &text);
        whole += started.elapsed();
        files += 1;
        let found = outside::outline_differences(&name, &text);
        differing += usize::from(!found.is_empty());
        lines += found.len();
        for line in found {
            println!("{name}: {line}");
        }
    }
    println!("{files} files, {definitions} definitions; {differing} files differ in {lines} lines");
    println!("outline with chunks {outline:.2?}, parsing all of it {whole:.2?}");
}

fn files_beneath(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let each = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files_beneath(&path),
        false => vec![path],
    });
    each.collect()
}
