//! Coverage: a report as a map and a list, sources with hits, snapshots and what changed since.

use maud::{Markup, html};
use proofstone_contract::address_part;
use serde_json::{Value, json};

use super::{Asked, Here, asked, carried, either, just_called, outcome};
use crate::ask::{Trouble, count, list, number, text};
use crate::console::Console;
use crate::draw::chart::chart;
use crate::draw::{bar, grouped, moment, treemap};
use crate::frame;

pub(crate) async fn page(console: Here, query: Asked) -> Markup {
    let reports = console.read("coverage://reports").await.unwrap_or_default();
    let usual = list(&reports, "reports");
    let chosen = match asked(&query, "report") {
        "" => usual.first().and_then(Value::as_str).unwrap_or_default(),
        report => report,
    };
    let report = match chosen {
        "" => Err(Trouble {
            message: "No report stands in a usual place of this project.".into(),
            hint: Some("Run the tests with coverage, then name the report above.".into()),
        }),
        path => console.read(&format!("coverage://report/{}", address_part(path))).await,
    };
    let snapshots = console.read("coverage://snapshots").await.unwrap_or_default();
    let body = html! {
        h1 { "Coverage" }
        (outcome(just_called(&console, &query).as_ref()))
        form.row method="get" action="/coverage" {
            label { "Report" input name="report" value=(chosen) list="reports" placeholder="coverage/lcov.info" spellcheck="false"; }
            datalist #reports { @for report in usual { option value=(report.as_str().unwrap_or_default()) {} } }
            button { "Show" }
        }
        (either(report, |report| report_parts(&report)))
        (snapshot_parts(&console, chosen, list(&snapshots, "snapshots")))
    };
    frame::page(&console, "/coverage", "Coverage", body)
}

fn report_parts(report: &Value) -> Markup {
    let path = text(report, "report");
    let mut files: Vec<&Value> = list(report, "files").iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(missed(file)));
    let leaves = files.iter().map(|file| treemap::Leaf {
        name: text(file, "path").to_owned(),
        address: file_address(path, text(file, "path")),
        size: count(&file["lines"], "found"),
        percent: number(&file["lines"], "percent"),
    });
    html! {
        div.cards {
            @for (name, field) in [("Lines", "lines"), ("Branches", "branches"), ("Functions", "functions")] {
                (total(name, &report[field]))
            }
        }
        p.quiet { (text(report, "format")) ", " (files.len()) " files" }
        @for note in list(report, "notes") { p.hint { (note.as_str().unwrap_or_default()) } }
        h2 { "Map" }
        (treemap::treemap(leaves.collect()))
        h2 { "Files, the most uncovered lines first" }
        div.scroll tabindex="0" { table {
            thead { tr { th { "file" } th { "" } th.n { "covered" } th.n { "lines" } th.n { "missed" } } }
            tbody { @for file in &files {
                tr {
                    td { a href=(file_address(path, text(file, "path"))) { (text(file, "path")) }
                        @if let Some(stale) = file["stale"].as_str() { " " span.badge.bad title=(stale) { "stale" } } }
                    td { (bar(number(&file["lines"], "percent"))) }
                    td.n { (number(&file["lines"], "percent")) " %" }
                    td.n { (grouped(count(&file["lines"], "found"))) }
                    td.n { (grouped(missed(file))) }
                }
            } }
        } }
    }
}

fn total(name: &str, figures: &Value) -> Markup {
    let (hit, found) = (count(figures, "hit"), count(figures, "found"));
    html! {
        section.card {
            h2 { (name) }
            @if found == 0 {
                p.quiet { "not in this report" }
            } @else {
                p.big { (number(figures, "percent")) " %" }
                (bar(number(figures, "percent")))
                p.quiet { (grouped(hit)) " of " (grouped(found)) }
            }
        }
    }
}

fn missed(file: &Value) -> u64 {
    count(&file["lines"], "found") - count(&file["lines"], "hit")
}

fn file_address(report: &str, file: &str) -> String {
    format!("/coverage/file?report={}&file={}", address_part(report), address_part(file))
}

fn snapshot_parts(console: &Console, report: &str, snapshots: &[Value]) -> Markup {
    let back = format!("/coverage?report={}", address_part(report));
    html! {
        h2 { "Snapshots" }
        @if !report.is_empty() {
            form.inline method="post" action="/tools/start_coverage_snapshot" {
                (carried(console, &back))
                input type="hidden" name="lcovPath" value=(report);
                button { "Take a snapshot now" }
            }
        }
        @if snapshots.is_empty() {
            p.quiet { "None is kept." }
        } @else {
            (over_time(report, snapshots))
            div.scroll tabindex="0" { table {
                thead { tr { th { "taken" } th { "report" } th { "" } th.n { "covered" } th.n { "files" } th { "" } } }
                tbody { @for snapshot in snapshots {
                    tr {
                        td { (taken(snapshot)) } td { (text(snapshot, "report")) }
                        td { (bar(number(&snapshot["lines"], "percent"))) }
                        td.n { (number(&snapshot["lines"], "percent")) " %" }
                        td.n { (count(snapshot, "files")) }
                        td { @if !report.is_empty() {
                            a href=(format!("/coverage/change?snapshot={}&report={}", text(snapshot, "id"), address_part(report))) { "what changed since" }
                        } }
                    }
                } }
            } }
        }
    }
}

/// Coverage over the snapshots of one report.
fn over_time(report: &str, snapshots: &[Value]) -> Markup {
    let of_report = || snapshots.iter().rev().filter(|snapshot| snapshot["report"] == report);
    let first = of_report().next().map_or(0, |snapshot| count(snapshot, "timestamp"));
    let point = |snapshot: &Value| {
        let seconds = count(snapshot, "timestamp").saturating_sub(first) as f64 / 1e3;
        (seconds, number(&snapshot["lines"], "percent"))
    };
    let points: Vec<(f64, f64)> = of_report().map(point).collect();
    html! { @if points.len() > 1 { (chart("Percent covered over the snapshots", &points)) } }
}

fn taken(snapshot: &Value) -> String {
    moment(std::time::UNIX_EPOCH + std::time::Duration::from_millis(count(snapshot, "timestamp")))
}

pub(crate) async fn file(console: Here, query: Asked) -> Markup {
    let (report, file) = (asked(&query, "report"), asked(&query, "file"));
    let address = format!("coverage://source/{}/{}", address_part(report), address_part(file));
    let body = html! {
        p { a href=(format!("/coverage?report={}", address_part(report))) { "Back to " (report) } }
        h1 { (file) }
        (either(console.read(&address).await, |source| source_parts(&source)))
    };
    frame::page(&console, "/coverage", file, body)
}

fn source_parts(source: &Value) -> Markup {
    let hits: std::collections::HashMap<u64, u64> = list(source, "hits")
        .iter()
        .filter_map(|pair| Some((pair[0].as_u64()?, pair[1].as_u64()?)))
        .collect();
    let branches: std::collections::HashMap<u64, &Value> =
        list(source, "branches").iter().map(|branch| (count(branch, "line"), branch)).collect();
    html! {
        p { (number(&source["lines"], "percent")) " % of " (grouped(count(&source["lines"], "found"))) " lines ran. "
            span.quiet { "Green ran, red never did; ½ marks a decision that did not go every way." } }
        @match source["source"].as_array() {
            None => p.trouble { "The source is not in this project, so only the numbers are known." },
            Some(lines) => table.source { tbody { @for (at, line) in lines.iter().enumerate() {
                @let number = at as u64 + 1;
                @let ran = hits.get(&number);
                tr class=[ran.map(|hits| if *hits > 0 { "hit" } else { "miss" })] {
                    td.n id=(format!("L{number}")) { (number) }
                    td.n { @if let Some(hits) = ran { (grouped(*hits)) "×" } }
                    td { @if let Some(branch) = branches.get(&number) {
                        span.half title=(format!("{} of {} ways were never taken", count(branch, "missed"), count(branch, "found"))) { "½" }
                    } }
                    td { code { (line.as_str().unwrap_or_default()) } }
                }
            } } },
        }
    }
}

pub(crate) async fn change(console: Here, query: Asked) -> Markup {
    let (snapshot, report) = (asked(&query, "snapshot"), asked(&query, "report"));
    let arguments = json!({ "snapshotId": snapshot, "lcovPath": report, "maxRanges": 500 });
    let change = console.look("explain_coverage_change", arguments).await;
    let body = html! {
        p { a href=(format!("/coverage?report={}", address_part(report))) { "Back to " (report) } }
        h1 { "What changed since the snapshot" }
        (either(change, |change| change_parts(&change.value, report)))
    };
    frame::page(&console, "/coverage", "What changed", body)
}

fn change_parts(change: &Value, report: &str) -> Markup {
    let kinds = [
        ("lostCoverage", "lost coverage although nobody touched them", "bad"),
        ("newUncovered", "new and uncovered", "bad"),
        ("newCovered", "new and covered", "good"),
        ("newlyCovered", "covered now", "good"),
    ];
    html! {
        p.big { (number(&change["before"], "percent")) " % → " (number(&change["now"], "percent")) " % "
            span.quiet { "(" (format!("{:+}", number(change, "change"))) ")" } }
        div.cards { @for (field, said, class) in kinds {
            section.card { p class={ "big " (class) } { (count(&change["totals"], field)) } p { "lines " (said) } }
        } }
        @if list(change, "files").is_empty() { p.quiet { "No line changed its state." } }
        @for file in list(change, "files") {
            h2 { a href=(file_address(report, text(file, "path"))) { (text(file, "path")) } }
            @if file["followed"] == false { p.hint { "Its source was not known then, so lines are compared by number." } }
            @for (field, said, class) in kinds {
                @let ranges = list(file, field);
                @if !ranges.is_empty() {
                    p { span class={ "badge " (class) } { (said) } " lines "
                        @for range in ranges {
                            a href=(format!("{}#L{}", file_address(report, text(file, "path")), count(range, "start"))) { (lines(range)) } " "
                        } }
                }
            }
        }
    }
}

fn lines(range: &Value) -> String {
    match (count(range, "start"), count(range, "end")) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}-{end}"),
    }
}
