//! One tool: typed on the inside, erased at the edge.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Answer, CallCx, Content, Descriptor, Dialect, Effect, Failure, Limits};

/// A boxed future, for what is stored behind a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whether a tool's answer is structured or plain text by contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// An object with a schema, repeated as text.
    Structured,
    /// Text only: no schema is declared and no structured content is sent.
    Text,
}

/// A tool. One file each, read top to bottom: what the caller reads, input, output, handler.
pub trait Tool: Send + Sync + 'static {
    /// The name it is called by.
    const NAME: &'static str;
    /// A short title for people.
    const TITLE: &'static str;
    /// What it does and when to use it: what a model reads before it decides to call.
    const DESCRIPTION: &'static str;
    /// What a call may change.
    const EFFECT: Effect;
    /// What every call is held to.
    const LIMITS: Limits = Limits::DEFAULT;
    /// Whether the answer is structured.
    const SHAPE: Shape = Shape::Structured;

    /// The arguments. Doc comments become the descriptions, attributes the bounds.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The answer.
    type Output: Serialize + JsonSchema + Send;

    /// Does the work.
    fn call(
        &self,
        input: Self::Input,
        cx: &CallCx,
    ) -> impl Future<Output = Result<Answer<Self::Output>, Failure>> + Send;
}

/// An answer whose output is JSON already.
#[derive(Debug, Clone)]
pub struct RawAnswer {
    /// The answer.
    pub output: Value,
    /// Facts about it.
    pub meta: Map<String, Value>,
    /// What to show instead of the output as JSON.
    pub content: Option<Vec<Content>>,
}

/// A tool's handler with its types erased.
pub trait Handler: Send + Sync {
    /// Reads the arguments, does the work, writes the answer.
    fn call<'a>(
        &'a self,
        arguments: Value,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Result<RawAnswer, Failure>>;
}

struct Erased<T>(T);

impl<T: Tool> Handler for Erased<T> {
    fn call<'a>(
        &'a self,
        arguments: Value,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Result<RawAnswer, Failure>> {
        Box::pin(async move {
            let input = read_input(arguments)?;
            let Answer { output, meta, content } = self.0.call(input, cx).await?;
            let output = serde_json::to_value(output).map_err(|error| {
                Failure::internal(format!("the answer of {} can't be written: {error}", T::NAME))
            })?;
            Ok(RawAnswer { output, meta, content })
        })
    }
}

/// The second net behind the schema: serde is stricter in places (5.0 is an integer to a schema,
/// not to serde).
fn read_input<I: DeserializeOwned>(arguments: Value) -> Result<I, Failure> {
    serde_json::from_value(arguments).map_err(|error| Failure::invalid("", error.to_string()))
}

/// A tool as the registry holds it: its descriptor and its handler.
#[derive(Clone)]
pub struct Entry {
    /// What clients are told.
    pub descriptor: Arc<Descriptor>,
    /// What runs.
    pub handler: Arc<dyn Handler>,
}

impl Entry {
    /// Describes a tool in its toolset's dialect and erases its types.
    pub fn new<T: Tool>(tool: T, toolset: &'static str, dialect: &dyn Dialect) -> Self {
        let descriptor = Arc::new(Descriptor::of::<T>(toolset, dialect));
        Self { descriptor, handler: Arc::new(Erased(tool)) }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.descriptor.name).finish_non_exhaustive()
    }
}
