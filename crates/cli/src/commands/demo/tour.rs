//! What the demo's steps share: the gate, the project, and how a call is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proofstone_contract::{CallCx, Toolset};
use proofstone_gate::{Gate, OutputPolicy};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::fit::terminal_width;
use crate::out::{self, DIM, styled};
use crate::settings::Settings;
use crate::toolsets;

/// A step's outcome: fine, or what does not hold.
pub(super) type Held = Result<(), String>;

/// A tour through the toolsets.
pub(super) struct Tour {
    gate: Gate,
    sets: Vec<Arc<dyn Toolset>>,
    runtime: Runtime,
    root: PathBuf,
    quiet: bool,
    calls: Vec<Value>,
    started: Instant,
}

impl Tour {
    pub(super) fn new(root: &Path, settings: &Settings, quiet: bool) -> anyhow::Result<Self> {
        let names: Vec<String> = toolsets::NAMES.iter().map(ToString::to_string).collect();
        let sets = toolsets::make(&names, &settings.at(&root.canonicalize()?))?;
        let gate = Gate::new(sets.clone(), OutputPolicy::default())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let (root, calls, started) = (root.canonicalize()?, Vec::new(), Instant::now());
        Ok(Self { gate, sets, runtime, root, quiet, calls, started })
    }

    /// Calls a tool and shows the call. A failure does not hold.
    pub(super) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, String> {
        let shown = arguments.to_string();
        self.say(&format!("   {} {}", tool, styled(DIM, cut(&shown, tool.len() + 5))));
        let cx = CallCx::builder(&self.root).session("demo").time(Duration::from_mins(5)).build();
        let outcome = self.runtime.block_on(self.gate.call(tool, arguments.clone(), &cx));
        let outcome = outcome.map_err(|unknown| unknown.to_string())?;
        let rendered = outcome.rendered;
        let answer = rendered.structured.clone().unwrap_or_else(|| Value::String(rendered.text()));
        self.calls.push(json!({
            "tool": tool,
            "arguments": arguments,
            "answer": answer,
            "milliseconds": outcome.elapsed.as_secs_f64() * 1e3,
        }));
        match rendered.is_error {
            true => Err(format!("{tool}: {}", rendered.text())),
            false => Ok(answer),
        }
    }

    /// Shows a line of an answer.
    pub(super) fn show(&self, line: &str) {
        self.say(&format!("     → {}", cut(line, 7)));
    }

    /// Shows text as it is.
    pub(super) fn say(&self, text: &str) {
        if !self.quiet {
            out::line(text);
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Ends what the calls started; gives the calls.
    pub(super) fn end(self) -> Vec<Value> {
        for set in &self.sets {
            self.runtime.block_on(set.shutdown());
        }
        self.calls
    }
}

/// A line as wide as the terminal at the most.
fn cut(line: &str, used: usize) -> String {
    let width = terminal_width().saturating_sub(used + 1);
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Fails with what was expected unless it holds.
pub(super) fn expect(holds: bool, said: &str) -> Held {
    if holds { Ok(()) } else { Err(said.to_owned()) }
}
