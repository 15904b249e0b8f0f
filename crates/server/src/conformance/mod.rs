//! The fixtures of the protocol's official conformance suite, served through our own gate.
//!
//! Hidden: served only when the toolset is named, for the suite that the tests run. The fixtures
//! speak of protocol messages that no other tool should know about, which is why they live here.

mod asking;
mod hello;
mod plain;
mod surface;

use std::sync::Arc;

use proofstone_contract::{
    BoxFuture, CallCx, Completion, CompletionTarget, Content, Descriptor, Dialect, Entry, Failure,
    Handler, Prompts, RawAnswer, RawTool, Rendered, Resources, Toolset,
};
use serde_json::{Map, Value};

use crate::handler::Wire;

pub(crate) use asking::prompt_with_input;

/// A picture of one red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The toolset of the fixtures.
#[derive(Debug, Default)]
pub struct Conformance {
    surface: surface::Surface,
}

impl Toolset for Conformance {
    fn name(&self) -> &'static str {
        "conformance"
    }

    fn summary(&self) -> &'static str {
        "Fixtures of the protocol's conformance suite."
    }

    fn dialect(&self) -> &dyn Dialect {
        &TextDialect
    }

    fn tools(&self) -> Vec<Entry> {
        let mut tools = plain::tools();
        tools.extend(asking::tools());
        tools.push(Entry::new(hello::Hello, "conformance", self.dialect()));
        tools
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&self.surface)
    }

    fn prompts(&self) -> Option<&dyn Prompts> {
        Some(&self.surface)
    }

    fn complete<'a>(
        &'a self,
        target: &'a CompletionTarget,
        _argument: &'a str,
        typed: &'a str,
        _cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Completion>> {
        Box::pin(async move {
            let ours = CompletionTarget::Prompt("test_prompt_with_arguments".into());
            let values = ["paris", "park", "party"].map(str::to_owned);
            let values: Vec<_> = values.into_iter().filter(|v| v.starts_with(typed)).collect();
            (*target == ours).then_some(Completion { total: values.len(), values })
        })
    }
}

/// Failures as plain text, as the suite expects them.
#[derive(Debug)]
struct TextDialect;

impl Dialect for TextDialect {
    fn failure(
        &self,
        _tool: &Descriptor,
        failure: &Failure,
        _elapsed: std::time::Duration,
    ) -> Rendered {
        Rendered {
            is_error: true,
            content: vec![Content::text(failure.message.clone())],
            structured: None,
            meta: Map::new(),
        }
    }
}

/// One call of a fixture.
struct Call {
    arguments: Value,
    cx: CallCx,
}

impl Call {
    /// The protocol's side of the call; there is none on the command line.
    fn wire(&self) -> Result<&Wire, Failure> {
        let none = || Failure::refused("NO_CLIENT", "this fixture needs a client that speaks MCP");
        self.cx.transport::<Wire>().ok_or_else(none)
    }
}

type Blocks = Result<Vec<Content>, Failure>;

/// What a fixture does: anything, or something with the protocol's side of the call alone.
enum Run {
    Anything(fn(Call) -> BoxFuture<'static, Blocks>),
    Asking(fn(&Wire) -> Blocks),
}

struct Fixture(Run);

impl Handler for Fixture {
    fn call<'a>(
        &'a self,
        arguments: Value,
        cx: &'a CallCx,
    ) -> BoxFuture<'a, Result<RawAnswer, Failure>> {
        let call = Call { arguments, cx: cx.clone() };
        Box::pin(async move {
            let content = match self.0 {
                Run::Anything(run) => run(call).await?,
                Run::Asking(run) => run(call.wire()?)?,
            };
            Ok(RawAnswer { output: Value::Null, meta: Map::new(), content: Some(content) })
        })
    }
}

/// The same fixture with a deadline that a test can wait for.
fn hurried(mut entry: Entry) -> Entry {
    if let Some(descriptor) = Arc::get_mut(&mut entry.descriptor) {
        descriptor.limits.deadline = std::time::Duration::from_millis(300);
    }
    entry
}

fn fixture(
    name: &'static str,
    input_schema: Value,
    run: fn(Call) -> BoxFuture<'static, Blocks>,
) -> Entry {
    entry(name, input_schema, Run::Anything(run))
}

fn asking(name: &'static str, run: fn(&Wire) -> Blocks) -> Entry {
    entry(name, plain::none(), Run::Asking(run))
}

fn entry(name: &'static str, input_schema: Value, run: Run) -> Entry {
    let input_schema = match input_schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let description = "A fixture of the protocol's conformance suite.";
    let tool = RawTool { name, description, toolset: "conformance", input_schema };
    Entry { descriptor: Arc::new(Descriptor::raw(tool)), handler: Arc::new(Fixture(run)) }
}
