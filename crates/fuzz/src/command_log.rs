//! What was asked of a campaign while it ran: one JSON line per order, with the epoch from which on the workers
//! followed it. With the campaign's record, these lines repeat it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use proofstone_evm::campaign::{Order, Scheduled};
use proofstone_evm::checks::Test;
use proofstone_evm::{Address, U256};
use serde_json::{Value, json};

/// The name of the file in the corpus folder.
pub const FILE: &str = "mcp-commands.jsonl";

/// Orders kept for people to look at.
const RECENT: usize = 50;

/// The log of one campaign.
#[derive(Debug)]
pub struct CommandLog {
    path: PathBuf,
    file: Mutex<File>,
    /// The last orders in a line each, for people.
    recent: Mutex<VecDeque<String>>,
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
        Ok(Self { path, file, recent: Mutex::default() })
    }

    /// Goes on with the log of a campaign that is over.
    pub(crate) fn reopen(folder: &Path) -> std::io::Result<Self> {
        let path = folder.join(FILE);
        let file = File::options().append(true).create(true).open(&path)?;
        Ok(Self { path, file: Mutex::new(file), recent: Mutex::default() })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The last orders, newest first, a line each.
    pub fn recent(&self) -> Vec<String> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn remember(&self, tool: &str, args: &Value, result: &str) {
        let values = args.as_object().into_iter().flat_map(|args| args.values());
        let said: Vec<String> = values.map(ToString::to_string).collect();
        let time = Timestamp::now().strftime("%H:%M:%S");
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front(format!("{time} {tool} {} {result}", said.join(" ")));
        recent.truncate(RECENT);
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
        self.remember(
            tool,
            &line["args"],
            if line["result"] == "success" { "" } else { "refused" },
        );
        // A full disk must not keep anybody from steering; the campaign then can't be repeated.
        let _ = writeln!(file, "{line}");
        done
    }
}

/// Reads a log into orders that repeat it; `compile` makes a test of a property's text and name. Orders
/// that failed are left out: they changed nothing.
pub fn orders(
    text: &str,
    compile: impl Fn(&str, &str) -> Result<Test, String>,
) -> Result<Vec<Scheduled>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.filter_map(|(number, line)| {
        order(line, &compile)
            .map_err(|problem| format!("line {}: {problem}", number + 1))
            .transpose()
    });
    read.collect()
}

fn order(
    line: &str,
    compile: impl Fn(&str, &str) -> Result<Test, String>,
) -> Result<Option<Scheduled>, String> {
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
        Some("add_property") => {
            Order::AddTest(Arc::new(compile(text("property")?, text("name")?)?))
        }
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
