//! One page that needs nothing else: every file with its hits beside the lines.

use super::coverage::{Coverage, FileCoverage, Ratio};
use std::fmt::Write as _;

const STYLE: &str = "body{font:14px system-ui;margin:2em}table.s{border-collapse:collapse}\
table.s td,table.s th{padding:2px 12px;text-align:right}table.s td:first-child{text-align:left}\
pre{margin:0;border:1px solid #ddd;overflow-x:auto}pre div{display:flex}\
pre i{width:5em;text-align:right;padding-right:1em;color:#888;font-style:normal;flex:none}\
.h{background:#e6f4e6}.m{background:#fbe3e3}.p{background:#fff5d6}";

/// Writes the page.
pub(super) fn write(coverage: &Coverage) -> String {
    let mut out = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Coverage</title><style>{STYLE}</style>\
         <h1>Coverage</h1><table class=\"s\"><tr><th>File<th>Lines<th>Branches</tr>"
    );
    for (index, file) in coverage.files.iter().enumerate() {
        let _ = write!(
            out,
            "<tr><td><a href=\"#f{index}\">{}</a><td>{}<td>{}</tr>",
            escape(&file.path),
            shown(file.line_ratio()),
            shown(file.branch_ratio())
        );
    }
    out.push_str("</table>");
    for (index, file) in coverage.files.iter().enumerate() {
        write_file(&mut out, index, file);
    }
    out
}

fn shown(ratio: Ratio) -> String {
    format!("{:.1} % ({}/{})", ratio.percent(), ratio.hit, ratio.found)
}

fn write_file(out: &mut String, index: usize, file: &FileCoverage) {
    let _ = write!(out, "<h2 id=\"f{index}\">{}</h2><pre>", escape(&file.path));
    for (number, text) in file.text.as_deref().unwrap_or("").lines().enumerate() {
        let line = number + 1;
        let hits = file.lines.get(&line);
        let mut branches = file.branches.iter().filter(|b| b.line == line);
        let partial = branches.any(|b| (b.when_true == 0) != (b.when_false == 0));
        let class = match hits {
            None => "",
            Some(0) => "m",
            Some(_) if partial => "p",
            Some(_) => "h",
        };
        let count = hits.map_or_else(String::new, ToString::to_string);
        let _ = write!(
            out,
            "<div class=\"{class}\"><i>{line}</i><i>{count}</i><span>{}</span></div>",
            escape(text)
        );
    }
    out.push_str("</pre>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
