//! What a path says about a file's part in the project.

/// The part a file plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathKind {
    /// Ordinary source.
    Source,
    /// A test, or what tests need.
    Test,
    /// An example, a benchmark, a demo.
    Example,
    /// Prose and data.
    Prose,
    /// Kept for old users: compat, legacy, deprecated.
    Legacy,
    /// A file that only gathers others: `__init__.py`, `index.ts`.
    Gathering,
    /// Declarations without code: `.d.ts`, `.pyi`; to the ranker also a header whose source is there.
    Declarations,
    /// Made by a program or copied from elsewhere.
    Generated,
}

impl PathKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Source,
        Self::Test,
        Self::Example,
        Self::Prose,
        Self::Legacy,
        Self::Gathering,
        Self::Declarations,
        Self::Generated,
    ];

    /// The part a file plays, by its path.
    pub fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let (folders, name) = lower.rsplit_once('/').unwrap_or(("", lower.as_str()));
        let ending = name.rsplit('.').next();
        let stem = name.split('.').next().unwrap_or(name);
        // Of what the folders say, the first in this order counts.
        let folder = folders.split('/').filter_map(by_folder).min();
        if folder == Some(Part::Test) || is_test_name(name, stem) {
            Self::Test
        } else if folder == Some(Part::Example) {
            Self::Example
        } else if folder == Some(Part::Generated) || is_generated(name) {
            Self::Generated
        } else if folder == Some(Part::Prose) || is_prose(name) {
            Self::Prose
        } else if folder == Some(Part::Legacy)
            || matches!(stem, "compat" | "_compat" | "legacy" | "deprecated")
        {
            Self::Legacy
        } else if matches!(name, "__init__.py" | "index.ts" | "index.js" | "package-info.java") {
            Self::Gathering
        } else if name.ends_with(".d.ts") || ending == Some("pyi") {
            Self::Declarations
        } else {
            Self::Source
        }
    }

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Test => "test",
            Self::Example => "example",
            Self::Prose => "prose",
            Self::Legacy => "legacy",
            Self::Gathering => "gathering",
            Self::Declarations => "declarations",
            Self::Generated => "generated",
        }
    }
}

/// What a folder's name says of the files in it, in the order in which that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Test,
    Example,
    Generated,
    Prose,
    Legacy,
}

fn by_folder(folder: &str) -> Option<Part> {
    Some(match folder {
        "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "testdata" | "fixtures"
        | "__mocks__" | "e2e" => Part::Test,
        "example" | "examples" | "demo" | "demos" | "sample" | "samples" | "bench" | "benches"
        | "benchmarks" => Part::Example,
        "vendor" | "third_party" | "thirdparty" | "external" | "generated" | "gen" => {
            Part::Generated
        }
        "doc" | "docs" => Part::Prose,
        "compat" | "legacy" | "deprecated" | "_compat" => Part::Legacy,
        _ => return None,
    })
}

fn is_test_name(name: &str, stem: &str) -> bool {
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "tests" | "test" | "conftest")
        || name.contains(".test.")
        || name.contains(".spec.")
        || (name.ends_with("test.java")
            || name.ends_with("tests.cs")
            || name.ends_with("test.php")
            || name.ends_with("test.kt"))
}

fn is_generated(name: &str) -> bool {
    name.contains(".generated.")
        || name.contains(".pb.")
        || name.contains("_pb2")
        || name.contains(".min.")
        || name.rsplit('.').next() == Some("lock")
        || matches!(name, "package-lock.json" | "yarn.lock" | "pnpm-lock.yaml")
}

fn is_prose(name: &str) -> bool {
    crate::language::Language::of(name).is_none_or(crate::language::Language::is_prose_or_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_by_the_path() {
        for (path, kind) in [
            ("src/router.rs", PathKind::Source),
            ("src/router.test.ts", PathKind::Test),
            ("tests/a.py", PathKind::Test),
            ("pkg/x_test.go", PathKind::Test),
            ("docs/a.rst", PathKind::Prose),
            ("README.md", PathKind::Prose),
            ("src/__init__.py", PathKind::Gathering),
            ("x.d.ts", PathKind::Declarations),
            ("vendor/x.go", PathKind::Generated),
            ("src/contest.rs", PathKind::Source),
            ("src/latest.ts", PathKind::Source),
        ] {
            assert_eq!(PathKind::of(path), kind, "{path}");
        }
    }
}
