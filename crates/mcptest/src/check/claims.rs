//! What a server claims about its tools, held against what they do.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::surface::tools;
use super::{Calls, Check, Effort, Found, Look, Said};
use crate::effects::Watch;
use crate::{Fault, sample};

pub(super) const INVALID_ARGUMENTS: Check = Check {
    id: "invalid-arguments",
    about: "arguments that break a tool's schema are answered with an error",
    specification: "Server features, Tools, Error handling",
    fix: "check arguments against the input schema and answer with isError or -32602",
    run: |look| Box::pin(invalid_arguments(look)),
};

pub(super) const OUTPUT_SCHEMAS: Check = Check {
    id: "output-schemas",
    about: "what a tool returns fits the output schema that it declares",
    specification: "Server features, Tools, Output schema",
    fix: "return structuredContent that fits the declared schema, also as text for older clients",
    run: |look| Box::pin(output_schemas(look)),
};

pub(super) const EFFECTS: Check = Check {
    id: "effects",
    about: "tools that say they only read, or may be repeated, keep to it as far as lists, resources and \
            notifications show; effects on files, databases and others are not seen",
    specification: "Server features, Tools, Tool annotations (readOnlyHint, idempotentHint)",
    fix: "say with readOnlyHint and idempotentHint what a call really changes",
    run: |look| Box::pin(effects(look)),
};

/// After so many tools that do not answer, or so long with all calls, no more are called: tools that wait
/// for a network that is not there would keep a check for hours.
const SILENT: usize = 3;
const SPENT: Duration = Duration::from_mins(2);

/// The tools that may be called and have answered so far.
fn callable(look: &Look) -> Result<Vec<&Value>, String> {
    let may = |tool: &&Value| match look.calls {
        Calls::Never => false,
        Calls::ReadOnly => tool["annotations"]["readOnlyHint"] == true,
        Calls::All => true,
    };
    let some: Vec<&Value> = tools(look)?.iter().filter(may).collect();
    if some.is_empty() {
        return Err("no tool may be called: none says that it only reads".to_owned());
    }
    if let Some(why) = tired(look) {
        return Err(why);
    }
    let silent = effort(look).silent.clone();
    Ok(some.into_iter().filter(|tool| !silent.contains(&name(tool))).collect())
}

fn effort(look: &Look) -> MutexGuard<'_, Effort> {
    look.effort.lock().unwrap_or_else(PoisonError::into_inner)
}

fn name(tool: &Value) -> String {
    tool["name"].as_str().unwrap_or_default().to_owned()
}

/// Why no more tools are called, if so.
fn tired(look: &Look) -> Option<String> {
    let effort = effort(look);
    let names = || effort.silent.iter().cloned().collect::<Vec<_>>().join(", ");
    match () {
        () if effort.silent.len() >= SILENT => Some(format!(
            "no more tools are called: {} did not answer within {} s each",
            names(),
            look.patience.as_secs()
        )),
        () if effort.spent >= SPENT => {
            Some(format!("no more tools are called: calls took {} s", effort.spent.as_secs()))
        }
        () => None,
    }
}

async fn call(
    look: &Look,
    tool: &Value,
    arguments: &Value,
) -> (Result<crate::Reply, Fault>, Vec<u64>) {
    look.connection.counts.tools_called.fetch_add(1, Ordering::Relaxed);
    let started = Instant::now();
    let asked = json!({ "name": tool["name"], "arguments": arguments });
    let (answer, frames) = look.ask("tools/call", asked).await;
    let mut effort = effort(look);
    effort.spent += started.elapsed();
    if let Err(Fault::Timeout { .. }) = answer {
        effort.silent.insert(name(tool));
    }
    (answer, frames)
}

async fn invalid_arguments(look: &Look) -> Said {
    let mut found = Vec::new();
    for tool in callable(look)? {
        if let Some(why) = tired(look) {
            found.push(Found::note(why));
            break;
        }
        let Some(arguments) = sample::breaking(&tool["inputSchema"]) else { continue };
        let (answer, frames) = call(look, tool, &arguments).await;
        let name = &tool["name"];
        match answer {
            Err(Fault::Rpc { .. }) => {}
            Ok(reply) if reply.result["isError"] == true => {}
            Ok(_) => {
                let said = format!("{name} accepts arguments that break its schema: {arguments}");
                found.push(Found::warning(said).shown_by(frames));
            }
            Err(fault) => {
                let said = format!("{name} has no proper answer to wrong arguments: {fault}");
                found.push(Found::error(said).shown_by(frames));
            }
        }
    }
    Ok(found)
}

/// Calls all tools and looks once; only where something changed, each by itself.
async fn effects(look: &Look) -> Said {
    let claims = |tool: &Value, hint: &str| tool["annotations"][hint] == true;
    let all = callable(look)?;
    let reading: Vec<&Value> =
        all.iter().copied().filter(|tool| claims(tool, "readOnlyHint")).collect();
    let repeatable = all.into_iter().filter(|tool| !claims(tool, "readOnlyHint"));
    let breakable = |tool: &&&Value| sample::breaking(&tool["inputSchema"]).is_some();
    let harmless = reading.iter().find(breakable).copied().unwrap_or(&Value::Null);
    let mut watch = Watch::start(&look.connection, harmless, look.patience).await;
    let mut found = Vec::new();
    if called(look, &reading, &mut watch).await.is_some() {
        for tool in &reading {
            if let Some((changed, frames)) = called(look, &[*tool], &mut watch).await {
                let said = format!("{} says that it only reads, and {changed}", tool["name"]);
                found.push(Found::warning(said).shown_by(frames));
            }
        }
    }
    for tool in repeatable.filter(|tool| claims(tool, "idempotentHint")) {
        called(look, &[tool], &mut watch).await;
        if let Some((changed, frames)) = called(look, &[tool], &mut watch).await {
            let name = &tool["name"];
            let said = format!("{name} says that it may be repeated; the second time, {changed}");
            found.push(Found::warning(said).shown_by(frames));
        }
    }
    found.extend(tired(look).map(Found::note));
    Ok(found)
}

/// What changes when tools are called, and the frames of the calls.
async fn called(
    look: &Look,
    tools: &[&Value],
    watch: &mut Watch<'_>,
) -> Option<(String, Vec<u64>)> {
    let mut shown = Vec::new();
    for tool in tools {
        if tired(look).is_some() {
            break;
        }
        let (_, frames) = call(look, tool, &sample::fitting(&tool["inputSchema"])).await;
        shown.extend(frames);
    }
    let changed = watch.changes().await.into_iter().next()?;
    Some((changed, shown))
}

async fn output_schemas(look: &Look) -> Said {
    let mut found = Vec::new();
    for tool in callable(look)? {
        if let Some(why) = tired(look) {
            found.push(Found::note(why));
            break;
        }
        let arguments = sample::fitting(&tool["inputSchema"]);
        let (answer, frames) = call(look, tool, &arguments).await;
        let name = &tool["name"];
        match answer {
            Err(Fault::Rpc { .. }) => {}
            // A tool may take its time; that is for its caller to judge.
            Err(fault @ Fault::Timeout { .. }) => {
                found.push(Found::note(format!("{name}: {fault}")).shown_by(frames));
            }
            Err(fault) => found.push(
                Found::error(format!("{name} has no proper answer: {fault}")).shown_by(frames),
            ),
            Ok(reply) => {
                found.extend(result(tool, &reply.result).map(|found| found.shown_by(frames)));
            }
        }
    }
    Ok(found)
}

fn result(tool: &Value, result: &Value) -> Option<Found> {
    let (name, schema) = (&tool["name"], tool.get("outputSchema")?);
    let structured = result.get("structuredContent");
    let failed = result["isError"] == true;
    match structured {
        None if failed => None,
        None => Some(Found::error(format!(
            "{name} declares an output schema and returns no structuredContent"
        ))),
        Some(value) => {
            let validator = jsonschema::validator_for(schema).ok()?;
            let error = validator.iter_errors(value).next()?;
            let said = format!(
                "what {name} returns breaks its output schema at `{}`: {error}",
                error.instance_path()
            );
            // Clients are free to validate failures too, and some do.
            Some(if failed { Found::warning(said) } else { Found::error(said) })
        }
    }
}
