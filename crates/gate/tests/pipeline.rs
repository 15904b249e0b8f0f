//! The life of a call, seen from outside: what a caller gets for each thing that can happen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use expect_test::{Expect, expect};
use proofstone_contract::{
    Answer, CallCx, Dialect, Effect, Entry, Failure, Limits, PlainDialect, Tool, Toolset,
};
use proofstone_gate::{Gate, OutputPolicy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Times {
    /// How often.
    #[schemars(range(min = 1, max = 10))]
    times: u32,
}

#[derive(Serialize, JsonSchema)]
struct Said {
    #[schemars(length(max = 12))]
    text: String,
}

/// Defines a tool in a line: its name, its limits and what it does.
macro_rules! tool {
    ($type:ident, $name:literal, $limits:expr, |$self:ident, $input:ident, $cx:ident| $body:expr) => {
        impl Tool for $type {
            const NAME: &'static str = $name;
            const TITLE: &'static str = $name;
            const DESCRIPTION: &'static str = "For the tests.";
            const EFFECT: Effect = Effect::READS;
            const LIMITS: Limits = $limits;
            type Input = Times;
            type Output = Said;

            async fn call(&$self, $input: Times, $cx: &CallCx) -> Result<Answer<Said>, Failure> {
                $body
            }
        }
    };
}

struct Greet;
tool!(Greet, "greet", Limits::DEFAULT, |self, input, _cx| {
    Ok(Said { text: "hi ".repeat(input.times as usize) }.into())
});

struct Panics;
tool!(Panics, "panics", Limits::DEFAULT, |self, input, _cx| {
    assert!(input.times > 100, "nobody expected {}", input.times);
    Err(Failure::internal("unreachable"))
});

struct Sleeps;
tool!(
    Sleeps,
    "sleeps",
    Limits::DEFAULT.deadline(Duration::from_millis(30)),
    |self, _input, _cx| {
        std::future::pending::<()>().await;
        Err(Failure::internal("unreachable"))
    }
);

struct Spins(Arc<AtomicBool>);
tool!(Spins, "spins", Limits::DEFAULT.deadline(Duration::from_secs(1)), |self, _input, cx| {
    let ended = Arc::clone(&self.0);
    cx.blocking(move |stop| {
        while !stop.requested() {
            std::hint::spin_loop();
        }
        ended.store(true, Ordering::SeqCst);
    })
    .await?;
    Ok(Said { text: "ended".into() }.into())
});

struct Rare;
tool!(Rare, "rare", Limits::DEFAULT.per_minute(2), |self, _input, _cx| {
    Ok(Said { text: "ok".into() }.into())
});

struct Refuses;
tool!(Refuses, "refuses", Limits::DEFAULT, |self, _input, _cx| {
    Err(Failure::refused("NO_SUCH_FILE", "no such file").hint("name one that exists"))
});

struct TestSet(Arc<AtomicBool>);

impl Toolset for TestSet {
    fn name(&self) -> &'static str {
        "test"
    }

    fn summary(&self) -> &'static str {
        "For the tests."
    }

    fn dialect(&self) -> &dyn Dialect {
        &PlainDialect
    }

    fn tools(&self) -> Vec<Entry> {
        let dialect = self.dialect();
        vec![
            Entry::new(Greet, "test", dialect),
            Entry::new(Panics, "test", dialect),
            Entry::new(Sleeps, "test", dialect),
            Entry::new(Spins(Arc::clone(&self.0)), "test", dialect),
            Entry::new(Rare, "test", dialect),
            Entry::new(Refuses, "test", dialect),
        ]
    }
}

fn gate(policy: OutputPolicy) -> (Gate, Arc<AtomicBool>) {
    let ended = Arc::new(AtomicBool::new(false));
    let set: Arc<dyn Toolset> = Arc::new(TestSet(Arc::clone(&ended)));
    (Gate::new(vec![set], policy).expect("no name twice"), ended)
}

async fn answer(gate: &Gate, tool: &str, arguments: Value) -> String {
    let cx = CallCx::builder(".").build();
    match gate.call(tool, arguments, &cx).await {
        Err(unknown) => unknown.to_string(),
        Ok(outcome) => {
            let meta = Value::Object(outcome.rendered.meta.clone());
            let structured = outcome.rendered.structured.clone().unwrap_or_default();
            format!("error: {}\n{structured}\n{meta}", outcome.rendered.is_error)
        }
    }
}

async fn check(tool: &str, arguments: Value, expected: Expect) {
    let (gate, _) = gate(OutputPolicy::Fail);
    expected.assert_eq(&answer(&gate, tool, arguments).await);
}

#[tokio::test]
async fn each_way_a_call_can_end() {
    check(
        "greet",
        json!({"times": 2}),
        expect![[r#"
        error: false
        {"text":"hi hi "}
        {}"#]],
    )
    .await;
    check("greet", json!({"times": 0, "extra": 1}), expect![[r#"
        error: true
        null
        {"proofstone/error":{"code":"INVALID_INPUT","kind":"invalid_input","retryable":false,"pointer":"/times","violations":[{"pointer":"/times","message":"`times` must be at least 1","sent":0,"allowed":"at least 1"},{"pointer":"/extra","message":"unknown field `extra`","allowed":"known fields: times"}]}}"#]]).await;
    check(
        "greet",
        json!({"times": 9}),
        expect![[r#"
        error: true
        null
        {"proofstone/error":{"code":"INTERNAL_ERROR","kind":"internal","retryable":false}}"#]],
    )
    .await;
    check(
        "panics",
        json!({"times": 1}),
        expect![[r#"
        error: true
        null
        {"proofstone/error":{"code":"INTERNAL_ERROR","kind":"internal","retryable":false}}"#]],
    )
    .await;
    check(
        "sleeps",
        json!({"times": 1}),
        expect![[r#"
        error: true
        null
        {"proofstone/error":{"code":"EXECUTION_TIMEOUT","kind":"timed_out","retryable":true}}"#]],
    )
    .await;
    check(
        "refuses",
        json!({"times": 1}),
        expect![[r#"
        error: true
        null
        {"proofstone/error":{"code":"NO_SUCH_FILE","kind":"refused","retryable":false}}"#]],
    )
    .await;
    check("greets", json!({}), expect!["Tool 'greets' not found; did you mean 'greet'?"]).await;
}

#[tokio::test]
async fn a_broken_answer_still_goes_out_in_production() {
    let (gate, _) = gate(OutputPolicy::Report);
    let cx = CallCx::builder(".").build();
    let outcome = gate.call("greet", json!({"times": 9}), &cx).await.unwrap();
    assert!(!outcome.rendered.is_error);
    assert_eq!(outcome.answer_violations[0].pointer, "/text");
    let (_, figures) = gate.figures().next().unwrap();
    assert_eq!((figures.calls, figures.invalid_answers), (1, 1));
}

#[tokio::test]
async fn work_that_heeds_its_deadline_can_still_answer() {
    let (gate, ended) = gate(OutputPolicy::Fail);
    let text = answer(&gate, "spins", json!({"times": 1})).await;
    assert!(text.contains("ended"), "{text}");
    wait_for(&ended).await;
}

#[tokio::test]
async fn dropping_the_call_stops_the_work() {
    let (gate, ended) = gate(OutputPolicy::Fail);
    let cx = CallCx::builder(".").build();
    let call = gate.call("spins", json!({"times": 1}), &cx);
    assert!(tokio::time::timeout(Duration::from_millis(5), call).await.is_err());
    wait_for(&ended).await;
}

#[tokio::test]
async fn a_cancelled_call_says_so() {
    let (gate, _) = gate(OutputPolicy::Fail);
    let cx = CallCx::builder(".").build();
    cx.cancel_token().cancel();
    let outcome = gate.call("sleeps", json!({"times": 1}), &cx).await.unwrap();
    assert_eq!(outcome.failure.unwrap().code, "CANCELLED");
}

#[tokio::test]
async fn the_rate_limit_says_how_long_to_wait() {
    let (gate, _) = gate(OutputPolicy::Fail);
    let cx = CallCx::builder(".").build();
    for _ in 0..2 {
        assert!(gate.call("rare", json!({"times": 1}), &cx).await.unwrap().failure.is_none());
    }
    let failure = gate.call("rare", json!({"times": 1}), &cx).await.unwrap().failure.unwrap();
    assert_eq!(failure.code, "RATE_LIMITED");
    let wait = failure.retry_after.unwrap();
    assert!(wait <= Duration::from_secs(30) && wait > Duration::from_secs(20), "{wait:?}");
    assert!(failure.message.ends_with("try again in 30 seconds"), "{}", failure.message);
}

#[tokio::test]
async fn two_toolsets_with_one_name_are_refused() {
    let ended = Arc::new(AtomicBool::new(false));
    let set: Arc<dyn Toolset> = Arc::new(TestSet(ended));
    let error = Gate::new(vec![Arc::clone(&set), set], OutputPolicy::Fail).unwrap_err();
    assert_eq!(error.to_string(), "both `test` and `test` have a tool named `greet`");
}

async fn wait_for(flag: &AtomicBool) {
    for _ in 0..500 {
        if flag.load(Ordering::SeqCst) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the work went on after nobody wanted it");
}
