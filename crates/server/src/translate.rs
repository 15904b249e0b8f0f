//! Between the contract's words and the protocol's.

use proofstone_contract as ours;
use rmcp::model as theirs;
use serde_json::{Map, Value};

/// A tool as clients list it.
pub(crate) fn tool(descriptor: &ours::Descriptor) -> theirs::Tool {
    let effect = descriptor.effect;
    let annotations = theirs::ToolAnnotations::with_title(descriptor.title)
        .read_only(effect.read_only)
        .destructive(effect.destructive)
        .idempotent(effect.idempotent)
        .open_world(effect.open_world);
    let mut tool = theirs::Tool::new(
        descriptor.name,
        descriptor.description,
        descriptor.input_schema().clone(),
    )
    .with_title(descriptor.title)
    .with_annotations(annotations);
    tool.output_schema = descriptor.output_schema().cloned();
    tool
}

/// A call's outcome as the protocol's result.
pub(crate) fn result(rendered: ours::Rendered) -> theirs::CallToolResult {
    let content = rendered.content.into_iter().map(block).collect();
    let mut result = match rendered.is_error {
        true => theirs::CallToolResult::error(content),
        false => theirs::CallToolResult::success(content),
    };
    result.structured_content = rendered.structured;
    result.meta = meta(rendered.meta);
    result
}

fn meta(meta: Map<String, Value>) -> Option<theirs::MetaObject> {
    if meta.is_empty() {
        return None;
    }
    serde_json::from_value(Value::Object(meta)).ok()
}

/// A block of content.
pub(crate) fn block(content: ours::Content) -> theirs::ContentBlock {
    match content {
        ours::Content::Text(text) => theirs::ContentBlock::text(text),
        ours::Content::Image { data, mime_type } => theirs::ContentBlock::image(data, mime_type),
        ours::Content::Audio { data, mime_type } => theirs::ContentBlock::audio(data, mime_type),
        ours::Content::Resource(body) => theirs::ContentBlock::resource(contents(body)),
    }
}

/// A resource's content.
pub(crate) fn contents(body: ours::ResourceBody) -> theirs::ResourceContents {
    match body {
        ours::ResourceBody::Text { uri, mime_type, text } => {
            theirs::ResourceContents::text(text, uri).with_mime_type(mime_type)
        }
        ours::ResourceBody::Blob { uri, mime_type, data } => {
            theirs::ResourceContents::blob(data, uri).with_mime_type(mime_type)
        }
    }
}

/// A resource as clients list it.
pub(crate) fn resource(resource: ours::Resource) -> theirs::Resource {
    theirs::Resource::new(resource.uri, resource.name)
        .with_description(resource.description)
        .with_mime_type(resource.mime_type)
}

/// A resource template as clients list it.
pub(crate) fn template(template: ours::ResourceTemplate) -> theirs::ResourceTemplate {
    theirs::ResourceTemplate::new(template.uri_template, template.name)
        .with_description(template.description)
        .with_mime_type(template.mime_type)
}

/// A prompt as clients list it.
pub(crate) fn prompt(prompt: ours::Prompt) -> theirs::Prompt {
    let arguments = prompt.arguments.into_iter().map(|argument| {
        theirs::PromptArgument::new(argument.name)
            .with_description(argument.description)
            .with_required(argument.required)
    });
    theirs::Prompt::new(prompt.name, Some(prompt.description), Some(arguments.collect()))
}

/// A message of a prompt.
pub(crate) fn message(message: ours::PromptMessage) -> theirs::PromptMessage {
    let role = match message.role {
        ours::Role::User => theirs::Role::User,
        ours::Role::Assistant => theirs::Role::Assistant,
    };
    theirs::PromptMessage::new(role, block(message.content))
}

/// A failure outside a tool call, where the protocol has only its own errors.
pub(crate) fn protocol_error(failure: &ours::Failure) -> rmcp::ErrorData {
    let data = Some(failure.summary());
    match failure.kind {
        ours::FailureKind::InvalidInput | ours::FailureKind::Refused => {
            rmcp::ErrorData::invalid_params(failure.message.clone(), data)
        }
        _ => rmcp::ErrorData::internal_error(failure.message.clone(), data),
    }
}
