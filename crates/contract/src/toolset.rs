//! A group of tools that share a contract.

use crate::{BoxFuture, CallCx, Dialect, Entry, Prompts, Resources};

/// What a completion is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionTarget {
    /// An argument of the prompt with this name.
    Prompt(String),
    /// A variable of the resource template with this URI template.
    Resource(String),
}

/// Values that complete what was typed so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// The best values, in order.
    pub values: Vec<String>,
    /// How many there are in all.
    pub total: usize,
}

/// A group of tools with one contract: its name, how it fails, and what else it offers.
pub trait Toolset: Send + Sync {
    /// The name people choose it by.
    fn name(&self) -> &'static str;

    /// What it is for, in a line.
    fn summary(&self) -> &'static str;

    /// When and how to use its tools, for the model that gets them.
    fn instructions(&self) -> &'static str {
        ""
    }

    /// How its contract renders success and failure.
    fn dialect(&self) -> &dyn Dialect;

    /// Its tools, in the order they are listed.
    fn tools(&self) -> Vec<Entry>;

    /// Its resources, if it has any.
    fn resources(&self) -> Option<&dyn Resources> {
        None
    }

    /// Its prompts, if it has any.
    fn prompts(&self) -> Option<&dyn Prompts> {
        None
    }

    /// Completes `typed`, the start of the value of `argument`.
    fn complete<'a>(
        &'a self,
        target: &'a CompletionTarget,
        argument: &'a str,
        typed: &'a str,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Completion>> {
        let _ = (target, argument, typed, cx);
        Box::pin(async { None })
    }

    /// Ends what runs in the background and saves what must be kept. Called once, before exit.
    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
