//! What is shown while a campaign runs: the live view, progress lines, or events as JSON.

use std::io::IsTerminal as _;
use std::time::Duration;

use proofstone_evm::campaign::{Campaign, Event, EventValue, TestStatus};
use serde_json::{Map, Value, json};

use super::CampaignArgs;
use super::steering::Server;
use crate::out;

/// Shows progress until the campaign is over.
pub(super) fn watch(campaign: &Campaign, args: &CampaignArgs, server: Option<&Server>) {
    if let Some(server) = server {
        server.announce();
    }
    if args.json {
        return events(campaign);
    }
    #[cfg(feature = "tui")]
    if !args.plain && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return super::view::show(campaign, server);
    }
    let often = std::io::stderr().is_terminal() || args.plain;
    lines(campaign, Duration::from_secs(if often { 2 } else { 10 }));
}

fn lines(campaign: &Campaign, every: Duration) {
    let mut before = (0, Duration::ZERO);
    while !campaign.wait_for(every) {
        let now = campaign.snapshot();
        let seconds = now.elapsed.saturating_sub(before.1).as_secs_f64().max(0.001);
        let rate = (now.calls - before.0) as f64 / seconds;
        let failed = now.tests.iter().filter(|t| t.status == TestStatus::Falsified).count();
        out::note(format!(
            "{:>6.0} s  {:>10} calls  {rate:>8.0}/s  {} edges  corpus {}  falsified {failed}/{}",
            now.elapsed.as_secs_f64(),
            now.calls,
            now.edges,
            now.corpus_entries,
            now.tests.len()
        ));
        before = (now.calls, now.elapsed);
    }
}

fn events(campaign: &Campaign) {
    let mut next = 0;
    loop {
        let over = campaign.wait_for(Duration::from_millis(200));
        let (mut new, _) = campaign.events(usize::MAX, None, None);
        new.retain(|event| event.number >= next);
        new.reverse();
        for event in &new {
            out::line(event_json(event));
            next = event.number + 1;
        }
        if over {
            return;
        }
    }
}

fn event_json(event: &Event) -> Value {
    let data: Map<String, Value> = event
        .data
        .iter()
        .map(|(name, value)| {
            let value = match value {
                EventValue::Text(text) => json!(text),
                EventValue::Number(number) => json!(number),
                EventValue::List(items) => json!(items),
                EventValue::Flag(flag) => json!(flag),
            };
            ((*name).to_owned(), value)
        })
        .collect();
    let time = event.time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    json!({
        "event": event.kind.name(),
        "worker": event.worker,
        "unixSeconds": time.as_secs_f64(),
        "data": data,
    })
}
