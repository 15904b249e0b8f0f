//! Files that reports of coverage leave out.

use super::coverage::Coverage;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Whether a text is a glob.
pub(crate) fn is_glob(text: &str) -> bool {
    glob(text).is_some()
}

/// `*` stays within a folder, `**` does not.
fn glob(text: &str) -> Option<Glob> {
    let text = text.strip_prefix("./").unwrap_or(text);
    GlobBuilder::new(text).literal_separator(true).build().ok()
}

impl Coverage {
    /// Without the files, and the contracts in them, that one of the globs means.
    #[must_use]
    pub(crate) fn without(mut self, globs: &[String]) -> Self {
        if globs.is_empty() {
            return self;
        }
        let set = set_of(globs);
        let stays = |path: &str| !set.is_match(path.strip_prefix("./").unwrap_or(path));
        self.files.retain(|file| stays(&file.path));
        self.contracts.retain(|contract| stays(&contract.file));
        self
    }
}

fn set_of(globs: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for glob in globs.iter().filter_map(|text| glob(text)) {
        set.add(glob);
    }
    set.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileCoverage;
    use expect_test::{Expect, expect};

    fn check(globs: &[&str], expected: &Expect) {
        let paths =
            ["src/Vault.sol", "lib/token/Token.sol", "lib/Maths.sol", "test/mocks/deep/Mock.sol"];
        let file = |path: &str| FileCoverage { path: path.to_owned(), ..FileCoverage::default() };
        let coverage = Coverage { files: paths.map(file).to_vec(), contracts: Vec::new() };
        let globs: Vec<String> = globs.iter().map(ToString::to_string).collect();
        let left: Vec<String> =
            coverage.without(&globs).files.into_iter().map(|f| f.path).collect();
        expected.assert_eq(&left.join(" "));
    }

    #[test]
    fn globs_mean_paths_from_the_root() {
        check(
            &[],
            &expect!["src/Vault.sol lib/token/Token.sol lib/Maths.sol test/mocks/deep/Mock.sol"],
        );
        check(&["lib/**/*.sol"], &expect!["src/Vault.sol test/mocks/deep/Mock.sol"]);
        check(
            &["lib/*.sol"],
            &expect!["src/Vault.sol lib/token/Token.sol test/mocks/deep/Mock.sol"],
        );
        check(
            &["./test/mocks/**/*", "src/{Vault,Bank}.sol"],
            &expect!["lib/token/Token.sol lib/Maths.sol"],
        );
        assert!(!is_glob("lib/[") && is_glob("lib/**"));
    }
}
