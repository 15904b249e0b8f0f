//! `find_transaction_in_corpus`: transactions by function, sender or value.

use std::sync::Arc;

use proofstone_contract::{Answer, CallCx, Effect, Failure, Limits, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answers::Listed;
use crate::answers::{PROMPT, address, campaign, wei};
use crate::desk::Desk;
use crate::run::Run;

/// Matches that one answer holds; `count` tells all.
const SHOWN: usize = 1000;

/// Search corpus for matching transactions
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "FindTransactionInput", extend("anyOf" = [
    { "required": ["functionSignature"] },
    { "required": ["sender"] },
    { "required": ["minValue"] }
]))]
pub(crate) struct Input {
    /// Function signature (e.g., 'transfer(address,uint256)')
    function_signature: Option<String>,
    /// Sender address filter
    #[schemars(regex(pattern = r"^0x[0-9a-fA-F]{40}$"))]
    sender: Option<String>,
    /// Minimum ETH value in wei
    min_value: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "FindTransactionOutput")]
pub(crate) struct Output {
    matches: Vec<Match>,
    /// Number of matching transactions
    #[schemars(range(min = 0))]
    count: usize,
}

// The contract describes a match without words, not even for its call.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
struct Match(#[schemars(transform = without_words)] Listed);

fn without_words(schema: &mut schemars::Schema) {
    schema.remove("description");
    let call = schema.get_mut("properties").and_then(|properties| properties.get_mut("call"));
    if let Some(call) = call {
        *call = json!({ "type": "string" });
    }
}

/// The tool.
#[derive(Debug)]
pub(crate) struct FindTransactionInCorpus(pub(crate) Arc<Desk>);

impl Tool for FindTransactionInCorpus {
    const NAME: &'static str = "find_transaction_in_corpus";
    const TITLE: &'static str = "Search the corpus";
    const DESCRIPTION: &'static str = "Finds the transactions of the corpus that fit all given criteria: \
        function (signature or bare name, case does not matter), sender, least value in wei. An injected \
        sequence is found here as soon as the workers have run it.";
    const EFFECT: Effect = Effect::READS;
    const LIMITS: Limits = PROMPT;
    type Input = Input;
    type Output = Output;

    async fn call(&self, input: Input, cx: &CallCx) -> Result<Answer<Output>, Failure> {
        let run = campaign(&self.0, cx).await?;
        cx.blocking(move |_| find(&run, &input)).await?
    }
}

fn find(run: &Run, input: &Input) -> Result<Answer<Output>, Failure> {
    let compact = |text: &String| text.split_whitespace().collect::<String>();
    let functions =
        input.function_signature.as_ref().map(|text| run.campaign().matching(&compact(text)));
    let sender = input.sender.as_deref().map(address).transpose()?;
    let least = input.min_value.as_deref().map(|text| wei("/minValue", text)).transpose()?;
    let corpus = run.campaign().corpus();
    let found = corpus.find(functions.as_deref(), sender, least);
    let shown = found.iter().take(SHOWN).filter_map(|index| corpus.transaction(*index));
    let matches: Vec<Match> = shown.map(|listed| Match(Listed::of(run, &listed))).collect();
    let left_out = found.len() - matches.len();
    let answer = Answer::new(Output { matches, count: found.len() });
    Ok(match left_out {
        0 => answer,
        more => answer.meta("matchesLeftOut", more),
    })
}
