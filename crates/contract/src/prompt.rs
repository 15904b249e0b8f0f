//! Ready-made prompts that a toolset offers.

use std::collections::BTreeMap;

use crate::{BoxFuture, CallCx, Content, Failure};

/// A prompt, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The name it is asked for by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it takes.
    pub arguments: Vec<PromptArgument>,
}

/// One argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Whether the prompt needs it.
    pub required: bool,
}

/// Who says a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

/// The prompts of one toolset.
pub trait Prompts: Send + Sync {
    /// All of them.
    fn list(&self) -> Vec<Prompt>;

    /// One of them, filled in; `None` if the name is not one of these.
    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a BTreeMap<String, String>,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<PromptMessage>, Failure>>>;
}
