//! What the tools' inputs and answers share: calls as text, addresses, wei, and what a transaction looks like.

use std::sync::Arc;
use std::time::Duration;

use proofstone_contract::{CallCx, Failure, Limits};
use proofstone_evm::abi::CallSyntaxError;
use proofstone_evm::campaign::{CorpusTransaction, InjectError};
use proofstone_evm::input::Transaction;
use proofstone_evm::report::Step;
use proofstone_evm::{Address, U256};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::place::PlaceError;
use crate::run::Run;
use crate::start::StartError;

/// The contract gives its nine tools this long.
pub(crate) const PROMPT: Limits = Limits::DEFAULT.deadline(Duration::from_millis(100));

/// Who sends if nobody is named.
pub(crate) const SENDER: &str = "0x0000000000000000000000000000000000010000";

/// Solidity-like function call (Clarification #1)
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend(
    "pattern" = "^[a-zA-Z_][a-zA-Z0-9_]*\\([^)]*\\)$",
    "examples" = [
        "transfer(0x1234567890abcdef1234567890abcdef12345678, 100)",
        "approve(0xabcd..., 1000000000000000000)",
        "deposit()"
    ]
))]
pub(crate) struct Call(pub(crate) String);

pub(crate) fn default_sender() -> String {
    SENDER.to_owned()
}

pub(crate) fn default_value() -> String {
    "0".to_owned()
}

/// A sequence as the tools take it, read as far as the ABI is not needed.
pub(crate) struct Wanted {
    pub(crate) calls: Vec<String>,
    pub(crate) sender: Address,
    pub(crate) value: U256,
}

impl Wanted {
    pub(crate) fn read(calls: Vec<Call>, sender: &str, value: &str) -> Result<Self, Failure> {
        Ok(Self {
            calls: calls.into_iter().map(|call| call.0).collect(),
            sender: address(sender)?,
            value: wei("/value", value)?,
        })
    }
}

pub(crate) fn address(text: &str) -> Result<Address, Failure> {
    let problem = "must be an address: 0x and 40 hexadecimal digits";
    text.parse().map_err(|_| Failure::invalid("/sender", format!("sender {problem}, not `{text}`")))
}

/// Decimal only: the contract allows no hexadecimal amounts.
pub(crate) fn wei(pointer: &str, text: &str) -> Result<U256, Failure> {
    let name = pointer.trim_start_matches('/');
    let decimal = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = decimal.then(|| U256::from_str_radix(text, 10).ok()).flatten();
    value.ok_or_else(|| {
        let said = "must be an amount of wei as a decimal number below 2^256";
        Failure::invalid(pointer, format!("{name} {said}, not `{text}`"))
    })
}

/// The campaign: running, over, or saved by a server before this one; or how to start one.
pub(crate) async fn campaign(desk: &Arc<Desk>, cx: &CallCx) -> Result<Arc<Run>, Failure> {
    let found = campaign_if_any(desk, cx).await?;
    found.ok_or_else(|| Failure::refused("NO_CAMPAIGN", NO_CAMPAIGN))
}

pub(crate) async fn campaign_if_any(
    desk: &Arc<Desk>,
    cx: &CallCx,
) -> Result<Option<Arc<Run>>, Failure> {
    if let Some(run) = desk.current() {
        return Ok(Some(run));
    }
    let (desk, root) = (desk.clone(), cx.root().to_owned());
    // Reading one back may take longer than a tool has; then the next call finds it there.
    let restored = cx.blocking(move |_| desk.current_or_saved(&root)).await?;
    restored.map_err(|error| {
        let said = format!("the saved campaign can't be read back: {error}; {NO_CAMPAIGN}");
        Failure::refused("NO_CAMPAIGN", said)
    })
}

/// What is said when there is nothing to answer from.
pub(crate) const NO_CAMPAIGN: &str = "no campaign has been started; start one with start_campaign, \
    for example {\"target\": \"contracts/Token.sol\"} or with a compiled artifact as target";

// A transaction of the corpus; not a doc comment, since the contract describes it without words.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listed {
    index: i64,
    /// Solidity-like syntax (Clarification #1)
    call: String,
    sender: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    gas_used: Option<i64>,
}

impl Listed {
    pub(crate) fn of(run: &Run, listed: &CorpusTransaction) -> Self {
        let transaction = listed.transaction();
        Self {
            index: listed.index as i64,
            call: transaction.render(&run.campaign().target().functions),
            sender: format!("{:#x}", transaction.sender),
            value: transaction.value.to_string(),
            gas_used: listed.gas().map(|gas| gas as i64),
        }
    }
}

/// One transaction of a sequence that was executed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Executed {
    /// The call
    call: String,
    /// Who sent it
    sender: String,
    /// Wei sent with it
    value: String,
    /// Seconds that passed before it
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_seconds: Option<u64>,
    /// Blocks that passed before it
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_blocks: Option<u64>,
    /// Whether it returned
    success: bool,
    /// Why it did not
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// What it returned, decoded
    result: String,
    gas_used: u64,
    /// Variables that it changed, by name
    changes: Vec<Change>,
    /// Events that it emitted, decoded
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<String>,
    /// Calls, events and results inside it, indented
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trace: Vec<String>,
}

/// A variable before and after.
#[derive(Debug, Serialize, JsonSchema)]
struct Change {
    contract: String,
    variable: String,
    before: String,
    after: String,
}

impl Executed {
    pub(crate) fn of(transaction: &Transaction, step: &Step, trace: bool) -> Self {
        let some = |number: u64| (number > 0).then_some(number);
        let changes = step.changes.iter().map(|change| Change {
            contract: change.contract.clone(),
            variable: change.variable.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        });
        let lines = step.trace.iter().map(|l| format!("{}{}", "  ".repeat(l.depth), l.text));
        Self {
            call: step.call.clone(),
            sender: format!("{:#x}", step.sender),
            value: transaction.value.to_string(),
            delay_seconds: some(transaction.time_delay),
            delay_blocks: some(transaction.block_delay),
            success: step.success,
            reason: step.reason.clone(),
            result: step.result.clone(),
            gas_used: step.gas_used,
            changes: changes.collect(),
            events: step.events.clone(),
            trace: if trace { lines.collect() } else { Vec::new() },
        }
    }
}

/// What is wrong with a sequence, with the place and the type that was expected.
pub(crate) fn rejected(error: InjectError) -> Failure {
    let InjectError::Call { index, source } = &error else {
        return Failure::refused("CAMPAIGN_TERMINATED", error.to_string())
            .hint("start a new campaign with start_campaign; it begins with the saved corpus");
    };
    let failure = Failure::invalid(format!("/sequence/{index}"), error.to_string());
    let failure = Failure { code: "PARSE_ERROR".into(), ..failure }.detail("index", *index);
    match source {
        CallSyntaxError::Argument { signature, position, expected, found } => failure
            .detail("function", signature.as_str())
            .detail("position", *position)
            .detail("expected", expected.as_str())
            .detail("found", found.as_str()),
        CallSyntaxError::UnknownFunction { known, .. } => failure.detail("known", known.as_str()),
        CallSyntaxError::Arity { expected, .. } => failure.detail("expected", expected.as_str()),
        CallSyntaxError::Malformed { .. } => failure,
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        let code = match error {
            PlaceError::Outside { .. } => "OUTSIDE_ROOT",
            PlaceError::Missing { .. } => "NOT_FOUND",
        };
        Self::refused(code, error.to_string())
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        let code = match &error {
            StartError::Running { .. } | StartError::Held => "CAMPAIGN_RUNNING",
            StartError::Place(_) => "BAD_PATH",
            StartError::Load(_) => "TARGET_NOT_LOADED",
            StartError::Target(_) => "TARGET_NOT_DEPLOYED",
            StartError::Corpus { .. } => return Self::internal(error.to_string()),
        };
        Self::refused(code, error.to_string())
    }
}
