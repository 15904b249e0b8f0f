//! A tool called with values made from its own schema, and what must hold for every one of them.
//!
//! Valid input is never a protocol error; invalid input always is an error; what comes back fits the
//! declared schema; claims to be repeatable and to change nothing hold, as far as effects can be seen. What fails is made as simple as it can be and still
//! fail, and can be had again from its seed.

mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use jsonschema::Validator;
use serde::Serialize;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::effects::Watch;
use crate::{Fault, Reply};
use values::Dice;

/// The most calls that go into making one failure simpler.
const SHRINKING: usize = 60;
/// After how many inputs the server is looked at, one by one; after the others once.
const LOOKS: usize = 10;
/// The most failures of one property that are kept.
const KEPT: usize = 3;

/// What to do.
#[derive(Debug, Clone)]
pub struct Plan {
    /// How many different inputs.
    pub cases: usize,
    /// Where chance starts.
    pub seed: u64,
    /// How long each call may take.
    pub patience: Duration,
}

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// Every call is answered.
    Answers,
    /// Input that fits the schema is no protocol error.
    AcceptsValid,
    /// Input that breaks the schema is an error.
    RejectsInvalid,
    /// What comes back fits the output schema.
    FitsOutput,
    /// A tool that says it only reads or may be repeated answers the same twice.
    Repeatable,
    /// A tool that says it only reads changes nothing that the server shows.
    ReadsOnly,
    /// A tool that says it may be repeated changes nothing more the second time.
    Idempotent,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// What should hold.
    pub property: Property,
    /// What happened.
    pub message: String,
    /// The simplest arguments found that show it.
    pub arguments: Value,
    /// The arguments that showed it first.
    pub found_with: Value,
    /// The seed of exactly this case: give it as `seed` with one case.
    pub seed: u64,
    /// The frames that prove it.
    pub frames: Vec<u64>,
}

/// What was found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The tool.
    pub tool: String,
    /// Where chance started.
    pub seed: u64,
    /// How many inputs were tried that fit the schema, and how many that don't.
    pub valid: usize,
    /// See above.
    pub invalid: usize,
    /// All calls, with those that made failures simpler.
    pub calls: usize,
    /// How often each property was broken.
    pub broken: BTreeMap<Property, usize>,
    /// The failures, the first of each property.
    pub failures: Vec<Failure>,
    /// What was watched for effects, if the tool claims to have none or none but the first.
    pub watched: Vec<String>,
    /// Why it ended before all was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<String>,
}

/// Why nothing can be tried.
#[derive(Debug, thiserror::Error)]
pub enum Untestable {
    /// The schema is none.
    #[error("the tool's input schema can't be used: {0}")]
    Schema(String),
}

/// A tool under test.
struct Bench<'a> {
    connection: &'a Connection,
    tool: &'a Value,
    input: Validator,
    output: Option<Validator>,
    patience: Duration,
    watch: Option<Watch<'a>>,
    looking: bool,
    report: Report,
}

/// Tries a tool.
pub async fn fuzz(
    connection: &Connection,
    tool: &Value,
    plan: &Plan,
) -> Result<Report, Untestable> {
    let unusable = |error: jsonschema::ValidationError<'_>| Untestable::Schema(error.to_string());
    let mut bench = Bench {
        connection,
        tool,
        input: jsonschema::validator_for(&tool["inputSchema"]).map_err(unusable)?,
        output: tool.get("outputSchema").and_then(|s| jsonschema::validator_for(s).ok()),
        patience: plan.patience,
        watch: None,
        looking: true,
        report: Report {
            tool: tool["name"].as_str().unwrap_or_default().to_owned(),
            seed: plan.seed,
            valid: 0,
            invalid: 0,
            calls: 0,
            broken: BTreeMap::new(),
            failures: Vec::new(),
            watched: Vec::new(),
            cut_short: None,
        },
    };
    if claims(tool, "readOnlyHint") || claims(tool, "idempotentHint") {
        let watch = Watch::start(connection, tool, plan.patience).await;
        bench.report.watched = watch.watched();
        bench.watch = Some(watch);
    }
    for case in 0..plan.cases as u64 {
        if let Some(fault) = connection.client.ended() {
            bench.report.cut_short = Some(fault.to_string());
            break;
        }
        bench.looking = bench.report.valid < LOOKS;
        bench.case(plan.seed.wrapping_add(case)).await;
    }
    if !bench.looking && bench.report.cut_short.is_none() {
        bench.last_look(plan.seed).await;
    }
    Ok(bench.report)
}

fn claims(tool: &Value, hint: &str) -> bool {
    tool["annotations"][hint] == true
}

impl Bench<'_> {
    /// One input that fits and one that does not.
    async fn case(&mut self, seed: u64) {
        let schema = &self.tool["inputSchema"];
        let mut dice = Dice::new(seed);
        let fits = values::fitting(schema, schema, &mut dice, 0);
        let broken = values::broken(schema, &fits, &mut dice);
        if self.input.is_valid(&fits) {
            self.report.valid += 1;
            self.hold(seed, fits).await;
        }
        if !self.input.is_valid(&broken) && self.connection.client.ended().is_none() {
            self.report.invalid += 1;
            self.hold(seed, broken).await;
        }
    }

    async fn hold(&mut self, seed: u64, arguments: Value) {
        let first = self.connection.client.journal().last() + 1;
        let Some((property, message)) = self.broken_by(&arguments).await else { return };
        let last = self.connection.client.journal().last();
        let count = self.report.broken.entry(property).or_insert(0);
        *count += 1;
        if *count > KEPT {
            return;
        }
        let found_with = arguments.clone();
        let (arguments, message) = self.shrink(property, arguments, message).await;
        let frames = (first..=last).take(6).collect();
        let failure = Failure { property, message, arguments, found_with, seed, frames };
        self.report.failures.push(failure);
    }

    /// The property that arguments break, and how.
    async fn broken_by(&mut self, arguments: &Value) -> Option<(Property, String)> {
        let valid = self.input.is_valid(arguments);
        let reply = match (self.call(arguments).await, valid) {
            (Err(Fault::Rpc { code, message, .. }), true) => {
                let said = format!("valid input is the protocol error {code}: {message}");
                return Some((Property::AcceptsValid, said));
            }
            (Err(Fault::Rpc { .. }), false) => return None,
            (Err(fault), _) => return Some((Property::Answers, fault.to_string())),
            (Ok(reply), _) => reply,
        };
        let failed = reply.result["isError"] == true;
        if !valid {
            let said = "input that breaks the schema is accepted".to_owned();
            return (!failed).then_some((Property::RejectsInvalid, said));
        }
        if failed {
            return None;
        }
        match self.misfit(&reply) {
            Some(said) => Some((Property::FitsOutput, said)),
            None => match self.repeated(arguments, &reply).await {
                None if self.looking => self.effects(arguments).await,
                repeated => repeated,
            },
        }
    }

    /// What the call that was just made has changed, where it claims to change nothing; or what one more
    /// changes.
    async fn effects(&mut self, arguments: &Value) -> Option<(Property, String)> {
        let changed = self.watch.as_mut()?.changes().await;
        if claims(self.tool, "readOnlyHint") {
            let said = format!("it says that it only reads, and {}", changed.first()?);
            return Some((Property::ReadsOnly, said));
        }
        self.call(arguments).await.ok()?;
        let changed = self.watch.as_mut()?.changes().await;
        let said =
            format!("it says that it may be repeated; the second time, {}", changed.first()?);
        Some((Property::Idempotent, said))
    }

    /// Whether all the calls that were not looked after one by one have changed something.
    async fn last_look(&mut self, seed: u64) {
        if !claims(self.tool, "readOnlyHint") {
            return;
        }
        let Some(watch) = self.watch.as_mut() else { return };
        let changed = watch.changes().await;
        if let (Some(changed), false) =
            (changed.first(), self.report.broken.contains_key(&Property::ReadsOnly))
        {
            self.report.broken.insert(Property::ReadsOnly, 1);
            self.report.failures.push(Failure {
                property: Property::ReadsOnly,
                message: format!("it says that it only reads, and after many calls {changed}"),
                arguments: Value::Null,
                found_with: Value::Null,
                seed,
                frames: Vec::new(),
            });
        }
    }

    async fn call(&mut self, arguments: &Value) -> Result<Reply, Fault> {
        self.report.calls += 1;
        let params = json!({ "name": self.tool["name"], "arguments": arguments });
        self.connection.request("tools/call", params, Some(self.patience)).await
    }

    fn misfit(&self, reply: &Reply) -> Option<String> {
        let schema = self.output.as_ref()?;
        let Some(structured) = reply.result.get("structuredContent") else {
            return Some("the result has no structuredContent".to_owned());
        };
        let error = schema.iter_errors(structured).next()?;
        Some(format!("the result breaks the output schema at `{}`: {error}", error.instance_path()))
    }

    /// Only what claims to read only and to be closed to the world must answer the same twice.
    async fn repeated(&mut self, arguments: &Value, first: &Reply) -> Option<(Property, String)> {
        let repeatable = claims(self.tool, "readOnlyHint") || claims(self.tool, "idempotentHint");
        if !repeatable || self.tool["annotations"]["openWorldHint"] != false {
            return None;
        }
        let second = self.call(arguments).await.ok()?;
        let failed = |reply: &Reply| reply.result["isError"] == true;
        let said = match (failed(first), failed(&second)) {
            (false, true) => "the same call fails the second time",
            _ if first.result["structuredContent"] != second.result["structuredContent"]
                || first.result["content"] != second.result["content"] =>
            {
                "the same call answers something else the second time"
            }
            _ => return None,
        };
        Some((Property::Repeatable, said.to_owned()))
    }

    /// Simpler arguments that break the same property, as long as some are found.
    async fn shrink(
        &mut self,
        property: Property,
        mut arguments: Value,
        mut message: String,
    ) -> (Value, String) {
        let valid = self.input.is_valid(&arguments);
        let end = self.report.calls + SHRINKING;
        'again: loop {
            for simpler in values::simpler(&arguments) {
                // A server that has ended can't show anything more.
                let over = self.report.calls >= end || self.connection.client.ended().is_some();
                if over {
                    return (arguments, message);
                }
                if self.input.is_valid(&simpler) != valid {
                    continue;
                }
                if let Some((same, said)) = self.broken_by(&simpler).await
                    && same == property
                {
                    (arguments, message) = (simpler, said);
                    continue 'again;
                }
            }
            return (arguments, message);
        }
    }
}
