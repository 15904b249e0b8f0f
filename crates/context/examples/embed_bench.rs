//! Times the embedded model: `embed_bench TREE`. Cuts the files of a tree into texts of 1 KB and says how many of them one
//! core turns into vectors in a second, for `bench/retrieval/README.md`.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

use std::time::Instant;

use proofstone_context::embed::Model;

/// Bytes of a text, and texts in all.
const SIZE: usize = 1_000;
const TEXTS: usize = 40_000;

fn main() {
    let Some(root) = std::env::args().nth(1) else {
        println!("usage: embed_bench TREE");
        return;
    };
    let walk = ignore::Walk::new(root).flatten();
    let files = walk.filter_map(|entry| std::fs::read_to_string(entry.path()).ok());
    let mut texts: Vec<String> = Vec::with_capacity(TEXTS);
    for file in files {
        let chars: Vec<char> = file.chars().collect();
        texts.extend(chars.chunks_exact(SIZE).map(|piece| piece.iter().collect::<String>()));
        if texts.len() >= TEXTS {
            break;
        }
    }
    let started = Instant::now();
    let model = Model::embedded().unwrap();
    println!("loaded in {:.3} ms", started.elapsed().as_secs_f64() * 1e3);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let started = processor_seconds();
        let made = model.code_texts(texts.iter().map(String::as_str)).len();
        assert!(made > 0, "no text has a vector");
        best = best.min(processor_seconds() - started);
    }
    println!("{} texts of 1 KB: {:.0} a processor second", texts.len(), texts.len() as f64 / best);
}

/// Time this thread had a processor, which other work on the machine does not change.
fn processor_seconds() -> f64 {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    spent.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
