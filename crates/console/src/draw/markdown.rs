//! The little Markdown that tools answer with: headings, lists, paragraphs, fences, code in a line.
//! Anything else is shown as it is written.

use maud::{Markup, html};

/// A text, drawn.
pub(crate) fn draw(text: &str) -> Markup {
    let mut blocks: Vec<Markup> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(fence) = fence(line) {
            let body: Vec<&str> = lines.by_ref().take_while(|line| !closes(line, fence)).collect();
            blocks.push(html! { pre.code tabindex="0" { code { (body.join("\n")) } } });
        } else if let Some(title) = heading(line) {
            blocks.push(html! { h3 { (inline(title)) } });
        } else if let Some(first) = item(line) {
            let mut items = vec![first];
            while let Some(next) = lines.peek().and_then(|line| item(line)) {
                items.push(next);
                lines.next();
            }
            blocks.push(html! { ul { @for item in items { li { (inline(item)) } } } });
        } else if !line.trim().is_empty() {
            let mut words = vec![line];
            while let Some(next) = lines.peek().filter(|line| is_prose(line)) {
                words.push(next);
                lines.next();
            }
            blocks.push(html! { p { (inline(&words.join(" "))) } });
        }
    }
    html! { @for block in blocks { (block) } }
}

fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| *mark == '`' || *mark == '~')?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then(|| &line[..length])
}

fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim();
    line.starts_with(fence) && line.chars().all(|c| fence.starts_with(c))
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len()).then(|| rest.strip_prefix(' ')).flatten()
}

fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))
}

fn is_prose(line: &str) -> bool {
    !line.trim().is_empty()
        && fence(line).is_none()
        && heading(line).is_none()
        && item(line).is_none()
}

/// Code between backticks, the rest as text.
fn inline(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&draw(text).into_string());
    }

    #[test]
    fn what_tools_write() {
        check(
            "# Title\n\nTwo lines\nof `code` prose.\n\n- one\n- two\n\n```ts\nlet a = 1 < 2;\n```\nend",
            expect![[
                r#"<h3>Title</h3><p>Two lines of <code>code</code> prose.</p><ul><li>one</li><li>two</li></ul><pre class="code" tabindex="0"><code>let a = 1 &lt; 2;</code></pre><p>end</p>"#
            ]],
        );
        check("<script>x</script>", expect!["<p>&lt;script&gt;x&lt;/script&gt;</p>"]);
        check(
            "```\nnever closed",
            expect![[r#"<pre class="code" tabindex="0"><code>never closed</code></pre>"#]],
        );
    }

    proptest! {
        #[test]
        fn any_text_is_drawn_and_nothing_of_it_is_markup(text in "(<b>|#|- |`|\n| |a|~~~|é){0,40}") {
            prop_assert!(!draw(&text).into_string().contains("<b>"));
        }
    }
}
