//! What a server does when it is asked for what is not there, or for what makes no sense.

use std::time::Duration;

use serde_json::{Value, json};

use super::surface::{short, tools};
use super::{Check, Found, Look, Said};
use crate::connection::Listed;
use crate::{Fault, Target};

/// A name that no server has.
const NOWHERE: &str = "proofstone_no_such_thing";

pub(super) const UNKNOWN_METHOD: Check = Check {
    id: "unknown-method",
    about: "an unknown method is answered with the error -32601",
    specification: "JSON-RPC 2.0, Error object",
    fix: "answer a method that is not there with -32601",
    run: |look| Box::pin(expect_error(look, "proofstone/no-such-method", json!({}), &[-32601])),
};

pub(super) const UNKNOWN_TOOL: Check = Check {
    id: "unknown-tool",
    about: "a tool that is not there is answered with an error",
    specification: "Server features, Tools, Error handling",
    fix: "answer a call of an unknown tool with the error -32602",
    run: |look| Box::pin(unknown_tool(look)),
};

pub(super) const UNKNOWN_CURSOR: Check = Check {
    id: "unknown-cursor",
    about: "a cursor that the server never gave is refused, and cursors advance",
    specification: "Server utilities, Pagination",
    fix: "answer a cursor that is not yours with -32602, and never give the same cursor twice",
    run: |look| Box::pin(unknown_cursor(look)),
};

pub(super) const UNKNOWN_RESOURCE: Check = Check {
    id: "unknown-resource",
    about: "a resource that is not there is answered with an error",
    specification: "Server features, Resources, Error handling",
    fix: "answer -32002 (from 2026-07-28 on -32602), never an empty list of contents",
    run: |look| Box::pin(unknown_resource(look)),
};

pub(super) const RESOURCES_READ: Check = Check {
    id: "resources-read",
    about: "listed resources can be read and carry their own address",
    specification: "Server features, Resources, Reading resources",
    fix: "answer resources/read for every address of resources/list, with uri and text or blob",
    run: |look| Box::pin(resources_read(look)),
};

pub(super) const UNKNOWN_PROMPT: Check = Check {
    id: "unknown-prompt",
    about: "a prompt that is not there is answered with an error",
    specification: "Server features, Prompts, Error handling",
    fix: "answer an unknown prompt with -32602",
    run: |look| Box::pin(unknown_prompt(look)),
};

pub(super) const MISSING_PROMPT_ARGUMENTS: Check = Check {
    id: "prompt-arguments",
    about: "a prompt without its required arguments is refused",
    specification: "Server features, Prompts, Error handling",
    fix: "answer a prompt whose required arguments are missing with -32602",
    run: |look| Box::pin(missing_arguments(look)),
};

pub(super) const PING: Check = Check {
    id: "ping",
    about: "ping is answered at once with an empty object",
    specification: "Base protocol utilities, Ping",
    fix: "answer ping with {}",
    run: |look| Box::pin(ping(look)),
};

pub(super) const STRAY_CANCELLATION: Check = Check {
    id: "cancellation",
    about: "a cancellation of a request that is not there is ignored",
    specification: "Base protocol utilities, Cancellation",
    fix: "ignore cancellations of unknown or finished requests",
    run: |look| Box::pin(stray_cancellation(look)),
};

pub(super) const MALFORMED_JSON: Check = Check {
    id: "malformed-message",
    about: "a message that makes no sense does not end the session",
    specification: "Base protocol, Messages",
    fix: "answer what can't be read with -32700 or -32600, and go on",
    run: |look| Box::pin(malformed(look)),
};

pub(super) const ENDS_WHEN_CLOSED: Check = Check {
    id: "shutdown",
    about: "the server ends by itself when its stdin is closed",
    specification: "Base protocol, Lifecycle, Shutdown",
    fix: "end when stdin reaches its end, with status 0",
    run: |look| Box::pin(ends_when_closed(look)),
};

async fn expect_error(look: &Look, method: &str, params: Value, codes: &[i64]) -> Said {
    let (answer, frames) = look.ask(method, params).await;
    Ok(match answer {
        Err(Fault::Rpc { code, .. }) if codes.contains(&code) => Vec::new(),
        Err(Fault::Rpc { code, .. }) => {
            let said =
                format!("`{method}` is answered with the error {code} instead of {}", codes[0]);
            vec![Found::warning(said).shown_by(frames)]
        }
        // Without sessions, HTTP itself says that a method is not there.
        Err(Fault::Http { status: 404, .. }) => Vec::new(),
        Err(fault) => {
            vec![Found::error(format!("`{method}` has no proper answer: {fault}")).shown_by(frames)]
        }
        Ok(_) => {
            vec![Found::error(format!("`{method}` is answered with a result")).shown_by(frames)]
        }
    })
}

async fn unknown_tool(look: &Look) -> Said {
    tools(look)?;
    let params = json!({ "name": NOWHERE, "arguments": {} });
    let (answer, frames) = look.ask("tools/call", params).await;
    Ok(match answer {
        Err(Fault::Rpc { code: -32602, .. }) => Vec::new(),
        Err(Fault::Rpc { code, .. }) => {
            let said =
                format!("an unknown tool is answered with the error {code}; -32602 is expected");
            vec![Found::note(said).shown_by(frames)]
        }
        Ok(reply) if reply.result["isError"] == true => {
            let said =
                "an unknown tool is answered with an error result; a protocol error is expected";
            vec![Found::note(said).shown_by(frames)]
        }
        Ok(_) => vec![Found::error("a tool that is not there succeeds").shown_by(frames)],
        Err(fault) => vec![
            Found::error(format!("an unknown tool has no proper answer: {fault}")).shown_by(frames),
        ],
    })
}

async fn unknown_cursor(look: &Look) -> Said {
    if let Err(fault @ Fault::Cursor { .. }) = &look.tools {
        return Ok(vec![Found::error(fault.to_string())]);
    }
    tools(look)?;
    let (answer, frames) = look.ask("tools/list", json!({ "cursor": NOWHERE })).await;
    Ok(match answer {
        Err(Fault::Rpc { .. }) => Vec::new(),
        Ok(_) => vec![Found::note("a cursor that was never given is accepted").shown_by(frames)],
        Err(fault) => vec![
            Found::error(format!("a wrong cursor has no proper answer: {fault}")).shown_by(frames),
        ],
    })
}

async fn unknown_resource(look: &Look) -> Said {
    if look.resources.is_err() {
        return Err("the server has no resources".to_owned());
    }
    let (answer, frames) =
        look.ask("resources/read", json!({ "uri": format!("{NOWHERE}://x") })).await;
    Ok(match answer {
        Err(Fault::Rpc { code: -32002 | -32602, .. }) => Vec::new(),
        Err(Fault::Rpc { code, .. }) => {
            let said = format!(
                "an unknown resource is answered with the error {code}; -32002 is expected"
            );
            vec![Found::note(said).shown_by(frames)]
        }
        Ok(_) => vec![Found::error("a resource that is not there is read").shown_by(frames)],
        Err(fault) => vec![
            Found::error(format!("an unknown resource has no proper answer: {fault}"))
                .shown_by(frames),
        ],
    })
}

async fn resources_read(look: &Look) -> Said {
    let Ok(resources) = &look.resources else {
        return Err("the server has no resources".to_owned());
    };
    let mut found = Vec::new();
    for resource in resources.iter().take(10) {
        let Some(uri) = resource["uri"].as_str() else {
            found.push(Found::error(format!("a resource has no uri: {}", short(resource))));
            continue;
        };
        let (answer, frames) = look.ask("resources/read", json!({ "uri": uri })).await;
        match answer {
            Err(fault) => found.push(
                Found::error(format!("{uri} is listed and can't be read: {fault}"))
                    .shown_by(frames),
            ),
            Ok(reply) if reply.result["contents"].as_array().is_none_or(Vec::is_empty) => {
                found.push(
                    Found::warning(format!("{uri} is read with no contents")).shown_by(frames),
                );
            }
            Ok(_) => {}
        }
    }
    Ok(found)
}

async fn unknown_prompt(look: &Look) -> Said {
    if look.prompts.is_err() {
        return Err("the server has no prompts".to_owned());
    }
    let (answer, frames) = look.ask("prompts/get", json!({ "name": NOWHERE })).await;
    Ok(match answer {
        Err(Fault::Rpc { code: -32602, .. }) => Vec::new(),
        Err(Fault::Rpc { code, .. }) => {
            vec![
                Found::note(format!(
                    "an unknown prompt is answered with the error {code}; -32602 is expected"
                ))
                .shown_by(frames),
            ]
        }
        Ok(_) => vec![Found::error("a prompt that is not there is given").shown_by(frames)],
        Err(fault) => vec![
            Found::error(format!("an unknown prompt has no proper answer: {fault}"))
                .shown_by(frames),
        ],
    })
}

async fn missing_arguments(look: &Look) -> Said {
    let Ok(prompts) = &look.prompts else { return Err("the server has no prompts".to_owned()) };
    let needs = |prompt: &&Value| {
        prompt["arguments"].as_array().is_some_and(|all| all.iter().any(|a| a["required"] == true))
    };
    let Some(prompt) = prompts.iter().find(needs) else {
        return Err("no prompt has a required argument".to_owned());
    };
    let (answer, frames) =
        look.ask("prompts/get", json!({ "name": prompt["name"], "arguments": {} })).await;
    Ok(match answer {
        Err(Fault::Rpc { code: -32602, .. }) => Vec::new(),
        Err(Fault::Rpc { code, .. }) => {
            vec![
                Found::note(format!(
                    "missing arguments are answered with the error {code}; -32602 is expected"
                ))
                .shown_by(frames),
            ]
        }
        Ok(_) => vec![
            Found::warning(format!(
                "the prompt {} is given without its required arguments",
                prompt["name"]
            ))
            .shown_by(frames),
        ],
        Err(fault) => vec![
            Found::error(format!("missing arguments have no proper answer: {fault}"))
                .shown_by(frames),
        ],
    })
}

async fn ping(look: &Look) -> Said {
    if look.stateless() {
        return Err("the revision has no ping".to_owned());
    }
    let (answer, frames) = look.ask("ping", json!({})).await;
    Ok(match answer {
        Ok(_) => Vec::new(),
        Err(fault) => {
            vec![Found::error(format!("ping has no proper answer: {fault}")).shown_by(frames)]
        }
    })
}

async fn stray_cancellation(look: &Look) -> Said {
    let client = &look.connection.client;
    let first = client.journal().last() + 1;
    let params = json!({ "requestId": 987_654_321, "reason": "a check" });
    client.notify("notifications/cancelled", params).await.map_err(|fault| fault.to_string())?;
    Ok(match look.lives().await {
        true => Vec::new(),
        false => vec![
            Found::error("the server does not live through a stray cancellation")
                .shown_by(first..first + 4),
        ],
    })
}

/// On a connection of its own, because a server may end there.
async fn malformed(look: &Look) -> Said {
    let another = look.another().await.map_err(|fault| fault.to_string())?;
    let client = another.client.clone();
    let nonsense = [
        json!({ "jsonrpc": "2.0", "id": {}, "method": 5 }),
        json!("nonsense"),
        json!(["nonsense"]),
    ];
    for message in nonsense {
        // An HTTP server refuses the request itself, which is as good as an answer.
        let _ = tokio::time::timeout(look.patience, client.send_raw(&message)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let lives = client.request("tools/list", json!({}), look.patience).await;
    let ended = client.ended();
    client.close().await;
    Ok(match (lives, ended) {
        (Ok(_) | Err(Fault::Rpc { .. }), _) => Vec::new(),
        (_, Some(fault)) => {
            vec![Found::error(format!("messages that make no sense end the server: {fault}"))]
        }
        (Err(fault), None) => vec![Found::error(format!(
            "after messages that make no sense, nothing is answered: {fault}"
        ))],
    })
}

async fn ends_when_closed(look: &Look) -> Said {
    let Target::Stdio(_) = &look.target else { return Err("only a local server ends".to_owned()) };
    let another = look.another().await.map_err(|fault| fault.to_string())?;
    let _ = another.list(Listed::Tools).await;
    let started = std::time::Instant::now();
    let exit = another.client.close().await;
    Ok(match exit {
        Some(exit) if exit.signal.is_none() && exit.code == Some(0) => Vec::new(),
        Some(exit) if exit.signal.is_some() => {
            let ms = started.elapsed().as_millis();
            vec![Found::warning(format!(
                "the server had to be ended by a signal, {ms} ms after its stdin was closed"
            ))]
        }
        Some(exit) => vec![Found::note(format!("the server ends with {exit}"))],
        None => vec![Found::error("the server can't be ended")],
    })
}
