//! The figures that answers are made of, as JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::ranges::LineSpan;
use crate::ratio::{Ratio, Tenths};

/// A percentage from 0 to 100 with one decimal; a whole one is written without a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Percent(pub(crate) Tenths);

/// A change of a percentage, from -100 to 100.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change(pub(crate) Tenths);

fn number<S: Serializer>(tenths: Tenths, serializer: S) -> Result<S::Ok, S::Error> {
    match tenths.as_whole() {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(tenths.as_f64()),
    }
}

impl Serialize for Percent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        number(self.0, serializer)
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        number(self.0, serializer)
    }
}

impl JsonSchema for Percent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Percent".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
}

impl JsonSchema for Change {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Change".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": -100, "maximum": 100 })
    }
}

/// An object from paths to values, in the order it was made.
#[derive(Clone, Debug)]
pub(crate) struct Record<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Record<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<T: JsonSchema> JsonSchema for Record<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Record_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let values = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": values })
    }
}

/// So many of so many, with the percentage.
#[derive(Clone, Copy, Debug, serde::Serialize, JsonSchema)]
pub(crate) struct Figures {
    /// How many were hit
    pub(crate) hit: u64,
    /// How many there are
    pub(crate) found: u64,
    /// The percentage, one decimal
    pub(crate) percent: Percent,
}

impl From<Ratio> for Figures {
    fn from(ratio: Ratio) -> Self {
        Self { hit: ratio.hit, found: ratio.found, percent: Percent(ratio.percent()) }
    }
}

/// Lines from start to end, both included.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Span {
    /// First line
    #[schemars(range(min = 1))]
    pub(crate) start: u32,
    /// Last line
    #[schemars(range(min = 1))]
    pub(crate) end: u32,
}

impl From<LineSpan> for Span {
    fn from(span: LineSpan) -> Self {
        Self { start: span.start, end: span.end }
    }
}

/// Keeps as many spans as the budget has left; what is cut is counted.
pub(crate) fn within_budget(spans: Vec<LineSpan>, left: &mut usize, cut: &mut usize) -> Vec<Span> {
    let kept = spans.len().min(*left);
    *left -= kept;
    *cut += spans.len() - kept;
    spans.into_iter().take(kept).map(Span::from).collect()
}
