//! What was asked of a campaign while it ran: one JSON line per order, with the epoch from which on the workers
//! followed it. With the campaign's record, these lines repeat it.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use proofstone_evm::campaign::{Order, Scheduled};
use proofstone_evm::{Address, U256};
use serde_json::{Value, json};

/// The name of the file in the corpus folder.
pub const FILE: &str = "mcp-commands.jsonl";

/// The log of one campaign.
#[derive(Debug)]
pub struct CommandLog {
    path: PathBuf,
    file: Mutex<File>,
}

impl CommandLog {
    /// Begins the log of a campaign; the one of the campaign before is kept under the time it was last written.
    pub fn begin(folder: &Path) -> std::io::Result<Self> {
        let path = folder.join(FILE);
        if let Ok(modified) = path.metadata().and_then(|facts| facts.modified()) {
            let written = Timestamp::try_from(modified).unwrap_or_else(|_| Timestamp::now());
            let name = format!("mcp-commands-{}.jsonl", written.as_millisecond());
            std::fs::rename(&path, folder.join(name))?;
        }
        let file = Mutex::new(File::create(&path)?);
        Ok(Self { path, file })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something and notes it. Orders are noted in the order they are given, also by several clients.
    pub fn note<T>(
        &self,
        tool: &str,
        args: Value,
        order: impl FnOnce() -> (Result<u64, String>, T),
    ) -> T {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (noted, done) = order();
        let mut line =
            json!({ "timestamp": Timestamp::now().to_string(), "tool": tool, "args": args });
        match noted {
            Ok(epoch) => {
                line["result"] = "success".into();
                line["epoch"] = epoch.into();
            }
            Err(problem) => {
                line["result"] = "error".into();
                line["error"] = problem.into();
            }
        }
        // A full disk must not keep anybody from steering; the campaign then can't be repeated.
        let _ = writeln!(file, "{line}");
        done
    }
}

/// Reads a log into orders that repeat it. Orders that failed are left out: they changed nothing.
pub fn orders(text: &str) -> Result<Vec<Scheduled>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.filter_map(|(number, line)| {
        order(line).map_err(|problem| format!("line {}: {problem}", number + 1)).transpose()
    });
    read.collect()
}

fn order(line: &str) -> Result<Option<Scheduled>, String> {
    let json: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    if json["result"] != "success" {
        return Ok(None);
    }
    let epoch = json["epoch"].as_u64().ok_or("there is no `epoch`")?;
    let args = &json["args"];
    let text = |name: &str| args[name].as_str().ok_or(format!("`{name}` is missing"));
    let order = match json["tool"].as_str() {
        Some("inject_transaction") => Order::Inject {
            calls: calls(&args["sequence"])?,
            sender: text("sender")?.parse::<Address>().map_err(|e| format!("`sender`: {e}"))?,
            value: text("value")?.parse::<U256>().map_err(|e| format!("`value`: {e}"))?,
        },
        Some("prioritize_function") => Order::Prioritize(text("functionSignature")?.to_owned()),
        Some("clear_priorities") => Order::ClearPriorities,
        Some("stop_campaign") => Order::Stop,
        other => return Err(format!("`tool` is {other:?}, not one that steers a campaign")),
    };
    Ok(Some(Scheduled { epoch, order }))
}

fn calls(json: &Value) -> Result<Vec<String>, String> {
    let items = json.as_array().ok_or("`sequence` is missing")?;
    let text = |item: &Value| item.as_str().map(str::to_owned);
    items.iter().map(text).collect::<Option<_>>().ok_or("`sequence` must hold texts".to_owned())
}
