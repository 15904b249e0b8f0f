//! Fixtures that answer at once, log, or report progress.

use std::time::Duration;

use proofstone_contract::{Content, Entry, Failure, LogLevel, ResourceBody};
use serde_json::{Value, json};

use super::{Call, PNG, WAV, fixture, hurried};

pub(super) fn tools() -> Vec<Entry> {
    vec![
        fixture("test_simple_text", none(), |_| {
            Box::pin(async { text("This is a simple text response for testing.") })
        }),
        fixture("test_image_content", none(), |_| Box::pin(async { Ok(vec![image()]) })),
        fixture("test_audio_content", none(), |_| {
            let sound = Content::Audio { data: WAV.into(), mime_type: "audio/wav".into() };
            Box::pin(async { Ok(vec![sound]) })
        }),
        fixture("test_embedded_resource", none(), |_| Box::pin(async { Ok(vec![embedded()]) })),
        fixture("test_multiple_content_types", none(), |_| Box::pin(async { Ok(mixed()) })),
        fixture("test_error_handling", none(), |_| {
            let said = "This tool intentionally returns an error for testing";
            Box::pin(async move { Err(Failure::refused("INTENDED", said)) })
        }),
        fixture("test_tool_with_logging", none(), |call| Box::pin(with_logging(call))),
        fixture("test_logging_tool", none(), |call| Box::pin(with_logging(call))),
        fixture("test_tool_with_progress", none(), |call| Box::pin(with_progress(call))),
        fixture("test_reconnection", none(), |_| Box::pin(async { text("reconnected") })),
        fixture("json_schema_2020_12_tool", schema_2020_12(), |_| Box::pin(async { text("ok") })),
        fixture("fault_panics", none(), |_| Box::pin(async { panic!("a fixture that panics") })),
        hurried(fixture("fault_never_returns", none(), |_| Box::pin(std::future::pending()))),
        fixture("fault_slow", none(), |_| Box::pin(slow())),
        fixture("fault_spins", none(), |call| Box::pin(spins(call))),
        fixture("test_x_mcp_header", with_header(), |_| Box::pin(async { text("ok") })),
    ]
}

/// The schema of no arguments.
pub(super) fn none() -> Value {
    json!({ "type": "object", "properties": {} })
}

#[expect(clippy::unnecessary_wraps, reason = "every fixture ends with it")]
pub(super) fn text(text: &str) -> super::Blocks {
    Ok(vec![Content::text(text)])
}

pub(super) fn image() -> Content {
    Content::Image { data: PNG.into(), mime_type: "image/png".into() }
}

fn embedded() -> Content {
    Content::Resource(ResourceBody::Text {
        uri: "test://embedded-resource".into(),
        mime_type: "text/plain".into(),
        text: "This is an embedded resource content.".into(),
    })
}

fn mixed() -> Vec<Content> {
    let resource = Content::Resource(ResourceBody::Text {
        uri: "test://mixed-content-resource".into(),
        mime_type: "application/json".into(),
        text: r#"{"test":"data","value":123}"#.into(),
    });
    vec![Content::text("Multiple content types test:"), image(), resource]
}

async fn with_logging(call: Call) -> super::Blocks {
    let steps = ["Tool execution started", "Tool processing data", "Tool execution completed"];
    for step in steps {
        call.cx.log(LogLevel::Info, step);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    text("Tool with logging executed successfully")
}

async fn with_progress(call: Call) -> super::Blocks {
    for done in [0.0, 50.0, 100.0] {
        call.cx.progress(done, Some(100.0), None);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    text("Tool with progress executed successfully")
}

async fn slow() -> super::Blocks {
    tokio::time::sleep(Duration::from_millis(800)).await;
    text("slow and done")
}

/// Keeps a core busy until it is told to stop.
async fn spins(call: Call) -> super::Blocks {
    call.cx
        .blocking(|stop| {
            while !stop.requested() {
                std::hint::spin_loop();
            }
        })
        .await?;
    text("stopped")
}

fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn with_header() -> Value {
    json!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    })
}
