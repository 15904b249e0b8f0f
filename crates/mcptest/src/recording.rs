//! A session as a file, and the same session again on another build.
//!
//! What is kept is what somebody asked for (calls, reads, prompts) with what came back, and the surface
//! it was asked of. Secrets of the connection (headers, environment) are not in it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::connection::{Connection, iso};
use crate::diff::{Change, diff};
use crate::{Direction, Fault, Frame, Payload, Surface, Unreadable};

/// The version of the file's form.
const FORM: &str = "proofstone-mcp-session/1";
/// What is worth asking again.
const KEPT: [&str; 4] = ["tools/call", "resources/read", "prompts/get", "completion/complete"];
/// The most differences that are shown of one answer.
const SHOWN: usize = 50;

/// A recorded session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    form: String,
    /// When it was written.
    pub recorded_at: String,
    /// The surface that was asked.
    pub surface: Surface,
    /// What was asked and what came back, in order.
    pub exchanges: Vec<Exchange>,
}

/// A request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// What was asked.
    pub method: String,
    /// The parameters, without what the transport adds.
    pub params: Value,
    /// What came back: `{"result": …}` or `{"error": …}`.
    pub answer: Value,
}

/// What differs when a session is had again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// Changes of the surface.
    pub surface: Vec<Change>,
    /// Every exchange, with what differs.
    pub exchanges: Vec<Compared>,
}

/// One exchange, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// What was asked.
    pub method: String,
    /// Of which tool, resource or prompt.
    pub name: String,
    /// Whether the answer is the same.
    pub same: bool,
    /// Where it differs.
    pub differences: Vec<Difference>,
}

/// One place where two answers differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The place, as a JSON pointer.
    pub place: String,
    /// What was there before; left out if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there now; left out if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl Replay {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.surface.is_empty() && self.exchanges.iter().all(|compared| compared.same)
    }
}

impl Recording {
    /// What was asked on a connection so far, as far as its frames are still kept.
    pub async fn of(connection: &Connection) -> Result<Self, Fault> {
        let exchanges = exchanges(&connection.client.journal().since(0));
        let surface = Surface::of(connection).await?;
        Ok(Self { form: FORM.to_owned(), recorded_at: iso(Timestamp::now()), surface, exchanges })
    }

    /// The same for a connection that may be over, with a surface that is known.
    pub fn with(surface: Surface, connection: &Connection) -> Self {
        let exchanges = exchanges(&connection.client.journal().since(0));
        Self { form: FORM.to_owned(), recorded_at: iso(Timestamp::now()), surface, exchanges }
    }

    /// Keeps only the newest exchanges.
    pub fn newest(mut self, count: usize) -> Self {
        let old = self.exchanges.len().saturating_sub(count);
        self.exchanges.drain(..old);
        self
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let recording: Self = serde_json::from_str(text)?;
        match recording.form == FORM {
            true => Ok(recording),
            false => Err(Unreadable::Form(recording.form)),
        }
    }

    /// The file.
    pub fn written(&self) -> String {
        serde_json::to_string_pretty(self).expect("a recording has only text as keys") + "\n"
    }

    /// Asks the same again and compares, but for the places that are to be ignored.
    pub async fn replay(&self, connection: &Connection, but: &[String]) -> Result<Replay, Fault> {
        let surface = diff(&self.surface, &Surface::of(connection).await?);
        let mut exchanges = Vec::new();
        for exchange in &self.exchanges {
            exchanges.push(again(exchange, connection, but).await?);
        }
        Ok(Replay { surface, exchanges })
    }
}

async fn again(
    exchange: &Exchange,
    connection: &Connection,
    but: &[String],
) -> Result<Compared, Fault> {
    let answer = connection.request(&exchange.method, exchange.params.clone(), None).await;
    let answer = match answer {
        Ok(reply) => json!({ "result": reply.result }),
        Err(Fault::Rpc { code, message, data }) => json!({ "error": error(code, message, data) }),
        // A server that has ended answers nothing more: that is no difference but the end.
        Err(fault) if connection.client.ended().is_some() => return Err(fault),
        Err(fault) => json!({ "fault": fault.to_string() }),
    };
    let mut differences = Vec::new();
    compare("", Some(&exchange.answer), Some(&answer), but, &mut differences);
    let name = exchange.params.get("name").or_else(|| exchange.params.get("uri"));
    Ok(Compared {
        method: exchange.method.clone(),
        name: name.and_then(Value::as_str).unwrap_or_default().to_owned(),
        same: differences.is_empty(),
        differences,
    })
}

fn error(code: i64, message: String, data: Option<Value>) -> Value {
    let mut error = Map::new();
    error.insert("code".into(), code.into());
    error.insert("message".into(), message.into());
    if let Some(data) = data {
        error.insert("data".into(), data);
    }
    Value::Object(error)
}

/// The requests of ours that were answered, with their answers.
fn exchanges(frames: &[Frame]) -> Vec<Exchange> {
    let messages = |direction: Direction| {
        frames.iter().filter_map(move |frame| match &frame.payload {
            Payload::Message(message) if frame.direction == direction => Some(message),
            _ => None,
        })
    };
    let asked = messages(Direction::Sent)
        .filter(|message| message["method"].as_str().is_some_and(|method| KEPT.contains(&method)));
    asked
        .filter_map(|request| {
            let id = request.get("id")?;
            let answer = messages(Direction::Received)
                .find(|answer| answer.get("id") == Some(id) && answer.get("method").is_none())?;
            let mut params = request.get("params").cloned().unwrap_or_default();
            params.as_object_mut().map(|params| params.shift_remove("_meta"));
            let method = request["method"].as_str()?.to_owned();
            Some(Exchange { method, params, answer: outcome(answer)? })
        })
        .collect()
}

fn outcome(answer: &Value) -> Option<Value> {
    let result = answer.get("result").map(|result| json!({ "result": result }));
    result.or_else(|| answer.get("error").map(|error| json!({ "error": error })))
}

fn compare(
    place: &str,
    before: Option<&Value>,
    after: Option<&Value>,
    but: &[String],
    differences: &mut Vec<Difference>,
) {
    if before == after || differences.len() >= SHOWN || but.iter().any(|but| but == place) {
        return;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let more = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(more) {
                let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                compare(&place, old.get(key), new.get(key), but, differences);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for at in 0..old.len().max(new.len()) {
                compare(&format!("{place}/{at}"), old.get(at), new.get(at), but, differences);
            }
        }
        _ => differences.push(Difference {
            place: place.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_place_and_can_be_ignored() {
        let before = json!({ "result": { "a": 1, "list": [1, 2], "at": "09:00" } });
        let after = json!({ "result": { "a": 1, "list": [1], "at": "10:00", "b/c": true } });
        let mut found = Vec::new();
        let but = ["/result/at".to_owned()];
        compare("", Some(&before), Some(&after), &but, &mut found);
        let places: Vec<&str> = found.iter().map(|found| found.place.as_str()).collect();
        assert_eq!(places, ["/result/list/1", "/result/b~1c"]);
        assert_eq!((&found[0].before, &found[0].after), (&Some(json!(2)), &None));
    }
}
