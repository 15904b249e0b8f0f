//! Text that fits the width of a terminal: prose is wrapped, what must stay one line is cut.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The terminal's width, or 80 where there is no terminal.
pub(crate) fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0).max(40))
}

/// Text in lines of at most `width` characters.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.width() + 1 + word.width() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// Text after something that takes `indent` columns; its further lines begin where it begins.
pub(crate) fn hanging(text: &str, indent: usize) -> String {
    let room = terminal_width().saturating_sub(indent).max(20);
    wrapped(text, room).join(&format!("\n{}", " ".repeat(indent)))
}

/// Markdown with its prose wrapped; code, tables and what is indented stay as they are.
pub(crate) fn prose(markdown: &str, width: usize) -> String {
    let mut in_code = false;
    let line = |line: &str| {
        let fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= fence;
        match in_code || fence || line.starts_with(['|', ' ', '\t']) {
            true => line.to_owned(),
            false => wrapped(line, width).join("\n"),
        }
    };
    markdown.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The beginning of a line that is too long for `width`.
pub(crate) fn fitted(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= width
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn prose_is_wrapped_and_code_is_not() {
        let markdown = "Some words that are long.\n\n```\nlet x = \"a line of code\";\n```\n| a | table of two |";
        expect![[r#"
            Some words
            that are
            long.

            ```
            let x = "a line of code";
            ```
            | a | table of two |"#]]
        .assert_eq(&prose(markdown, 12));
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fitted("ab日本語", 6), "ab日…");
        assert_eq!(fitted("ab日", 4), "ab日");
        assert_eq!(wrapped("日本 日本 日", 9), ["日本 日本", "日"]);
    }
}
