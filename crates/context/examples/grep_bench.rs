//! Times the library call behind `grep_codebase`: `grep_bench ROOT PATTERN [case]`. Prints the matches and the
//! shortest of five runs in milliseconds, for `bench/grep/run.sh` to set beside `rg`.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program for developers")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use proofstone_context::grep::{Request, grep};
use proofstone_jail::{Policy, Root};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, pattern, rest @ ..] = arguments.as_slice() else {
        println!("usage: grep_bench ROOT PATTERN [case]");
        return;
    };
    let root = Root::open(Path::new(root), Policy::project()).unwrap();
    let case_sensitive = rest.iter().any(|a| a == "case");
    let request =
        Request { pattern: pattern.clone(), file_pattern: None, case_sensitive, limit: 50 };
    let mut best = Duration::MAX;
    let mut total = 0;
    for _ in 0..5 {
        let started = Instant::now();
        total = grep(&root, &request, &AtomicBool::new(false), None).unwrap().total;
        best = best.min(started.elapsed());
    }
    println!("{total} {:.1}", best.as_secs_f64() * 1e3);
}
