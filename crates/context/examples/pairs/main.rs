//! Cuts packages into pairs of natural text and code to train the embedding on: `pairs DATA OUT`; or makes questions of
//! them to choose the ranker's weights by: `pairs questions DATA OUT`, see `questions.rs`.
//!
//! `DATA/src/<registry>/<package>/` holds sources. Each line of `OUT` is a pair: its kind, language, package, file
//! and definition (by number), then the words of the text and of the code, each cut by the functions that cut questions
//! and chunks at run time, so that training and searching can't come to differ. See `training/README.md`.

#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "a program for developers")]

mod comments;
mod package;
mod questions;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use package::Package;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["questions", data, out] => questions::write(&all(Path::new(data)), Path::new(out)),
        [data, out] => write_pairs(&all(Path::new(data)), Path::new(out)),
        _ => eprintln!("usage: pairs DATA OUT | pairs questions DATA OUT"),
    }
}

fn write_pairs(packages: &[(String, PathBuf)], out: &Path) {
    let out = Mutex::new(BufWriter::new(File::create(out).unwrap()));
    let (next, written) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((registry, folder)) = packages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = folder.file_name().unwrap().to_string_lossy().replace("__", "/");
            let pairs = Package::read(folder).pairs();
            written.fetch_add(pairs.len(), Ordering::Relaxed);
            let mut out = out.lock().unwrap();
            for pair in pairs {
                writeln!(out, "{registry}/{name}\t{pair}").unwrap();
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().unwrap();
        }
    });
    eprintln!("{} pairs of {} packages", written.into_inner(), packages.len());
}

/// Every package of `DATA/src/<registry>`.
fn all(data: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for registry in std::fs::read_dir(data.join("src")).unwrap().flatten() {
        let name = registry.file_name().to_string_lossy().into_owned();
        let folders = std::fs::read_dir(registry.path()).unwrap().flatten();
        found.extend(folders.map(|folder| (name.clone(), folder.path())));
    }
    found.sort();
    found
}
