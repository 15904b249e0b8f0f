//! The one handler of all protocol messages, for every revision and every transport.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofstone_contract::{CallCx, CompletionTarget, Failure, Toolset};
use proofstone_gate::Gate;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, InputRequiredResult, InputResponses,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use crate::clients::{Clients, Seat};
use crate::link::{self, Link, Loudness, RequestContextParts};
use crate::own::{self, OwnResources};
use crate::subscriptions::{self, Changes, Subscriptions};
use crate::translate;

/// No call takes longer than this, whatever its tool allows.
const LONGEST_CALL: Duration = Duration::from_hours(1);
/// How a client asks for pages: a number under this key of a list request's `_meta`.
const PAGE_SIZE: &str = "proofstone/pageSize";

/// What is served: the gate and the project it works on.
#[derive(Debug)]
pub struct Serving {
    /// The way every call takes.
    pub gate: Gate,
    /// The project.
    pub root: PathBuf,
    changes: Changes,
    clients: Arc<Clients>,
}

impl Serving {
    /// Serves what is behind the gate, for a project.
    pub fn new(gate: Gate, root: PathBuf) -> Self {
        Self { gate, root, changes: Changes::default(), clients: Arc::default() }
    }
}

impl proofstone_console::Host for Serving {
    fn gate(&self) -> &Gate {
        &self.gate
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn clients(&self) -> Vec<proofstone_console::Client> {
        self.clients.list()
    }
}

/// One session's handler.
#[derive(Debug, Clone)]
pub struct Mcp {
    serving: Arc<Serving>,
    session: Arc<str>,
    loudness: Arc<Loudness>,
    subscriptions: Arc<Subscriptions>,
    seat: Arc<Seat>,
}

/// The protocol's side of a call, for tools that belong to the protocol.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) context: RequestContext<RoleServer>,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    /// An answer that replaces the tool's own.
    pub(crate) instead: Mutex<Option<Result<CallToolResponse, ErrorData>>>,
}

impl Mcp {
    /// A handler for one session.
    pub fn new(serving: Arc<Serving>, session: impl Into<Arc<str>>) -> Self {
        Self {
            seat: Arc::new(Seat::new(&serving.clients)),
            serving,
            session: session.into(),
            loudness: Arc::default(),
            subscriptions: Arc::default(),
        }
    }

    fn toolsets(&self) -> &[Arc<dyn Toolset>] {
        self.serving.gate.registry().toolsets()
    }

    fn own(&self) -> OwnResources<'_> {
        OwnResources(&self.serving.gate)
    }

    fn cx(&self) -> CallCx {
        CallCx::builder(&self.serving.root).session(self.session_name()).time(LONGEST_CALL).build()
    }

    fn session_name(&self) -> Arc<str> {
        Arc::clone(&self.session)
    }

    async fn run(
        &self,
        name: &str,
        arguments: Value,
        input_responses: Option<InputResponses>,
        request_state: Option<String>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.seat.seen(&context, true);
        let asks_later =
            context.protocol_version().is_some_and(|version| !version.has_initialize());
        let session = (!asks_later).then_some(self.loudness.as_ref());
        let parts = RequestContextParts::new(&context, session);
        let (link, mut heard) = Link::new(&context, input_responses.clone(), asks_later);
        let link = Arc::new(link);
        let cancel = context.ct.clone();
        let wire = Wire { context, input_responses, request_state, instead: Mutex::default() };
        let wire = Arc::new(wire);
        let cx = CallCx::builder(&self.serving.root)
            .session(self.session_name())
            .time(LONGEST_CALL)
            .cancel_token(cancel)
            .link(Arc::clone(&link) as _)
            .transport(Arc::clone(&wire) as _)
            .build();
        let call = self.serving.gate.call(name, arguments, &cx);
        tokio::pin!(call);
        let outcome = loop {
            tokio::select! {
                biased;
                Some(said) = heard.recv() => link::send(said, &parts).await,
                outcome = &mut call => break outcome,
            }
        };
        while let Ok(said) = heard.try_recv() {
            link::send(said, &parts).await;
        }
        let outcome =
            outcome.map_err(|unknown| ErrorData::invalid_params(unknown.to_string(), None))?;
        self.serving.changes.announce(own::METRICS);
        let instead = wire.instead.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(instead) = instead {
            return instead;
        }
        let questions = link.questions();
        if !questions.is_empty() {
            return Ok(InputRequiredResult::from_input_requests(questions).into());
        }
        Ok(translate::result(outcome.rendered).into())
    }

    /// The server's instructions: each toolset's, under its name.
    fn instructions(&self) -> String {
        let parts = self.toolsets().iter().map(|set| match set.instructions() {
            "" => format!("{}: {}", set.name(), set.summary()),
            more => format!("{}: {} {more}", set.name(), set.summary()),
        });
        parts.collect::<Vec<_>>().join("\n")
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .build();
        announce_logging(&mut capabilities);
        let mut config = ServerConfig::new(capabilities);
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config.server_info = Implementation::new("proofstone", env!("CARGO_PKG_VERSION"));
        config.server_info.title = Some("Proofstone".into());
        config.instructions = Some(self.instructions());
        config
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.seat.seen(&context, false);
        let tools = self.serving.gate.registry().descriptors().map(|tool| translate::tool(tool));
        let (tools, next_cursor) = page(tools.collect(), request.as_ref(), &context)?;
        Ok(ListToolsResult { tools, next_cursor, ..Default::default() })
    }

    /// The definition that headers mirroring a call's arguments are checked against.
    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.serving.gate.registry().descriptor(name).ok().map(|tool| translate::tool(tool))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let CallToolRequestParams { name, input_responses, request_state, .. } = request;
        self.run(&name, arguments, input_responses, request_state, context).await
    }

    /// Requests that rmcp could not read as one of the protocol's arrive here too. A tool call whose
    /// arguments are not an object still gets the answer of its contract.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        if method == "tools/call" {
            return self.misshapen_call(params.unwrap_or_default(), context).await;
        }
        let of_sessions = has_sessions(&context);
        let known = KNOWN_METHODS.contains(&method.as_str())
            || (of_sessions && SESSION_METHODS.contains(&method.as_str()));
        if known {
            let said = format!("the parameters of `{method}` don't have the shape that it takes");
            return Err(ErrorData::invalid_params(said, None));
        }
        let said = format!("there is no method `{method}`");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, said, None))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let sets = self.toolsets().iter().filter_map(|set| set.resources());
        let all = self.own().list().into_iter().chain(sets.flat_map(|set| set.list()));
        let all = all.map(translate::resource).collect();
        let (resources, next_cursor) = page(all, request.as_ref(), &context)?;
        Ok(ListResourcesResult { resources, next_cursor, ..Default::default() })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let sets = self.toolsets().iter().filter_map(|set| set.resources());
        let all = OwnResources::templates().into_iter().chain(sets.flat_map(|set| set.templates()));
        let all = all.map(translate::template).collect();
        let (resource_templates, next_cursor) = page(all, request.as_ref(), &context)?;
        Ok(ListResourceTemplatesResult { resource_templates, next_cursor, ..Default::default() })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let cx = self.cx();
        if let Some(body) = self.own().read(&request.uri) {
            return Ok(ReadResourceResult::new(vec![translate::contents(body)]).into());
        }
        for resources in self.toolsets().iter().filter_map(|set| set.resources()) {
            if let Some(read) = resources.read(&request.uri, &cx).await {
                let bodies = read.map_err(|failure| translate::protocol_error(&failure))?;
                let contents = bodies.into_iter().map(translate::contents).collect();
                return Ok(ReadResourceResult::new(contents).into());
            }
        }
        let said = format!("there is no resource {}", request.uri);
        Err(ErrorData::resource_not_found(said, Some(json!({ "uri": request.uri }))))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let sets = self.toolsets().iter().filter_map(|set| set.prompts());
        let all = sets.flat_map(|set| set.list()).map(translate::prompt).collect();
        let (prompts, next_cursor) = page(all, request.as_ref(), &context)?;
        Ok(ListPromptsResult { prompts, next_cursor, ..Default::default() })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(response) = crate::conformance::prompt_with_input(self.toolsets(), &request) {
            return Ok(response);
        }
        let _ = context;
        let arguments = texts(request.arguments.unwrap_or_default());
        let cx = self.cx();
        for prompts in self.toolsets().iter().filter_map(|set| set.prompts()) {
            let known = prompts.list().into_iter().find(|prompt| prompt.name == request.name);
            if let Some(known) = &known {
                check_arguments(known, &arguments)?;
            }
            if let Some(got) = prompts.get(&request.name, &arguments, &cx).await {
                let messages = got.map_err(|failure| translate::protocol_error(&failure))?;
                let messages = messages.into_iter().map(translate::message).collect();
                let mut result = GetPromptResult::new(messages);
                result.description = known.map(|prompt| prompt.description);
                return Ok(result.into());
            }
        }
        Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let target = match &request.r#ref {
            Reference::Prompt(prompt) => CompletionTarget::Prompt(prompt.name.clone()),
            Reference::Resource(resource) => CompletionTarget::Resource(resource.uri.clone()),
            _ => return Ok(CompleteResult::default()),
        };
        let (argument, typed, cx) = (&request.argument.name, &request.argument.value, self.cx());
        let mut found = self.own().complete(&target, argument, typed);
        for set in self.toolsets() {
            if found.is_none() {
                found = set.complete(&target, argument, typed, &cx).await;
            }
        }
        let found = found.unwrap_or_default();
        let (total, mut values) = (found.total.max(found.values.len()), found.values);
        values.truncate(CompletionInfo::MAX_VALUES);
        let more = total > values.len();
        let info = CompletionInfo::with_pagination(values, Some(total as u32), more)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    #[expect(deprecated, reason = "clients of the older revisions set their log level with it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let level = serde_json::to_value(request.level).unwrap_or_default();
        self.loudness.set(link::log_level(level.as_str().unwrap_or_default()));
        Ok(())
    }

    async fn subscribe(
        &self,
        request: rmcp::model::SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.add(request.uri, context.peer, &self.serving.changes);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: rmcp::model::UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        subscriptions::listen(&context, &self.serving.changes).await;
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }
}

impl Mcp {
    /// A `tools/call` whose parameters rmcp can't read, mostly because the arguments are a list.
    async fn misshapen_call(
        &self,
        params: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            let said = "`tools/call` takes the tool's `name` as text, and `arguments` as an object";
            return Err(ErrorData::invalid_params(said, None));
        };
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        if arguments.is_object() {
            let said = "the parameters of `tools/call` don't have the shape that it takes";
            return Err(ErrorData::invalid_params(said, None));
        }
        let of_sessions = has_sessions(&context);
        let response = self.run(name, arguments, None, None, context).await?;
        let CallToolResponse::Complete(mut result) = response else {
            return Err(ErrorData::internal_error("the call could not be answered", None));
        };
        if of_sessions {
            result.result_type = None;
        }
        serde_json::to_value::<CallToolResult>(result)
            .map(CustomResult::new)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

/// The protocol's methods, to tell a wrong shape from a wrong name.
const KNOWN_METHODS: [&str; 8] = [
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Those that the revisions before 2026-07-28 have besides.
const SESSION_METHODS: [&str; 4] =
    ["initialize", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];

/// Whether the request is of a revision with sessions: before 2026-07-28.
fn has_sessions(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_none_or(|version| version.has_initialize())
}

fn announce_logging(capabilities: &mut ServerCapabilities) {
    capabilities.logging = Some(Map::new());
}

/// The page that a list request asks for, and where the next one starts. Everything is one page
/// unless the client names a size.
fn page<T>(
    mut all: Vec<T>,
    request: Option<&PaginatedRequestParams>,
    context: &RequestContext<RoleServer>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor.as_deref());
    let start = match cursor.map(str::parse::<usize>) {
        None => 0,
        Some(Ok(start)) if start <= all.len() => start,
        Some(_) => {
            let said = "the cursor is not one that this list gave; start again without a cursor";
            return Err(ErrorData::invalid_params(said, None));
        }
    };
    let size = context.meta.get(PAGE_SIZE).and_then(Value::as_u64).filter(|size| *size > 0);
    let rest = all.split_off(start);
    let Some(size) = size.map(|size| size as usize).filter(|size| *size < rest.len()) else {
        return Ok((rest, None));
    };
    Ok((rest.into_iter().take(size).collect(), Some((start + size).to_string())))
}

fn texts(arguments: Map<String, Value>) -> BTreeMap<String, String> {
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    arguments.into_iter().map(|(name, value)| (name, text(value))).collect()
}

fn check_arguments(
    prompt: &proofstone_contract::Prompt,
    arguments: &BTreeMap<String, String>,
) -> Result<(), ErrorData> {
    let missing =
        prompt.arguments.iter().filter(|a| a.required && !arguments.contains_key(&a.name));
    let missing: Vec<&str> = missing.map(|argument| argument.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let said = format!("the prompt `{}` needs {}", prompt.name, missing.join(", "));
    Err(translate::protocol_error(&Failure::invalid("", said)))
}
