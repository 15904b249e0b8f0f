//! What stands in comments: found by lines, because every language writes them its own way.

use std::ops::Range;

use proofstone_context::language::Language as L;

/// The text of a line that is a comment, without its signs.
pub(crate) fn comment_line(language: L, line: &str) -> Option<&str> {
    let line = line.trim();
    let signs: &[&str] = match language {
        L::Python | L::Ruby | L::Bash | L::Elixir => &["#"],
        L::Lua => &["---", "--"],
        L::Haskell => &["-- |", "-- ^", "-- *", "--", "{-|", "{-"],
        L::Php => &["/**", "/*", "*/", "* ", "//", "#"],
        _ => &["///", "//!", "//", "/**", "/*!", "/*", "*/", "* "],
    };
    if line == "*" {
        return Some("");
    }
    let is_code = matches!(language, L::Bash) && line.starts_with("#!");
    let sign = signs.iter().find(|sign| line.starts_with(**sign))?;
    let text = line[sign.len()..].trim_start_matches(['/', '*', '-', '#', '<', '!', '|']);
    let text = text.trim().trim_end_matches("*/").trim_end_matches("-}").trim();
    (!is_code).then_some(text)
}

/// The comment right above a line (0-based), its attributes stepped over, as text.
pub(crate) fn above(language: L, lines: &[&str], line: usize) -> Option<String> {
    let place = lines_above(language, lines, line)?;
    if language == L::Elixir && lines[place.end - 1].trim() == "\"\"\"" {
        let inner = &lines[place.start + 1..place.end - 1];
        return Some(inner.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n"));
    }
    Some(block(language, &lines[place]))
}

/// The lines of the comment right above a line.
pub(crate) fn lines_above(language: L, lines: &[&str], line: usize) -> Option<Range<usize>> {
    let mut at = line;
    let mut attributes = 0;
    while at > 0 && is_attribute(language, lines[at - 1]) && attributes < 6 {
        at -= 1;
        attributes += 1;
    }
    let end = at;
    if at > 0 && language == L::Elixir && lines[at - 1].trim() == "\"\"\"" {
        return heredoc_above(lines, at - 1);
    }
    if at > 0 && closes_block(language, lines[at - 1]) {
        while at > 0 && end - at < 60 {
            at -= 1;
            if lines[at].contains("/*") || lines[at].contains("{-") {
                return Some(at..end);
            }
        }
        return None;
    }
    while at > 0 && comment_line(language, lines[at - 1]).is_some() && end - at < 60 {
        at -= 1;
    }
    (at < end).then_some(at..end)
}

fn closes_block(language: L, line: &str) -> bool {
    let line = line.trim();
    let one_line = line.starts_with("/*") || line.starts_with("{-");
    !one_line && (line.ends_with("*/") || (language == L::Haskell && line.ends_with("-}")))
}

fn block(language: L, lines: &[&str]) -> String {
    let text = lines.iter().map(|line| comment_line(language, line).unwrap_or(line.trim()));
    text.collect::<Vec<_>>().join("\n")
}

fn heredoc_above(lines: &[&str], end: usize) -> Option<Range<usize>> {
    let start = (end.saturating_sub(60)..end).rev().find(|at| lines[*at].contains("\"\"\""))?;
    lines[start].trim().starts_with("@doc").then_some(start..end + 1)
}

fn is_attribute(language: L, line: &str) -> bool {
    let line = line.trim();
    line.starts_with("#[")
        || (line.starts_with('@')
            && !matches!(language, L::Php | L::Ruby)
            && !line.contains("\"\"\""))
        || (line.starts_with('[') && line.ends_with(']') && language == L::CSharp)
        || line.starts_with("template <")
        || line.starts_with("template<")
}

/// A docstring that begins in the first lines of a body: its text and the lines it takes.
pub(crate) fn docstring(lines: &[&str]) -> Option<(String, Range<usize>)> {
    let start = lines.iter().take(14).position(|line| {
        let line = line.trim_start_matches(['r', 'R', 'u', ' ', '\t']);
        line.starts_with("\"\"\"") || line.starts_with("'''")
    })?;
    let first = lines[start].trim().trim_start_matches(['r', 'R', 'u']);
    let quote = &first[..3];
    let first = &first[3..];
    if let Some(end) = first.find(quote) {
        return Some((first[..end].to_owned(), start..start + 1));
    }
    let end = (start + 1..lines.len().min(start + 120)).find(|at| lines[*at].contains(quote))?;
    let mut text = vec![first];
    text.extend(lines[start + 1..end].iter().map(|line| line.trim()));
    text.push(lines[end].trim().split(quote).next().unwrap_or(""));
    Some((text.join("\n"), start..end + 1))
}

/// A comment as a person would ask it: the first paragraph without marks, or `None` for notices and noise.
pub(crate) fn as_prose(text: &str, whole: bool) -> Option<String> {
    let mut paragraph = String::new();
    for line in text.lines().map(str::trim) {
        let is_field = line.starts_with(['@', '\\', ':'])
            || line.ends_with("---")
            || ["args:", "returns:", "parameters", "arguments:", "example", "note:", "```", ">>>"]
                .iter()
                .any(|start| line.to_lowercase().starts_with(start));
        if is_field || (line.is_empty() && paragraph.split_whitespace().count() >= 3) {
            if paragraph.is_empty() && line.starts_with("@brief") || line.starts_with("\\brief") {
                paragraph.push_str(&line[6..]);
                continue;
            }
            break;
        }
        paragraph.push_str(line);
        paragraph.push(' ');
    }
    let plain = without_tags(&paragraph);
    let lower = plain.to_lowercase();
    let is_notice = [
        "copyright",
        "license",
        "licence",
        "spdx",
        "author",
        "eslint",
        "noqa",
        "pylint",
        "todo",
        "fixme",
    ]
    .iter()
    .any(|word| lower.contains(word));
    let letters = plain.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    let is_prose = letters * 10 >= plain.chars().count() * 8 && plain.is_ascii();
    let asked = if whole { plain.as_str() } else { first_sentence(&plain) };
    let words = asked.split_whitespace().count();
    (!is_notice && is_prose && words >= 3)
        .then(|| asked.split_whitespace().take(40).collect::<Vec<_>>().join(" "))
}

fn first_sentence(text: &str) -> &str {
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at)
        .find(|at| text[..*at].split_whitespace().count() >= 4);
    &text[..end.unwrap_or(text.len())]
}

/// Without `<summary>`, `{@link …}` and the like.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        match c {
            '<' => inside = true,
            '>' if inside => inside = false,
            '`' | '*' | '{' | '}' | '|' => plain.push(' '),
            _ if !inside => plain.push(c),
            _ => {}
        }
    }
    plain
}
