//! A file cut into pieces a person would show: whole functions where they fit, sections of prose, lines
//! where nothing else is known. Chunks cover the file without gaps and without overlap.

use tree_sitter::{Node, Tree};

use super::bodies::ranges_without_bodies;
use super::definition::{Definition, DefinitionKind, definitions};
use super::grammar::{parse, parse_ranges};
use crate::language::Language as L;

/// Pieces are packed up to this many bytes.
const TARGET: usize = 1500;
/// A piece larger than this is cut further.
const LARGEST: usize = 3000;
/// Lines of a piece that nothing is known about.
const PLAIN_LINES: usize = 40;
/// Nesting below which pieces are not cut further by syntax.
const DEPTH: usize = 200;

/// A stretch of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, 1-based.
    pub end_line: u32,
}

/// A file's chunks and definitions.
pub fn chunks(language: Option<L>, text: &str) -> (Vec<Chunk>, Vec<Definition>) {
    let outline =
        |language| parse_ranges(language, text, &ranges_without_bodies(language, text, LARGEST));
    chunks_by(language, text, outline)
}

/// The same from a tree of all of it: what [`chunks`] is held against.
pub(crate) fn chunks_of_whole(language: Option<L>, text: &str) -> (Vec<Chunk>, Vec<Definition>) {
    chunks_by(language, text, |language| parse(language, text))
}

fn chunks_by(
    language: Option<L>,
    text: &str,
    parse: impl Fn(L) -> Option<Tree>,
) -> (Vec<Chunk>, Vec<Definition>) {
    let lines = Lines::of(text);
    if lines.count() == 0 {
        return (Vec::new(), Vec::new());
    }
    let parsed = language.and_then(|language| Some((language, parse(language)?)));
    let (cuts, definitions) = match (parsed, language) {
        (Some((language, tree)), _) => (syntax_cuts(&tree), definitions(language, &tree, text)),
        (None, Some(L::Markdown)) => heading_cuts(text),
        (None, Some(L::Yaml | L::Toml | L::Json)) => key_cuts(text),
        _ => (Vec::new(), Vec::new()),
    };
    (pack(&cuts, &lines), definitions)
}

/// Where each line starts, and where the text ends.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Self(starts)
    }

    fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// Bytes from the start of line `from` to the start of line `to`, 0-based.
    fn bytes(&self, from: usize, to: usize) -> usize {
        self.0[to.min(self.count())] - self.0[from.min(self.count())]
    }
}

/// Lines, 0-based, before which the file may be cut; `strong` ones begin something large enough to stand alone.
struct Cut {
    line: usize,
    strong: bool,
}

fn syntax_cuts(tree: &Tree) -> Vec<Cut> {
    let mut cuts = Vec::new();
    cut_children(tree.root_node(), 0, &mut cuts);
    cuts
}

fn cut_children(node: Node<'_>, depth: usize, cuts: &mut Vec<Cut>) {
    let mut cursor = node.walk();
    let mut leading: Option<usize> = None;
    for child in node.named_children(&mut cursor) {
        let row = child.start_position().row;
        if leads(child.kind()) {
            leading.get_or_insert(row);
            continue;
        }
        let line = leading.take().unwrap_or(row);
        let size = child.byte_range().len();
        cuts.push(Cut { line, strong: size >= TARGET / 2 });
        if size > LARGEST && depth < DEPTH {
            cut_children(child, depth + 1, cuts);
        }
    }
}

/// Comments, attributes and decorators belong to what follows them.
fn leads(kind: &str) -> bool {
    kind.contains("comment")
        || kind.contains("attribute_item")
        || matches!(kind, "decorator" | "annotation" | "haddock" | "pragma")
}

/// Markdown: a section is its heading and what stands under it.
fn heading_cuts(text: &str) -> (Vec<Cut>, Vec<Definition>) {
    let mut fenced = false;
    let (mut cuts, mut sections): (Vec<Cut>, Vec<Definition>) = (Vec::new(), Vec::new());
    let rows: Vec<&str> = text.lines().collect();
    for (row, line) in rows.iter().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        let underlined = rows.get(row + 1).is_some_and(|next| is_underline(next, line));
        if fenced || !(line.starts_with('#') || underlined) {
            continue;
        }
        let name = line.trim_matches(|c: char| c == '#' || c.is_whitespace());
        if let Some(last) = sections.last_mut() {
            last.end_line = row as u32;
        }
        cuts.push(Cut { line: row, strong: true });
        if !name.is_empty() {
            let (start_line, end_line) = (row as u32 + 1, rows.len() as u32);
            let name = name.chars().take(120).collect();
            sections.push(Definition { name, kind: DefinitionKind::Section, start_line, end_line });
        }
    }
    (cuts, sections)
}

fn is_underline(next: &str, line: &str) -> bool {
    let next = next.trim_end();
    !line.trim().is_empty()
        && next.len() >= 3
        && (next.chars().all(|c| c == '=') || next.chars().all(|c| c == '~'))
}

/// YAML, TOML and JSON: the outermost keys and tables.
fn key_cuts(text: &str) -> (Vec<Cut>, Vec<Definition>) {
    let lines = text.lines().enumerate();
    let outermost = lines.filter(|(_, line)| {
        let indent = line.len() - line.trim_start().len();
        let first = line.trim_start().chars().next();
        (indent == 0 && first.is_some_and(|c| c.is_alphanumeric() || matches!(c, '[' | '"')))
            || (indent <= 2 && first == Some('"'))
    });
    (outermost.map(|(line, _)| Cut { line, strong: false }).collect(), Vec::new())
}

/// Packs the stretches between cuts into chunks of about the target size, and cuts what is still too large
/// by lines.
fn pack(cuts: &[Cut], lines: &Lines) -> Vec<Chunk> {
    let count = lines.count();
    let mut starts = vec![0];
    let mut current = 0;
    let mut previous = 0;
    let mut previous_strong = false;
    for cut in cuts.iter().filter(|cut| cut.line > 0 && cut.line < count) {
        if cut.line <= previous {
            previous_strong |= cut.strong;
            continue;
        }
        let too_large = lines.bytes(current, cut.line) >= TARGET;
        let stands_alone =
            (cut.strong || previous_strong) && lines.bytes(current, cut.line) >= TARGET / 5;
        if too_large || stands_alone {
            let overflows =
                too_large && previous > current && lines.bytes(current, previous) >= TARGET / 3;
            if overflows && lines.bytes(current, cut.line) > LARGEST {
                starts.push(previous);
            }
            starts.push(cut.line);
            current = cut.line;
        }
        previous = cut.line;
        previous_strong = cut.strong;
    }
    starts.dedup();
    starts.push(count);
    let mut chunks = Vec::with_capacity(starts.len());
    for pair in starts.windows(2) {
        split_lines(pair[0], pair[1], lines, &mut chunks);
    }
    chunks
}

/// Cuts one stretch by lines where it is too large.
fn split_lines(from: usize, to: usize, lines: &Lines, chunks: &mut Vec<Chunk>) {
    let mut start = from;
    while start < to {
        let mut end = to;
        if lines.bytes(start, to) > LARGEST {
            end = start + 1;
            while end < to && end - start < PLAIN_LINES && lines.bytes(start, end + 1) <= TARGET {
                end += 1;
            }
        }
        chunks.push(Chunk { start_line: start as u32 + 1, end_line: end as u32 });
        start = end;
    }
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(path: &str, text: &str, expected: &Expect) {
        let (chunks, definitions) = chunks(L::of(path), text);
        let mut shown: Vec<String> =
            chunks.iter().map(|c| format!("{}-{}", c.start_line, c.end_line)).collect();
        shown.extend(
            definitions
                .iter()
                .map(|d| format!("{} {} {}-{}", d.kind.name(), d.name, d.start_line, d.end_line)),
        );
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn definitions_by_language() {
        check(
            "a.rs",
            "/// Doc.\npub struct A<T>(T);\nimpl<T> A<T> {\n    fn new() {}\n}\nmacro_rules! m { () => {} }\n",
            &expect![[r#"
                1-6
                struct A 2-2
                implementation A 3-5
                function new 4-4
                macro m 6-6"#]],
        );
        check(
            "a.py",
            "X = 1\n@d\nclass A:\n    def f(self):\n        y = 2\n",
            &expect![[r#"
            1-5
            variable X 1-1
            class A 3-5
            function f 4-5"#]],
        );
        check(
            "a.ts",
            "export const f = () => 1;\nclass A { m(): void {} }\ninterface I { x: number }\n",
            &expect![[r#"
                1-3
                function f 1-1
                class A 2-2
                method m 2-2
                interface I 3-3"#]],
        );
        check(
            "a.js",
            "exports.go = function () {};\nfunction x() { var y = 1; }\n",
            &expect![[r#"
            1-2
            function go 1-1
            function x 2-2"#]],
        );
        check(
            "a.go",
            "package p\ntype T struct{}\nfunc (t *T) M() {}\nfunc F() {}\nconst C = 1\n",
            &expect![[r#"
                1-5
                type T 2-2
                method M 3-3
                function F 4-4
                constant C 5-5"#]],
        );
        check(
            "A.java",
            "class A<T> {\n  int f;\n  A() {}\n  void m() {}\n}\n",
            &expect![[r#"
            1-5
            class A 1-5
            variable f 2-2
            method A 3-3
            method m 4-4"#]],
        );
        check(
            "a.c",
            "#define N 1\nstruct s { int x; };\nstatic int *f(int a) { return 0; }\nint g(void);\n",
            &expect![[r#"
                1-4
                constant N 1-1
                struct s 2-2
                variable x 2-2
                function f 3-3
                function g 4-4"#]],
        );
        check(
            "a.cpp",
            "namespace n { class A { void m(); }; }\nvoid n::A::m() {}\ntemplate <class T> T id(T t) { return t; }\n",
            &expect![[r#"
                1-3
                module n 1-1
                class A 1-1
                variable m 1-1
                function m 2-2
                function id 3-3"#]],
        );
        check(
            "a.cs",
            "namespace N { class A { void M() {} int P { get; } } }\n",
            &expect![[r#"
            1-1
            module N 1-1
            class A 1-1
            method M 1-1
            variable P 1-1"#]],
        );
        check(
            "a.rb",
            "module M\n  class A\n    X = 1\n    def m; end\n    def self.s; end\n  end\nend\n",
            &expect![[r#"
                1-7
                module M 1-7
                class A 2-6
                constant X 3-3
                method m 4-4
                method s 5-5"#]],
        );
        check(
            "a.php",
            "<?php\nnamespace N;\nclass A { const X = 1; public function m() {} }\nfunction f() {}\n",
            &expect![[r#"
                1-4
                module N 2-2
                class A 3-3
                constant X 3-3
                method m 3-3
                function f 4-4"#]],
        );
        check(
            "a.hs",
            "module A where\ndata T = T Int\nf :: Int -> Int\nf x = x\nclass C a where\n  m :: a\n",
            &expect![[r#"
                1-6
                struct T 2-2
                function f 4-4
                class C 5-6"#]],
        );
        check(
            "a.scala",
            "object O { def f(x: Int) = x }\ntrait T\ncase class C(x: Int)\n",
            &expect![[r#"
                1-3
                class O 1-1
                function f 1-1
                interface T 2-2
                class C 3-3"#]],
        );
        check(
            "a.kt",
            "class A { fun m() {} }\nfun f() = 1\nval x = 1\nobject O\n",
            &expect![[r#"
                1-4
                class A 1-1
                function m 1-1
                function f 2-2
                variable x 3-3
                class O 4-4"#]],
        );
        check(
            "a.swift",
            "class A { func m() {} }\nprotocol P {}\nstruct S {}\n",
            &expect![[r#"
            1-3
            class A 1-1
            function m 1-1
            interface P 2-2
            class S 3-3"#]],
        );
        check(
            "a.lua",
            "local function f() end\nfunction M.g() end\n",
            &expect![[r#"
            1-2
            function f 1-1
            function g 2-2"#]],
        );
        check(
            "a.ex",
            "defmodule A.B do\n  def f(x), do: x\n  defp g, do: 1\nend\n",
            &expect![[r#"
            1-4
            module A.B 1-4
            function f 2-2
            function g 3-3"#]],
        );
        check(
            "a.sh",
            "f() { echo; }\n",
            &expect![[r#"
            1-1
            function f 1-1"#]],
        );
        check(
            "a.sol",
            "contract C { uint x; event E(); function f() public {} }\n",
            &expect![[r#"
            1-1
            class C 1-1
            variable x 1-1
            type E 1-1
            function f 1-1"#]],
        );
        check(
            "a.zig",
            "const A = struct {};\npub fn f() void {}\n",
            &expect![[r#"
            1-2
            variable A 1-1
            function f 2-2"#]],
        );
        check(
            "a.md",
            "# One\ntext\n## Two\n```\n# not\n```\n",
            &expect![[r#"
            1-6
            section One 1-2
            section Two 3-6"#]],
        );
    }

    proptest! {
        #[test]
        fn chunks_cover_every_line_once(text in "([a-z {}();#:\\\\\n\t\"']|fn |class |\\) \\{\n|\n\\}\n|\ndef x\\(\\):\n {4}){0,400}", name in "x\\.(rs|py|js|md|yml|txt|c|cpp|hs)") {
            crate::outside::source_file(&name, &text);
        }
    }
}
