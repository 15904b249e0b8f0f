//! What a tool is, said once, as Rust types.
//!
//! A tool is an input, an output, an effect, some limits and a handler ([`Tool`]). From that one
//! definition come its JSON schemas, its documentation, its golden file and the validation of every
//! call ([`Descriptor`]). Tools are grouped in a [`Toolset`], which also says how its contract
//! renders success and failure (its [`Dialect`]) and which resources and prompts it offers.
//!
//! **Invariant:** this crate knows neither MCP nor any toolset. Nothing here names a protocol
//! message, a transport or a tool; the crates above translate.

mod answer;
mod cx;
mod descriptor;
mod dialect;
mod effect;
mod failure;
mod limits;
mod prompt;
mod resource;
mod schema;
mod tool;
mod toolset;

pub use answer::{Answer, Content, Rendered};
pub use cx::{Ask, AskError, CallCx, CallCxBuilder, ClientLink, Elicited, LogLevel, Stopped};
pub use descriptor::{Descriptor, RawTool};
pub use dialect::{Dialect, PlainDialect, json_text};
pub use effect::Effect;
pub use failure::{Failure, FailureKind, Violation};
pub use limits::Limits;
pub use prompt::{Prompt, PromptArgument, PromptMessage, Prompts, Role};
pub use resource::{
    Resource, ResourceBody, ResourceTemplate, Resources, address_part, address_text,
};
pub use schema::{Draft, input_schema, output_schema};
pub use tool::{BoxFuture, Entry, Handler, RawAnswer, Shape, Tool};
pub use toolset::{Completion, CompletionTarget, Toolset};
