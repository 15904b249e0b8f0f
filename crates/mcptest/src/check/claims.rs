//! What a server claims about its tools, held against what they do.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::surface::tools;
use super::{Calls, Check, Found, Look, Said};
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

/// At most this many tools are tried.
const TRIED: usize = 40;

/// The tools that may be called.
fn callable(look: &Look) -> Result<Vec<&Value>, String> {
    let may = |tool: &&Value| match look.calls {
        Calls::Never => false,
        Calls::ReadOnly => tool["annotations"]["readOnlyHint"] == true,
        Calls::All => true,
    };
    let some: Vec<&Value> = tools(look)?.iter().filter(may).take(TRIED).collect();
    if some.is_empty() {
        return Err("no tool may be called: none says that it only reads".to_owned());
    }
    Ok(some)
}

async fn call(
    look: &Look,
    tool: &Value,
    arguments: &Value,
) -> (Result<crate::Reply, Fault>, Vec<u64>) {
    look.connection.counts.tools_called.fetch_add(1, Ordering::Relaxed);
    look.ask("tools/call", json!({ "name": tool["name"], "arguments": arguments })).await
}

async fn invalid_arguments(look: &Look) -> Said {
    let mut found = Vec::new();
    for tool in callable(look)? {
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
        let (_, frames) = call(look, tool, &sample::fitting(&tool["inputSchema"])).await;
        shown.extend(frames);
    }
    let changed = watch.changes().await.into_iter().next()?;
    Some((changed, shown))
}

async fn output_schemas(look: &Look) -> Said {
    let mut found = Vec::new();
    for tool in callable(look)? {
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
