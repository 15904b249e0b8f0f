//! Which files to search: globs as people write them.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::GrepError;

/// A compiled file pattern.
#[derive(Debug, Clone)]
pub struct FilePattern {
    wanted: GlobSet,
    unwanted: GlobSet,
}

impl FilePattern {
    /// Parses `**/*.ts`, `*.ts` (anywhere), `src/server` (all below), `{a,b}/**`, and `!**/x` for all but those.
    pub fn parse(pattern: &str) -> Result<Self, GrepError> {
        let (mut wanted, mut unwanted) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (builder, glob) = match pattern.strip_prefix('!') {
            Some(rest) => (&mut unwanted, rest),
            None => (&mut wanted, pattern),
        };
        for glob in spellings(glob) {
            let glob =
                GlobBuilder::new(&glob).literal_separator(true).build().map_err(|e| invalid(&e))?;
            builder.add(glob);
        }
        if pattern.starts_with('!') {
            wanted.add(GlobBuilder::new("**").build().map_err(|e| invalid(&e))?);
        }
        let build = |b: GlobSetBuilder| b.build().map_err(|e| invalid(&e));
        Ok(Self { wanted: build(wanted)?, unwanted: build(unwanted)? })
    }

    /// Whether a path relative to the root is meant.
    pub fn allows(&self, path: &str) -> bool {
        self.wanted.is_match(path) && !self.unwanted.is_match(path)
    }
}

/// A glob without a slash means files of that name anywhere; one that names a folder means what is below it.
fn spellings(glob: &str) -> Vec<String> {
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    let anchored = if glob.trim_end_matches('/').contains('/') {
        glob.to_owned()
    } else {
        format!("**/{glob}")
    };
    let below = format!("{}/**", anchored.trim_end_matches('/'));
    vec![anchored.trim_end_matches('/').to_owned(), below]
}

fn invalid(error: &globset::Error) -> GrepError {
    GrepError::InvalidFilePattern { message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_people_write_them() {
        for (pattern, path, expected) in [
            ("**/*.ts", "src/a.ts", true),
            ("**/*.ts", "a.ts", true),
            ("*.ts", "src/deep/a.ts", true),
            ("*.ts", "a.tsx", false),
            ("src/*.ts", "src/a.ts", true),
            ("src/*.ts", "src/deep/a.ts", false),
            ("src", "src/deep/a.ts", true),
            ("src/", "lib/src/a.ts", true),
            ("./src/server", "src/server/x/y.rs", true),
            ("*.{js,jsx}", "x/y.jsx", true),
            ("!**/*.md", "README.md", false),
            ("!**/*.md", "a.rs", true),
            ("README.md", "docs/README.md", true),
        ] {
            assert_eq!(
                FilePattern::parse(pattern).unwrap().allows(path),
                expected,
                "{pattern} {path}"
            );
        }
        assert!(FilePattern::parse("src/[").is_err());
    }
}
