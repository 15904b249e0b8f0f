//! A pattern file's text taken apart: front matter, sections and fenced code, each with its line. It knows the
//! shape of Markdown and MDX, and nothing of what a pattern is.

/// What a section is for, told by its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What to do, or the problem that is solved.
    Guideline,
    /// Why.
    Rationale,
    /// Code as it should be.
    GoodExample,
    /// Code as it should not be.
    AntiPattern,
    /// When it fits.
    UseWhen,
    /// When it does not.
    AvoidWhen,
    /// Where to read on.
    Related,
    /// Anything else.
    Other,
}

impl Role {
    /// The role that a heading announces.
    pub fn of(heading: &str) -> Self {
        let heading = heading.to_lowercase().replace(['-', '_'], " ");
        let has = |words: &[&str]| words.iter().any(|word| heading.contains(word));
        if has(&["anti pattern", "antipattern", "bad example", "what not to do", "wrong way"]) {
            Self::AntiPattern
        } else if has(&["avoid when", "when not to use", "when to avoid", "not for"]) {
            Self::AvoidWhen
        } else if has(&["use when", "when to use", "use case"]) {
            Self::UseWhen
        } else if has(&["related", "see also"]) {
            Self::Related
        } else if has(&["rationale", "why"]) {
            Self::Rationale
        } else if has(&["example", "solution", "implementation"]) {
            Self::GoodExample
        } else if has(&["guideline", "problem", "rule"]) {
            Self::Guideline
        } else {
            Self::Other
        }
    }
}

/// A heading with what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's text; empty for what stands before the first one.
    pub title: String,
    /// What it is for.
    pub role: Role,
    /// The text under it as written, code included.
    pub content: String,
    /// The text without code.
    pub prose: String,
    /// The heading's line in the file.
    pub line: usize,
}

/// A fenced block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// The first word after the fence, in lower case.
    pub language: String,
    /// What stands between the fences.
    pub code: String,
    /// What its section is for.
    pub role: Role,
    /// The line of the opening fence in the file.
    pub line: usize,
}

/// A file's front matter and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The YAML between the `---` lines.
    pub front: &'a str,
    /// What follows.
    pub body: &'a str,
    /// The body's first line in the file. The front matter always begins on line 2.
    pub body_line: usize,
}

/// Why a file has no front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoFront {
    /// The first line is something else.
    #[error("the file does not begin with front matter: put `---`, the fields and `---` first")]
    Missing,
    /// It is opened and never closed.
    #[error("the front matter is never closed: put `---` on a line of its own after the fields")]
    Unclosed,
}

/// Separates front matter and body.
pub fn split(text: &str) -> Result<Parts<'_>, NoFront> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err(NoFront::Missing);
    }
    let (start, mut at) = (first.len(), first.len());
    for (number, line) in lines.enumerate() {
        if line.trim_end() == "---" {
            let (front, body) = (&text[start..at], &text[at + line.len()..]);
            return Ok(Parts { front, body, body_line: number + 3 });
        }
        at += line.len();
    }
    Err(NoFront::Unclosed)
}

/// A body taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// The code, in order.
    pub fences: Vec<Fence>,
    /// The line of a fence that is never closed.
    pub unclosed: Option<usize>,
}

/// Takes a body apart; `first_line` is its first line in the file.
pub fn read(body: &str, first_line: usize) -> Body {
    let mut reader = Reader { done: Body::default(), section: None, fence: None };
    for (number, line) in body.lines().enumerate() {
        reader.line(line, first_line + number);
    }
    reader.finish()
}

struct Open {
    mark: char,
    length: usize,
    indent: usize,
    fence: Fence,
}

struct Reader {
    done: Body,
    section: Option<Section>,
    fence: Option<Open>,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) {
        if let Some(open) = &mut self.fence {
            let closes = fence_mark(line).is_some_and(|(mark, length, info)| {
                mark == open.mark && length >= open.length && info.is_empty()
            });
            if !closes {
                let cut = line.len() - line.trim_start_matches(' ').len();
                open.fence.code.push_str(&line[cut.min(open.indent)..]);
                open.fence.code.push('\n');
            }
            self.text(line, number, false);
            if closes {
                self.close();
            }
            return;
        }
        if let Some((mark, length, info)) = fence_mark(line) {
            self.text(line, number, false);
            let role = self.section.as_ref().map_or(Role::Other, |section| section.role);
            let language = info.split([' ', '{', ',']).next().unwrap_or_default().to_lowercase();
            let fence = Fence { language, code: String::new(), role, line: number };
            let indent = line.len() - line.trim_start_matches(' ').len();
            self.fence = Some(Open { mark, length, indent, fence });
        } else if let Some((depth, title)) = heading(line).filter(|(depth, _)| *depth <= 3) {
            self.open_section(depth, title, number);
        } else {
            self.text(line, number, true);
        }
    }

    /// A heading of the third level without a role of its own stays in its section.
    fn open_section(&mut self, depth: usize, title: &str, number: usize) {
        let role = Role::of(title);
        if depth == 3 && role == Role::Other && self.section.is_some() {
            return self.text(title, number, true);
        }
        self.done.sections.extend(self.section.take());
        self.section = Some(Section {
            title: title.to_owned(),
            role,
            content: String::new(),
            prose: String::new(),
            line: number,
        });
    }

    fn text(&mut self, line: &str, number: usize, prose: bool) {
        if self.section.is_none() && line.trim().is_empty() {
            return;
        }
        let section = self.section.get_or_insert_with(|| Section {
            title: String::new(),
            role: Role::Other,
            content: String::new(),
            prose: String::new(),
            line: number,
        });
        section.content.push_str(line);
        section.content.push('\n');
        if prose {
            section.prose.push_str(line);
            section.prose.push('\n');
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.fence.take() {
            self.done.fences.push(open.fence);
        }
    }

    fn finish(mut self) -> Body {
        self.done.unclosed = self.fence.as_ref().map(|open| open.fence.line);
        self.close();
        self.done.sections.extend(self.section.take());
        self.done
    }
}

/// The character, the length and the info of a line that opens or closes a fence.
fn fence_mark(line: &str) -> Option<(char, usize, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let info = line[length..].trim();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length, info))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let depth = line.chars().take_while(|c| *c == '#').count();
    let title = line[depth..].strip_prefix(' ')?.trim().trim_end_matches('#').trim();
    (1..=6).contains(&depth).then_some((depth, title))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: Expect) {
        let said = match split(text) {
            Err(error) => format!("{error}\n"),
            Ok(parts) => {
                let body = read(parts.body, parts.body_line);
                let mut said = format!("front {:?}\n", parts.front);
                for s in &body.sections {
                    let _ = writeln!(said, "{}: {} {:?} {:?}", s.line, s.title, s.role, s.prose);
                }
                for f in &body.fences {
                    let _ =
                        writeln!(said, "{}: `{}` {:?} {:?}", f.line, f.language, f.role, f.code);
                }
                match body.unclosed {
                    Some(line) => said + &format!("unclosed at {line}\n"),
                    None => said,
                }
            }
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn sections_and_fences_keep_their_lines() {
        check(
            "---\nid: a\n---\n\n## Guideline\nDo.\n## Good Example\n```ts title=x\nlet a;\n```\n## Anti-Pattern\n````js\n```\n````\n",
            expect![[r#"
                front "id: a\n"
                5: Guideline Guideline "Do.\n"
                7: Good Example GoodExample ""
                11: Anti-Pattern AntiPattern ""
                8: `ts` GoodExample "let a;\n"
                12: `js` AntiPattern "```\n"
            "#]],
        );
    }

    #[test]
    fn what_is_left_open_is_said() {
        check(
            "---\nid: a\n---\n## Example\n```py\nx = 1\n",
            expect![[r#"
                front "id: a\n"
                4: Example GoodExample ""
                5: `py` GoodExample "x = 1\n"
                unclosed at 5
            "#]],
        );
        check(
            "---\nid: a\n",
            expect![
                "the front matter is never closed: put `---` on a line of its own after the fields\n"
            ],
        );
        check(
            "# Title\n",
            expect![
                "the file does not begin with front matter: put `---`, the fields and `---` first\n"
            ],
        );
    }

    proptest! {
        #[test]
        fn any_text_is_taken_apart(text in "(---\n)?[a-z:#`~\\n -]{0,400}") {
            if let Ok(parts) = split(&text) {
                let body = read(parts.body, parts.body_line);
                let lines = text.lines().count().max(1);
                prop_assert!(body.sections.iter().all(|section| section.line <= lines));
                prop_assert!(body.fences.iter().all(|fence| fence.line <= lines));
            }
        }
    }
}
