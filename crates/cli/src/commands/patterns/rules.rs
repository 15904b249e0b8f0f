//! `proofstone patterns rules`: the rules, and which can be trusted.

use std::process::ExitCode;

use proofstone_patterns::library::Library;
use proofstone_patterns::rules::{Rule, SelfTest};
use serde_json::json;

use super::severity;
use crate::fit::terminal_width;
use crate::out::{self, BAD, DIM, GOOD, styled};
use crate::table::{Align, Table};

/// List the rules and how they did on their own examples.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, library: &Library) -> anyhow::Result<ExitCode> {
    let rules = library.rules().all();
    if args.json {
        out::json(&rules.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let heads = [
        ("rule", Align::Left),
        ("severity", Align::Left),
        ("self-test", Align::Left),
        ("fix", Align::Left),
        ("languages", Align::Left),
    ];
    let mut table = Table::new(&heads).flexible(4);
    for rule in rules {
        let test = match &rule.self_test {
            SelfTest::Pass => styled(GOOD, "pass"),
            SelfTest::Untested => styled(DIM, "none"),
            SelfTest::Fail(_) => styled(BAD, "dead"),
        };
        let fix = match (rule.has_fix, rule.fix_verified) {
            (true, true) => styled(GOOD, "proved"),
            (true, false) => "yes".to_owned(),
            _ => styled(DIM, "-"),
        };
        table.row(vec![
            rule.id.clone(),
            severity(rule.severity.word()),
            test,
            fix,
            rule.languages().join(", "),
        ]);
    }
    out::line(table.render(terminal_width()));
    let alive = rules.iter().filter(|rule| rule.is_alive()).count();
    out::line(styled(DIM, format!("{alive} rules run, {} are dead", rules.len() - alive)));
    Ok(ExitCode::SUCCESS)
}

fn as_json(rule: &Rule) -> serde_json::Value {
    let (test, reason) = match &rule.self_test {
        SelfTest::Pass => ("pass", None),
        SelfTest::Untested => ("none", None),
        SelfTest::Fail(why) => ("dead", Some(why)),
    };
    json!({
        "id": rule.id, "pattern": rule.pattern, "severity": rule.severity.word(), "message": rule.message,
        "languages": rule.languages(), "hasFix": rule.has_fix, "fixVerified": rule.fix_verified,
        "selfTest": test, "reason": reason,
    })
}
