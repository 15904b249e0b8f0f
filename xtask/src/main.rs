//! What developers run: `cargo xtask COMMAND`.

mod dist;

use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask COMMAND

  goldens      write contracts/*.json anew from the tools' definitions
  docs         make the documentation's calls and write docs/tools/*.md anew
  conformance  run the official conformance suite against our server
  interop      run the real clients against our server
  bench NAME   run bench/NAME/run
  dist         build the release bundle into target/bundle/
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["goldens"] => run(Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--package", "proofstone", "--test", "goldens"])
            .env("UPDATE_GOLDENS", "1")),
        ["docs"] => run(Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--package", "proofstone", "--test", "docs"])
            .env("UPDATE_DOCS", "1")),
        ["conformance"] => run(Command::new("ci/test").arg("30-conformance")),
        ["interop"] => run(Command::new("ci/test").arg("20-interop")),
        ["bench", name, more @ ..] => run(Command::new(format!("bench/{name}/run")).args(more)),
        ["dist", more @ ..] => match dist::dist(more) {
            Ok(done) => {
                say(&format!("{done}\n"));
                true
            }
            Err(error) => {
                say(&format!("error: {error}\n"));
                false
            }
        },
        _ => {
            say(USAGE);
            false
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            say(&format!("{} can't be run: {error}\n", command.get_program().display()));
            false
        }
    }
}

#[expect(clippy::print_stderr, reason = "this program speaks to a developer's terminal")]
fn say(text: &str) {
    eprint!("{text}");
}
