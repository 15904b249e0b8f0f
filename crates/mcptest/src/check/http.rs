//! What a server on HTTP must refuse.

use serde_json::json;

use super::{Check, Found, Look, Said};
use crate::connection::Connection;
use crate::{Fault, HttpTarget, Opening, Target};

pub(super) const FOREIGN_ORIGIN: Check = Check {
    id: "origin",
    about: "a request from a foreign origin is refused",
    specification: "Transports, Streamable HTTP, Security warning",
    fix: "answer requests whose Origin is not allowed with 403, against DNS rebinding",
    run: |look| Box::pin(foreign_origin(look)),
};

pub(super) const UNKNOWN_SESSION: Check = Check {
    id: "session",
    about: "a session that is not there is answered with 404",
    specification: "Transports, Streamable HTTP, Session management",
    fix: "answer an unknown or ended Mcp-Session-Id with 404",
    run: |look| Box::pin(unknown_session(look)),
};

pub(super) const UNKNOWN_REVISION: Check = Check {
    id: "revision-header",
    about: "a protocol revision that is not supported is answered with 400",
    specification: "Transports, Streamable HTTP, Protocol version header",
    fix: "answer an unsupported MCP-Protocol-Version with 400",
    run: |look| Box::pin(unknown_revision(look)),
};

/// The target, if it speaks streamable HTTP, with one more header.
fn with_header(look: &Look, name: &str, value: &str) -> Result<Target, String> {
    let Target::Http(target) = &look.target else {
        return Err("the server does not speak streamable HTTP".to_owned());
    };
    let mut target: HttpTarget = target.clone();
    target.headers.insert(name.to_owned(), value.to_owned());
    Ok(Target::Http(target))
}

async fn foreign_origin(look: &Look) -> Said {
    let target = with_header(look, "Origin", "http://proofstone-check.invalid")?;
    let opening =
        Opening { revision: look.connection.client.era().revision, ..look.opening.clone() };
    Ok(match Connection::open("check", target, opening).await {
        Err(Fault::Http { status: 400..=499, .. } | Fault::Rpc { .. }) => Vec::new(),
        Err(fault) => {
            vec![Found::warning(format!("a foreign origin has no proper answer: {fault}"))]
        }
        Ok(connection) => {
            connection.client.close().await;
            vec![Found::error("a request from a foreign origin is served")]
        }
    })
}

async fn unknown_session(look: &Look) -> Said {
    if look.stateless() || look.connection.client.session().is_none() {
        return Err("the server gives no sessions".to_owned());
    }
    let target = with_header(look, "Mcp-Session-Id", "proofstone-no-such-session")?;
    let client = crate::Client::open(&target).await.map_err(|fault| fault.to_string())?;
    client.set_era(look.connection.client.era());
    let answer = client.request("tools/list", json!({}), look.patience).await;
    client.close().await;
    Ok(match answer {
        Err(Fault::Http { status: 404, .. } | Fault::Rpc { .. }) => Vec::new(),
        Err(Fault::Http { status, .. }) => {
            vec![Found::warning(format!(
                "an unknown session is answered with {status} instead of 404"
            ))]
        }
        Err(fault) => {
            vec![Found::warning(format!("an unknown session has no proper answer: {fault}"))]
        }
        Ok(_) => vec![Found::error("a session that is not there is served")],
    })
}

async fn unknown_revision(look: &Look) -> Said {
    if look.stateless() {
        return Err("the opening tells revisions apart".to_owned());
    }
    let Target::Http(_) = &look.target else {
        return Err("the server does not speak streamable HTTP".to_owned());
    };
    let another = look.another().await.map_err(|fault| fault.to_string())?;
    let mut era = another.client.era();
    era.revision = Some("1999-01-01".to_owned());
    another.client.set_era(era);
    let answer = another.client.request("tools/list", json!({}), look.patience).await;
    another.client.close().await;
    Ok(match answer {
        Err(Fault::Http { status: 400..=499, .. } | Fault::Rpc { .. }) => Vec::new(),
        Err(fault) => {
            vec![Found::warning(format!("an unknown revision has no proper answer: {fault}"))]
        }
        Ok(_) => vec![Found::warning("a request in a revision that does not exist is served")],
    })
}
