//! What of a file its outline can be had without: the insides of functions. What they define is local to them, and parsing
//! is most of what indexing costs.
//!
//! A stretch is left out only where counting brackets and looking at the layout agree on where it ends; in doubt the
//! parser sees everything. So the outline is the same, but for code that the grammar does not understand.

mod braces;
mod indents;

use tree_sitter::{Point, Range};

use crate::language::Language as L;

/// Stretches shorter than this are not worth leaving out.
const SHORTEST: usize = 48;
/// The parser looks through all ranges for each token: of more than these, only the longest stretches are left out.
const MOST: usize = 256;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    byte: usize,
    row: usize,
    column: usize,
}

impl Place {
    fn point(self) -> Point {
        Point::new(self.row, self.column)
    }
}

/// What lies between two places.
type Stretch = std::ops::Range<Place>;

/// The ranges of a text that a parser has to see, where no function of up to `largest` bytes needs its inside; empty for
/// all of it.
pub(super) fn ranges_without_bodies(language: L, text: &str, largest: usize) -> Vec<Range> {
    let mut left_out = match language {
        L::C | L::Cpp => braces::bodies(text, largest),
        L::Python => indents::bodies(text, largest),
        _ => return Vec::new(),
    };
    left_out.retain(|stretch| length(stretch) >= SHORTEST);
    if left_out.len() > MOST {
        left_out.sort_by_key(|stretch| std::cmp::Reverse(length(stretch)));
        left_out.truncate(MOST);
        left_out.sort_by_key(|stretch| stretch.start);
    }
    between(&left_out, text)
}

fn length(stretch: &Stretch) -> usize {
    stretch.end.byte - stretch.start.byte
}

/// What is not left out.
fn between(left_out: &[Stretch], text: &str) -> Vec<Range> {
    if left_out.is_empty() {
        return Vec::new();
    }
    let mut start = Place { byte: 0, row: 0, column: 0 };
    let mut ranges = Vec::with_capacity(left_out.len() + 1);
    for stretch in left_out {
        ranges.push(range(start, stretch.start));
        start = stretch.end;
    }
    ranges.push(range(start, end_of(text)));
    ranges
}

/// Behind the last byte: what the file does not finish ends there.
fn end_of(text: &str) -> Place {
    let line = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |end| end + 1);
    let row = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    Place { byte: text.len(), row, column: text.len() - line }
}

fn range(start: Place, end: Place) -> Range {
    Range {
        start_byte: start.byte,
        end_byte: end.byte,
        start_point: start.point(),
        end_point: end.point(),
    }
}

/// Columns that a line is indented by.
fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::outside::outline_differences;

    /// Shows what is left out as `…`, and holds the outline against that of the whole tree.
    fn check(path: &str, text: &str, expected: &Expect) {
        let language = L::of(path).unwrap();
        let ranges = ranges_without_bodies(language, text, 400);
        let seen: Vec<&str> = ranges.iter().map(|r| &text[r.start_byte..r.end_byte]).collect();
        expected.assert_eq(&seen.join("…"));
        assert_eq!(outline_differences(path, text), Vec::<String>::new());
    }

    #[test]
    fn what_is_left_out_of_c() {
        check(
            "a.c",
            r#"
#define EACH(x) for (x = 0; x < 9; x++) { \
}
struct __attribute__((packed)) {
	int kept_because_it_is_a_member_of_a_structure;
} s;
/* { ( */
static int parse(const char *text,
		 int length)
{
	if (length) { /* } */
		return '{' + strlen("}{\"") + text[length];
	}
out:
	return length * 1000 + 7;
}

int short_one(void) { return 1; }

void other(void) {
	call_something("with a text that is long enough", 1);
}
int last;
"#,
            &expect![[r#"

                #define EACH(x) for (x = 0; x < 9; x++) { \
                }
                struct __attribute__((packed)) {
                	int kept_because_it_is_a_member_of_a_structure;
                } s;
                /* { ( */
                static int parse(const char *text,
                		 int length)
                {…}

                int short_one(void) { return 1; }

                void other(void) {…}
                int last;
            "#]],
        );
    }

    #[test]
    fn what_is_left_out_of_cpp() {
        check(
            "a.cpp",
            r#"
namespace n {
class A {
public:
    A(int x) : x_(x) {
        first(x); second(1'000'000); third('x', "y");
    }
    int get() const {
        return some_long_name_of_a_function(x_) + other();
    }
    struct Inner {
        int kept_because_it_is_a_member_of_a_structure;
    };
};
}
"#,
            &expect![[r#"

                namespace n {
                class A {
                public:
                    A(int x) : x_(x) {…}
                    int get() const {…}
                    struct Inner {
                        int kept_because_it_is_a_member_of_a_structure;
                    };
                };
                }
            "#]],
        );
    }

    #[test]
    fn a_block_that_ends_elsewhere_than_it_seems_stays() {
        let text = r"
int f(int a)
{
#ifdef A
	if (a) {
#else
	if (!a) {
#endif
		something_that_is_long_enough(a);
	}
	return 1;
}

int g(int a)
{
	return something_that_is_long_enough(a) + something_else(a);
}
";
        let ranges = ranges_without_bodies(L::C, text, 400);
        let seen: Vec<&str> = ranges.iter().map(|r| &text[r.start_byte..r.end_byte]).collect();
        assert_eq!(seen.len(), 2, "only g's is left out: {seen:?}");
        assert!(seen[0].ends_with("int g(int a)\n{"), "{seen:?}");
    }

    #[test]
    fn a_file_that_ends_in_the_middle_ends_on_its_last_line() {
        let whole = "int f(int a)\n{\n\treturn something_that_is_long_enough(a) + other(a);\n}\n\n";
        for rest in [
            "int g(int a)\n{\n\tfoo(",
            "struct s {\n\tint a;\n\tint",
            "#define A(x) \\\n\tx",
            "/* a\n * b",
        ] {
            let text = format!("{whole}{rest}");
            assert!(!ranges_without_bodies(L::C, &text, 400).is_empty(), "f's is left out");
            let lines = crate::text::count_lines(&text);
            let (_, definitions) = crate::syntax::chunks(Some(L::C), &text);
            assert!(definitions.iter().all(|d| u64::from(d.end_line) <= lines), "{definitions:?}");
            assert_eq!(outline_differences("a.c", &text), Vec::<String>::new());
        }
    }

    #[test]
    fn what_is_left_out_of_python() {
        check(
            "a.py",
            r##"
import a

@decorated("x")
async def f(a, b={"#": 1},
            c=(1, 2)):  # why: because
    """Doc with
less indentation, and def g():
    """
    x = [
1, 2]
    if x:
# a comment
        return "long enough"

class A:
    y = 1

    def m(self):
        def inner():
            return 'it\'s' + "a \
string"
        for x in self:
            yield (x,
                   inner)

    def ends_with_else(self):
        if self.something_or_other_long_enough():
            x = 1
        else: y = 2

    def short(self):
        a = 1
        return a

def comment_behind():
    first = "a statement that is long enough to be left out"
    return 1
    # still in it
z = 1
"##,
            &expect![[r##"

                import a

                @decorated("x")
                async def f(a, b={"#": 1},
                            c=(1, 2)):  # why: because
                …        return "long enough"

                class A:
                    y = 1

                    def m(self):
                …            yield (x,
                                   inner)

                    def ends_with_else(self):
                        if self.something_or_other_long_enough():
                            x = 1
                        else: y = 2

                    def short(self):
                        a = 1
                        return a

                def comment_behind():
                    first = "a statement that is long enough to be left out"
                    return 1
                    # still in it
                z = 1
            "##]],
        );
    }
}
