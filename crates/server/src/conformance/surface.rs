//! The fixture resources and prompts.

use std::collections::BTreeMap;

use proofstone_contract::{
    BoxFuture, CallCx, Content, Failure, Prompt, PromptArgument, PromptMessage, Prompts, Resource,
    ResourceBody, ResourceTemplate, Resources, Role,
};

use super::PNG;
use super::plain::image;

/// The resources and prompts.
#[derive(Debug, Default)]
pub(super) struct Surface;

impl Resources for Surface {
    fn list(&self) -> Vec<Resource> {
        let resource = |uri: &str, name: &str, mime_type: &str| {
            Resource::new(uri, name, format!("A fixture: {name}"), mime_type)
        };
        vec![
            resource("test://static-text", "static text", "text/plain"),
            resource("test://static-binary", "static binary", "image/png"),
            resource("test://watched-resource", "watched", "text/plain"),
        ]
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate::new(
            "test://template/{id}/data",
            "template",
            "A fixture: data by id",
            "application/json",
        )]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        _cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<ResourceBody>, Failure>>> {
        Box::pin(async move { body(uri).map(|body| Ok(vec![body])) })
    }
}

fn body(uri: &str) -> Option<ResourceBody> {
    let text = |mime_type: &str, text: String| {
        Some(ResourceBody::Text { uri: uri.into(), mime_type: mime_type.into(), text })
    };
    match uri {
        "test://static-text" => {
            text("text/plain", "This is the content of the static text resource.".into())
        }
        "test://watched-resource" => text("text/plain", "Watched.".into()),
        "test://static-binary" => Some(ResourceBody::Blob {
            uri: uri.into(),
            mime_type: "image/png".into(),
            data: PNG.into(),
        }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = serde_json::json!({
                "id": id, "templateTest": true, "data": format!("Data for ID: {id}"),
            });
            text("application/json", data.to_string())
        }
    }
}

impl Prompts for Surface {
    fn list(&self) -> Vec<Prompt> {
        let prompt = |name: &str, arguments: &[&str]| Prompt {
            name: name.into(),
            description: format!("A fixture: {name}"),
            arguments: arguments.iter().map(|name| argument(name)).collect(),
        };
        vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]
    }

    fn get<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a BTreeMap<String, String>,
        _cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Result<Vec<PromptMessage>, Failure>>> {
        Box::pin(async move {
            let contents = contents(name, arguments)?;
            let message = |content| PromptMessage { role: Role::User, content };
            Some(Ok(contents.into_iter().map(message).collect()))
        })
    }
}

fn argument(name: &str) -> PromptArgument {
    PromptArgument {
        name: name.into(),
        description: format!("The argument {name}"),
        required: true,
    }
}

fn contents(name: &str, arguments: &BTreeMap<String, String>) -> Option<Vec<Content>> {
    let given = |name: &str| arguments.get(name).map(String::as_str).unwrap_or_default();
    Some(match name {
        "test_simple_prompt" => vec![Content::text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (given("arg1"), given("arg2"));
            vec![Content::text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = Content::Resource(ResourceBody::Text {
                uri: given("resourceUri").into(),
                mime_type: "text/plain".into(),
                text: "Embedded resource content for testing.".into(),
            });
            vec![resource, Content::text("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => vec![image(), Content::text("Please analyze the image above.")],
        _ => return None,
    })
}
