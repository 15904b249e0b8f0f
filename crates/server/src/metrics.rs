//! The figures of all calls in Prometheus' text format.

use std::fmt::Write;

use proofstone_gate::{Gate, ToolFigures};

/// The page at `/metrics`.
pub fn prometheus(gate: &Gate) -> String {
    let figures: Vec<(&str, ToolFigures)> =
        gate.figures().map(|(tool, figures)| (tool.name, figures)).collect();
    let mut page = String::new();
    counter(
        &mut page,
        "calls",
        "Calls answered.",
        figures.iter().map(|(t, f)| (label(t), f.calls)),
    );
    let failures = figures.iter().flat_map(|(tool, figures)| {
        figures.failures.iter().map(move |(code, count)| {
            (format!("tool=\"{tool}\",code=\"{}\"", escaped(code)), *count)
        })
    });
    counter(&mut page, "failures", "Calls that failed, by code.", failures);
    let limited = figures.iter().map(|(tool, figures)| (label(tool), figures.rate_limited));
    counter(&mut page, "rate_limited", "Calls turned away by the rate limit.", limited);
    let invalid = figures.iter().map(|(tool, figures)| (label(tool), figures.invalid_answers));
    counter(&mut page, "invalid_answers", "Answers that broke their own schema.", invalid);
    latencies(&mut page, &figures);
    let name = "proofstone_calls_in_flight";
    let now = gate.in_flight();
    let _ =
        writeln!(page, "# HELP {name} Calls being served now.\n# TYPE {name} gauge\n{name} {now}");
    page
}

fn counter(page: &mut String, name: &str, help: &str, rows: impl Iterator<Item = (String, u64)>) {
    let name = format!("proofstone_{name}_total");
    let _ = writeln!(page, "# HELP {name} {help}\n# TYPE {name} counter");
    for (labels, value) in rows {
        let _ = writeln!(page, "{name}{{{labels}}} {value}");
    }
}

fn latencies(page: &mut String, figures: &[(&str, ToolFigures)]) {
    let name = "proofstone_call_duration_seconds";
    let _ = writeln!(page, "# HELP {name} Time a call took.\n# TYPE {name} histogram");
    for (tool, figures) in figures.iter().filter(|(_, figures)| figures.calls > 0) {
        for (bound, count) in &figures.buckets {
            let _ = writeln!(page, "{name}_bucket{{{},le=\"{bound}\"}} {count}", label(tool));
        }
        let _ = writeln!(page, "{name}_bucket{{{},le=\"+Inf\"}} {}", label(tool), figures.calls);
        let _ = writeln!(page, "{name}_sum{{{}}} {}", label(tool), figures.total_seconds);
        let _ = writeln!(page, "{name}_count{{{}}} {}", label(tool), figures.calls);
    }
}

fn label(tool: &str) -> String {
    format!("tool=\"{}\"", escaped(tool))
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
