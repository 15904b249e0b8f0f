//! The pipeline.

use std::any::Any;
use std::fmt;
use std::num::NonZeroU32;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::FutureExt;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use proofstone_contract::{
    CallCx, Descriptor, Entry, Failure, FailureKind, Limits, RawAnswer, Rendered, Toolset,
    Violation,
};
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing::Instrument;

use crate::journal::{Journal, PastCall};
use crate::stats::CallFigures;
use crate::{Checker, Registry, RegistryError, Stats, ToolFigures, UnknownTool};

/// The key under which every failure's machine-readable copy stands.
const ERROR_META: &str = "proofstone/error";

/// The part of its time after which a call is told to stop; at the end of it, it is stopped.
const HEEDED: f64 = 0.9;

/// What happens to an answer that does not fit its own schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPolicy {
    /// The call fails: for tests and debug builds, so that it can't ship.
    Fail,
    /// It is logged and counted, and the answer goes out: a caller is never punished for it.
    Report,
}

impl Default for OutputPolicy {
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Fail } else { Self::Report }
    }
}

/// How a call ended.
#[derive(Debug)]
pub struct Outcome {
    /// What the client is sent.
    pub rendered: Rendered,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// How long it took.
    pub elapsed: Duration,
    /// Where the answer does not fit its own schema.
    pub answer_violations: Vec<Violation>,
    /// Its number in the journal, where one is kept.
    pub number: Option<u64>,
}

/// The way every call takes.
pub struct Gate {
    registry: Registry,
    posts: Vec<Post>,
    stats: Stats,
    policy: OutputPolicy,
    in_flight: AtomicUsize,
    journal: Option<Journal>,
}

/// What guards one tool.
#[derive(Default)]
struct Post {
    rate: Option<DefaultDirectRateLimiter>,
    permits: Option<Semaphore>,
    input: OnceLock<Checker>,
    output: OnceLock<Checker>,
}

impl Post {
    fn new(limits: Limits) -> Self {
        let rate = limits.per_minute.and_then(NonZeroU32::new);
        Self {
            rate: rate.map(|calls| RateLimiter::direct(Quota::per_minute(calls))),
            permits: limits.concurrent.map(Semaphore::new),
            ..Self::default()
        }
    }
}

impl Gate {
    /// A gate in front of the tools of these toolsets.
    pub fn new(
        toolsets: Vec<Arc<dyn Toolset>>,
        policy: OutputPolicy,
    ) -> Result<Self, RegistryError> {
        let registry = Registry::new(toolsets)?;
        let posts = registry.descriptors().map(|tool| Post::new(tool.limits)).collect();
        let stats = Stats::for_tools(registry.len());
        let in_flight = AtomicUsize::new(0);
        Ok(Self { registry, posts, stats, policy, in_flight, journal: None })
    }

    /// The same gate, which remembers so many of the last calls.
    pub fn remembering(mut self, calls: usize) -> Self {
        self.journal = Some(Journal::new(calls));
        self
    }

    /// The last calls, the latest first; none where no journal is kept.
    pub fn last_calls(&self, most: usize) -> Vec<PastCall> {
        self.journal.as_ref().map(|journal| journal.last(most)).unwrap_or_default()
    }

    /// One of the last calls.
    pub fn past_call(&self, number: u64) -> Option<PastCall> {
        self.journal.as_ref()?.find(number)
    }

    /// The tools behind the gate.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// How many calls are being served right now.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Each tool's figures, in the order the tools are listed.
    pub fn figures(&self) -> impl Iterator<Item = (&Descriptor, ToolFigures)> {
        self.registry
            .descriptors()
            .enumerate()
            .map(|(index, tool)| (tool.as_ref(), self.stats.tool(index)))
    }

    /// Calls a tool. The only error is that there is none of that name; everything else that can go
    /// wrong is an answer.
    pub async fn call(
        &self,
        name: &str,
        arguments: Value,
        cx: &CallCx,
    ) -> Result<Outcome, UnknownTool> {
        let tool = self.registry.find(name)?;
        let _here = Presence::new(&self.in_flight);
        let started = Instant::now();
        let sent = tracing::enabled!(tracing::Level::INFO).then(|| arguments.to_string().len());
        tracing::debug!(tool = name, session = cx.session(), %arguments, "call");
        let span = tracing::info_span!("tool_call", tool = name, session = cx.session());
        let noted = self.journal.as_ref().map(|journal| (journal, arguments.clone()));
        let admitted =
            self.admit(tool, &arguments).and_then(|()| check_rate(name, &self.posts[tool]));
        let result = match admitted {
            Ok(()) => self.guarded(tool, arguments, cx, started).instrument(span).await,
            Err(refused) => Err(refused),
        };
        let mut outcome = self.settle(tool, result, started);
        self.count(tool, &outcome);
        if let Some((journal, arguments)) = noted {
            let name = self.registry.entry(tool).descriptor.name;
            outcome.number = Some(journal.write(name, cx.session(), arguments, &outcome));
        }
        log_line(name, cx, &outcome, sent);
        Ok(outcome)
    }

    /// Calls a tool on behalf of somebody who watches: the same checks and limits, but the call is
    /// neither counted nor remembered and uses up no rate, so that watching does not change what is
    /// watched.
    pub async fn observe(
        &self,
        name: &str,
        arguments: Value,
        cx: &CallCx,
    ) -> Result<Outcome, UnknownTool> {
        let tool = self.registry.find(name)?;
        let started = Instant::now();
        let result = match self.admit(tool, &arguments) {
            Ok(()) => self.guarded(tool, arguments, cx, started).await,
            Err(refused) => Err(refused),
        };
        Ok(self.settle(tool, result, started))
    }

    /// Whether the arguments fit the tool's schema.
    fn admit(&self, tool: usize, arguments: &Value) -> Result<(), Failure> {
        check_input(self.registry.entry(tool), &self.posts[tool], arguments)
    }

    async fn guarded(
        &self,
        tool: usize,
        arguments: Value,
        cx: &CallCx,
        started: Instant,
    ) -> Result<RawAnswer, Failure> {
        let entry = self.registry.entry(tool);
        let post = &self.posts[tool];
        let limit = entry.descriptor.limits.deadline;
        // Work is told to stop a little early, so that it can still answer with what it has.
        let cx = cx.ending_at(started + limit.mul_f64(HEEDED));
        // Whatever ends this call, work that it left behind on other threads is told to stop.
        let _stop = cx.cancel_token().clone().drop_guard();
        let work = async {
            let _permit = match &post.permits {
                Some(permits) => permits.acquire().await.ok(),
                None => None,
            };
            AssertUnwindSafe(entry.handler.call(arguments, &cx)).catch_unwind().await
        };
        tokio::select! {
            biased;
            done = work => done.unwrap_or_else(|panic| Err(panicked(entry, panic.as_ref()))),
            () = cx.cancel_token().cancelled() => Err(cancelled(entry)),
            () = tokio::time::sleep_until((started + limit).into()) => Err(timed_out(entry, limit)),
        }
    }

    /// Checks and renders the result.
    fn settle(&self, tool: usize, result: Result<RawAnswer, Failure>, started: Instant) -> Outcome {
        let descriptor = &self.registry.entry(tool).descriptor;
        let dialect = self.registry.dialect(tool);
        let render_failure = |failure: &Failure| {
            let mut rendered = dialect.failure(descriptor, failure, started.elapsed());
            rendered.meta.insert(ERROR_META.into(), failure.summary());
            rendered
        };
        let (mut rendered, mut failure) = match result {
            Ok(answer) => (dialect.success(descriptor, answer), None),
            Err(failure) => (render_failure(&failure), Some(failure)),
        };
        let answer_violations = self.check_output(tool, &rendered);
        if !answer_violations.is_empty() {
            tracing::warn!(
                tool = descriptor.name,
                ?answer_violations,
                "an answer breaks its schema"
            );
            if self.policy == OutputPolicy::Fail {
                let broken = broken_answer(descriptor, &answer_violations);
                rendered = render_failure(&broken);
                failure = Some(broken);
            }
        }
        let elapsed = started.elapsed();
        Outcome { rendered, failure, elapsed, answer_violations, number: None }
    }

    fn count(&self, tool: usize, outcome: &Outcome) {
        let failure = outcome.failure.as_ref();
        self.stats.record(
            tool,
            &CallFigures {
                elapsed: outcome.elapsed,
                failure: failure.map(|failure| failure.code.as_ref()),
                rate_limited: failure.is_some_and(|f| f.kind == FailureKind::RateLimited),
                invalid_answer: !outcome.answer_violations.is_empty(),
            },
        );
    }

    fn check_output(&self, tool: usize, rendered: &Rendered) -> Vec<Violation> {
        let descriptor = &self.registry.entry(tool).descriptor;
        match (descriptor.output_schema(), &rendered.structured) {
            (Some(schema), Some(answer)) => {
                self.posts[tool].output.get_or_init(|| Checker::new(schema)).violations(answer)
            }
            _ => Vec::new(),
        }
    }
}

/// Counts a call while it lasts, also when it is dropped.
struct Presence<'a>(&'a AtomicUsize);

impl<'a> Presence<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate")
            .field("registry", &self.registry)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

fn check_input(entry: &Entry, post: &Post, arguments: &Value) -> Result<(), Failure> {
    let checker = post.input.get_or_init(|| Checker::new(entry.descriptor.input_schema()));
    let violations = checker.violations(arguments);
    if violations.is_empty() {
        return Ok(());
    }
    let said: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    let message = format!("invalid input for {}: {}", entry.descriptor.name, said.join("; "));
    Err(Failure { violations, ..Failure::new(FailureKind::InvalidInput, "INVALID_INPUT", message) })
}

fn check_rate(name: &str, post: &Post) -> Result<(), Failure> {
    let Some(Err(early)) = post.rate.as_ref().map(RateLimiter::check) else { return Ok(()) };
    let wait = early.wait_time_from(DefaultClock::default().now());
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    let message = format!("Rate limit exceeded for {name}; try again in {seconds} seconds");
    let failure = Failure {
        retry_after: Some(wait),
        ..Failure::new(FailureKind::RateLimited, "RATE_LIMITED", message)
    };
    Err(failure.detail("retryAfterSeconds", seconds))
}

fn panicked(entry: &Entry, panic: &(dyn Any + Send)) -> Failure {
    let name = entry.descriptor.name;
    let said = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    tracing::error!(tool = name, panic = said, "a tool panicked");
    Failure::internal(format!("{name} stopped on an internal fault: {said}"))
        .hint("the server is still up; this is a bug worth reporting")
}

fn cancelled(entry: &Entry) -> Failure {
    let name = entry.descriptor.name;
    Failure::new(FailureKind::Cancelled, "CANCELLED", format!("{name} was cancelled"))
}

fn timed_out(entry: &Entry, limit: Duration) -> Failure {
    let (name, ms) = (entry.descriptor.name, limit.as_millis());
    let message = format!("Tool {name} exceeded {ms}ms");
    let failure = Failure::new(FailureKind::TimedOut, "EXECUTION_TIMEOUT", message);
    match entry.descriptor.effect.read_only {
        true => failure,
        false => {
            failure.hint("it may have taken effect all the same: look before calling it again")
        }
    }
}

fn broken_answer(tool: &Descriptor, violations: &[Violation]) -> Failure {
    let said: Vec<String> =
        violations.iter().map(|v| format!("{} {}", v.pointer, v.message)).collect();
    Failure::internal(format!(
        "{} gave an answer that breaks its schema: {}",
        tool.name,
        said.join("; ")
    ))
}

fn log_line(tool: &str, cx: &CallCx, outcome: &Outcome, sent: Option<usize>) {
    tracing::info!(
        tool,
        session = cx.session(),
        ms = outcome.elapsed.as_secs_f64() * 1e3,
        outcome = outcome.failure.as_ref().map_or("ok", |failure| failure.code.as_ref()),
        bytes_in = sent,
        bytes_out = outcome.rendered.text().len(),
        "called"
    );
}
