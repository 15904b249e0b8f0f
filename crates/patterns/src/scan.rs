//! Scans that can't take the program down: caps before parsing, a deadline, and the parser in a child process of
//! the same binary that is killed when its time is up. Deep nesting overflows a parser's stack and some rules are
//! quadratic, so neither may run where a connection is served.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

use crate::engine::{Engine, RuleSpec, Scanned, Unit};

/// The hidden command of the binary that answers scans on its stdin.
pub const CHILD_COMMAND: &str = "__scan";

/// The child's stack: nesting up to the cap must fit many times over.
const STACK: usize = 512 << 20;

/// What code must keep to before it is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// The most bytes.
    pub bytes: usize,
    /// The deepest nesting of brackets.
    pub depth: usize,
}

/// The caps for code to analyze.
pub const CODE_CAPS: Caps = Caps { bytes: 4 << 20, depth: 400 };
/// The caps for the examples of pattern files, which are tried in this process.
pub const FENCE_CAPS: Caps = Caps { bytes: 64 << 10, depth: 60 };

/// Why code is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too many bytes.
    #[error("it has {bytes} bytes, more than the {most} that are parsed")]
    TooLarge {
        /// How many.
        bytes: usize,
        /// The cap.
        most: usize,
    },
    /// Brackets within brackets within brackets.
    #[error("brackets are nested more than {most} deep at line {line}: such code is not parsed")]
    TooDeep {
        /// The cap.
        most: usize,
        /// Where the cap was passed.
        line: usize,
    },
}

impl Caps {
    /// Whether code may be parsed. Brackets in strings count too: that errs on the safe side, and real code stays
    /// far below the cap.
    pub fn check(self, code: &str) -> Result<(), Refused> {
        if code.len() > self.bytes {
            return Err(Refused::TooLarge { bytes: code.len(), most: self.bytes });
        }
        let (mut depth, mut line) = (0usize, 1);
        for byte in code.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'\n' => line += 1,
                _ => {}
            }
            if depth > self.depth {
                return Err(Refused::TooDeep { most: self.depth, line });
            }
        }
        Ok(())
    }
}

/// What became of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was scanned.
    Done(Scanned),
    /// It was not, and this is why.
    Skipped {
        /// The unit.
        path: String,
        /// Why.
        reason: String,
    },
}

/// How scans are run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Scanner {
    /// In a child process of this program.
    #[default]
    Child,
    /// In a child process of another program, with [`CHILD_COMMAND`] as its argument.
    ChildOf(PathBuf),
    /// In this process: for code that is trusted, such as in tests.
    Here,
}

/// Why no scan could be made at all.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The child can't be started.
    #[error("the scanning process can't be started: {0}")]
    Start(std::io::Error),
    /// A rule does not compile.
    #[error("a rule does not compile: {0}")]
    Rule(String),
}

#[derive(Debug, Serialize, Deserialize)]
struct Opening {
    rules: Vec<RuleSpec>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    error: Option<String>,
    scanned: Option<Scanned>,
}

impl Scanner {
    /// Scans units one after another until `deadline`. Every unit has an outcome, in order.
    pub async fn scan(
        &self,
        rules: &[RuleSpec],
        units: Vec<Unit>,
        deadline: Instant,
    ) -> Result<Vec<Outcome>, ScanError> {
        let mut outcomes: Vec<Option<Outcome>> = Vec::new();
        let mut left: Vec<(usize, Unit)> = Vec::new();
        for (at, unit) in units.into_iter().enumerate() {
            match CODE_CAPS.check(&unit.code) {
                Ok(()) => {
                    outcomes.push(None);
                    left.push((at, unit));
                }
                Err(refused) => outcomes.push(Some(skipped(unit, refused.to_string()))),
            }
        }
        if *self == Self::Here {
            let engine = Engine::new(rules).map_err(ScanError::Rule)?;
            for (at, unit) in left {
                outcomes[at] = Some(Outcome::Done(engine.scan(&unit)));
            }
            return Ok(outcomes.into_iter().flatten().collect());
        }
        left.reverse();
        while !left.is_empty() {
            let mut run = Run::start(self.program()?, rules, &left)?;
            while let Some((at, _)) = left.last() {
                let at = *at;
                let outcome = match run.next(deadline).await {
                    Ok(scanned) => Outcome::Done(scanned),
                    Err(Ended::Rule(message)) => return Err(ScanError::Rule(message)),
                    Err(Ended::Late) => {
                        late(&mut left, &mut outcomes);
                        break;
                    }
                    Err(Ended::Died(how)) => {
                        // The rest gets a new child.
                        let (at, unit) = left.pop().expect("the loop holds one");
                        outcomes[at] =
                            Some(skipped(unit, format!("the parser ended on it ({how})")));
                        break;
                    }
                };
                left.pop();
                outcomes[at] = Some(outcome);
            }
        }
        Ok(outcomes.into_iter().flatten().collect())
    }

    fn program(&self) -> Result<PathBuf, ScanError> {
        match self {
            Self::ChildOf(program) => Ok(program.clone()),
            _ => std::env::current_exe().map_err(ScanError::Start),
        }
    }
}

/// The first unit took all the time; the others never had a turn.
fn late(left: &mut Vec<(usize, Unit)>, outcomes: &mut [Option<Outcome>]) {
    let mut reason = "the scan was still busy with it when the time was up";
    while let Some((at, unit)) = left.pop() {
        outcomes[at] = Some(skipped(unit, reason.to_owned()));
        reason = "the time was up before its turn";
    }
}

fn skipped(unit: Unit, reason: String) -> Outcome {
    Outcome::Skipped { path: unit.path, reason }
}

enum Ended {
    Rule(String),
    Late,
    Died(String),
}

/// One child with its units on the way.
struct Run {
    child: Child,
    replies: tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
    feed: tokio::task::JoinHandle<()>,
}

impl Run {
    fn start(
        program: PathBuf,
        rules: &[RuleSpec],
        left: &[(usize, Unit)],
    ) -> Result<Self, ScanError> {
        let mut command = Command::new(program);
        command.arg(CHILD_COMMAND).env_clear().kill_on_drop(true);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::null());
        let mut child = command.spawn().map_err(ScanError::Start)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(ScanError::Start(std::io::Error::other("no pipes")));
        };
        let mut lines = vec![json_line(&Opening { rules: rules.to_vec() })];
        lines.extend(left.iter().rev().map(|(_, unit)| json_line(unit)));
        let feed = tokio::spawn(async move {
            for line in lines {
                // A child that has ended does not read on; its reader notices.
                if stdin.write_all(&line).await.is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, replies: BufReader::new(stdout).lines(), feed })
    }

    async fn next(&mut self, deadline: Instant) -> Result<Scanned, Ended> {
        let line = tokio::time::timeout_at(deadline.into(), self.replies.next_line()).await;
        let Ok(line) = line else { return Err(Ended::Late) };
        let reply = line.ok().flatten().and_then(|line| serde_json::from_str::<Reply>(&line).ok());
        match reply {
            Some(Reply { scanned: Some(scanned), .. }) => Ok(scanned),
            Some(Reply { error: Some(message), .. }) => Err(Ended::Rule(message)),
            _ => {
                let status = tokio::time::timeout(Duration::from_secs(1), self.child.wait()).await;
                let how = status
                    .ok()
                    .and_then(Result::ok)
                    .map_or("no answer".to_owned(), |status| status.to_string());
                Err(Ended::Died(how))
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.feed.abort();
    }
}

fn json_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The child's side: reads rules and units on `input`, answers each unit on `output`.
pub fn serve(input: impl BufRead + Send, output: impl Write + Send) -> std::io::Result<()> {
    std::thread::scope(|scope| {
        let work = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, move || answer(input, output))?;
        work.join().unwrap_or_else(|_| Err(std::io::Error::other("the scan panicked")))
    })
}

fn answer(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut lines = input.lines();
    let opening = lines.next().transpose()?.unwrap_or_default();
    let opening: Opening = serde_json::from_str(&opening)?;
    let engine = match Engine::new(&opening.rules) {
        Ok(engine) => engine,
        Err(message) => {
            return output.write_all(&json_line(&Reply { error: Some(message), scanned: None }));
        }
    };
    for line in lines {
        let unit: Unit = serde_json::from_str(&line?)?;
        let scanned = Some(engine.scan(&unit));
        output.write_all(&json_line(&Reply { error: None, scanned }))?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(code: &str, expected: Expect) {
        let said = CODE_CAPS
            .check(code)
            .map_or_else(|refused| refused.to_string(), |()| "parsed".to_owned());
        expected.assert_eq(&said);
    }

    #[test]
    fn what_would_overflow_the_parser_is_refused() {
        check("f(g(1))", expect!["parsed"]);
        check(
            &"{a:".repeat(200_000),
            expect!["brackets are nested more than 400 deep at line 1: such code is not parsed"],
        );
        check(
            &"f(".repeat(20_000),
            expect!["brackets are nested more than 400 deep at line 1: such code is not parsed"],
        );
        check(
            &"x".repeat(5 << 20),
            expect!["it has 5242880 bytes, more than the 4194304 that are parsed"],
        );
    }

    #[test]
    fn the_childs_side_answers_line_by_line() {
        let rule = RuleSpec {
            id: "r".into(),
            language: "typescript".into(),
            config: serde_json::json!({ "rule": { "pattern": "eval($A)" }, "fix": "safe($A)" })
                .as_object()
                .cloned()
                .expect("an object"),
        };
        let unit =
            Unit {
                path: "a.ts".into(), language: "typescript".into(), code: "é;\neval(1)".into()
            };
        let mut input = json_line(&Opening { rules: vec![rule] });
        input.extend(json_line(&unit));
        let mut output = Vec::new();
        serve(input.as_slice(), &mut output).expect("it answers");
        expect![[r#"
            {"error":null,"scanned":{"path":"a.ts","matches":[{"rule":"r","span":{"start":4,"end":11,"start_line":2,"start_column":1,"end_line":2,"end_column":8},"text":"eval(1)","edit":{"start":4,"end":11,"text":"safe(1)"}}],"dropped":0,"syntax_errors":false}}
        "#]].assert_eq(&String::from_utf8_lossy(&output));
    }
}
