//! A tool's definition as data: what clients list, goldens keep and the gate validates with.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use crate::{Dialect, Draft, Effect, Limits, Shape, Tool, input_schema, output_schema};

/// Everything that is known about a tool before it is called.
#[derive(Debug)]
pub struct Descriptor {
    /// The name it is called by.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// The toolset it belongs to.
    pub toolset: &'static str,
    /// What a call may change.
    pub effect: Effect,
    /// What every call is held to.
    pub limits: Limits,
    /// Whether the answer is structured.
    pub shape: Shape,
    schemas: OnceLock<Schemas>,
    build: fn(Draft, Option<schemars::Schema>, Shape) -> Schemas,
    draft: Draft,
    failure: Option<schemars::Schema>,
}

/// A tool that is described by data and not by types: one that stands for another's definition.
#[derive(Debug)]
pub struct RawTool {
    /// The name it is called by.
    pub name: &'static str,
    /// What it does, also its title.
    pub description: &'static str,
    /// The toolset it belongs to.
    pub toolset: &'static str,
    /// The schema of the arguments, used as it is.
    pub input_schema: Map<String, Value>,
}

#[derive(Debug)]
struct Schemas {
    input: Arc<Map<String, Value>>,
    output: Option<Arc<Map<String, Value>>>,
}

impl Descriptor {
    /// The descriptor of a tool. Its schemas are made when they are first asked for, so that a
    /// server with many tools starts at once.
    pub fn of<T: Tool>(toolset: &'static str, dialect: &dyn Dialect) -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            description: T::DESCRIPTION,
            toolset,
            effect: T::EFFECT,
            limits: T::LIMITS,
            shape: T::SHAPE,
            schemas: OnceLock::new(),
            build: schemas_of::<T>,
            draft: dialect.draft(),
            failure: dialect.failure_schema(),
        }
    }

    /// The descriptor of a tool that answers in text and is described by data.
    pub fn raw(tool: RawTool) -> Self {
        let schemas = Schemas { input: Arc::new(tool.input_schema), output: None };
        Self {
            name: tool.name,
            title: tool.description,
            description: tool.description,
            toolset: tool.toolset,
            effect: Effect::READS,
            limits: Limits::DEFAULT,
            shape: Shape::Text,
            schemas: OnceLock::from(schemas),
            build: |_, _, _| Schemas { input: Arc::default(), output: None },
            draft: Draft::V2020,
            failure: None,
        }
    }

    /// The schema of the arguments.
    pub fn input_schema(&self) -> &Arc<Map<String, Value>> {
        &self.schemas().input
    }

    /// The schema of the structured answer, failures included where they are structured.
    pub fn output_schema(&self) -> Option<&Arc<Map<String, Value>>> {
        self.schemas().output.as_ref()
    }

    /// The JSON Schema draft of both schemas.
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// The whole definition as JSON: the tool's contract.
    pub fn contract(&self) -> Value {
        let mut contract = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "toolset": self.toolset,
            "annotations": self.effect,
            "limits": {
                "deadlineMs": self.limits.deadline.as_millis() as u64,
                "perMinute": self.limits.per_minute,
                "concurrent": self.limits.concurrent,
            },
            "inputSchema": self.input_schema().as_ref(),
        });
        if let Some(output) = self.output_schema() {
            contract["outputSchema"] = Value::Object(output.as_ref().clone());
        }
        contract
    }

    fn schemas(&self) -> &Schemas {
        self.schemas.get_or_init(|| (self.build)(self.draft, self.failure.clone(), self.shape))
    }
}

fn schemas_of<T: Tool>(draft: Draft, failure: Option<schemars::Schema>, shape: Shape) -> Schemas {
    let output =
        (shape == Shape::Structured).then(|| Arc::new(output_schema::<T::Output>(draft, failure)));
    Schemas { input: Arc::new(input_schema::<T::Input>(draft)), output }
}
