//! Where a pattern applies, as its `appliesTo` says: with which versions of packages, and to which files. It knows
//! neither how the field is found nor how a project's packages are.

use globset::{Glob, GlobMatcher};
use semver::{Version, VersionReq};
use serde_json::Value;

/// Where a pattern applies; nothing named means everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Packages, one of which the project must have.
    pub packages: Vec<Needed>,
    /// Files, relative to the project, that its rules are for.
    pub paths: Vec<Glob>,
}

/// A package in versions that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// Its name.
    pub name: String,
    /// As written: `effect@^3`.
    pub written: String,
    /// The ranges, one of which the version must be in; none: every version will do.
    ranges: Vec<VersionReq>,
}

impl Scope {
    /// Reads the field, and says what of it can't be read.
    pub(crate) fn read(field: &Value) -> (Self, Vec<String>) {
        let mut faults = Vec::new();
        let Value::Object(parts) = field else {
            return (
                Self::default(),
                vec!["`appliesTo` must be a mapping with `packages` and `paths`".to_owned()],
            );
        };
        for unknown in parts.keys().filter(|key| !matches!(key.as_str(), "packages" | "paths")) {
            faults
                .push(format!("`appliesTo` has no part `{unknown}`; write `packages` or `paths`"));
        }
        let packages = texts(parts.get("packages"), "packages", &mut faults);
        let packages = packages.iter().map(|text| Needed::read(text));
        let packages = without_faults(packages, &mut faults);
        let paths = texts(parts.get("paths"), "paths", &mut faults);
        let paths =
            paths.iter().map(|text| Glob::new(text).map_err(|e| format!("`appliesTo`: {e}")));
        let paths = without_faults(paths, &mut faults);
        (Self { packages, paths }, faults)
    }

    /// The globs as written.
    pub fn globs(&self) -> Vec<String> {
        self.paths.iter().map(|glob| glob.glob().to_owned()).collect()
    }

    /// The files its rules are for.
    pub fn files(&self) -> Files {
        Files(self.paths.iter().map(Glob::compile_matcher).collect())
    }
}

/// Files, told by globs; all of them where there are none.
#[derive(Debug, Clone, Default)]
pub struct Files(Vec<GlobMatcher>);

impl Files {
    /// Whether a file is one of them.
    pub fn covers(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path);
        self.0.is_empty() || self.0.iter().any(|glob| glob.is_match(path))
    }
}

fn without_faults<T>(
    read: impl Iterator<Item = Result<T, String>>,
    faults: &mut Vec<String>,
) -> Vec<T> {
    read.filter_map(|one| one.map_err(|fault| faults.push(fault)).ok()).collect()
}

fn texts(list: Option<&Value>, part: &str, faults: &mut Vec<String>) -> Vec<String> {
    let items = match list {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(items)) => items.clone(),
        Some(one) => vec![one.clone()],
    };
    let text = |item: &Value| item.as_str().map(str::to_owned);
    items.iter().map(text).collect::<Option<_>>().unwrap_or_else(|| {
        faults.push(format!("`appliesTo.{part}` must be a list of texts"));
        Vec::new()
    })
}

impl Needed {
    fn read(written: &str) -> Result<Self, String> {
        // A name may begin with `@`: `@scope/name@^1`.
        let at = written.char_indices().skip(1).find(|(_, letter)| *letter == '@');
        let (name, ranges) =
            at.map_or((written, ""), |(at, _)| (&written[..at], &written[at + 1..]));
        let alternatives = ranges.split("||").map(str::trim);
        let ranges: Result<Vec<VersionReq>, String> = alternatives
            .filter(|range| !matches!(*range, "" | "*" | "latest"))
            .map(range)
            .collect();
        let explain =
            |cause| format!("`appliesTo`: the versions of `{written}` can't be read: {cause}");
        Ok(Self {
            name: name.to_owned(),
            written: written.to_owned(),
            ranges: ranges.map_err(explain)?,
        })
    }

    /// Whether a version will do; one that is not known may be any.
    pub(crate) fn fits(&self, version: Option<&Version>) -> bool {
        // A pre-release counts as the release it leads to: ranges are about what an interface looks like.
        let release = |version: &Version| Version::new(version.major, version.minor, version.patch);
        let is_in = |version: &Version| {
            self.ranges.iter().any(|r| r.matches(version) || r.matches(&release(version)))
        };
        self.ranges.is_empty() || version.is_none_or(is_in)
    }
}

/// A range as npm, Cargo or pip write it.
fn range(text: &str) -> Result<VersionReq, String> {
    let mut parts: Vec<String> = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        match parts.last_mut() {
            // `>= 1` is one part.
            Some(last) if last.chars().all(|letter| "<>=~^!".contains(letter)) => {
                last.push_str(part);
            }
            _ => parts.push(part.to_owned()),
        }
    }
    let parts: Vec<String> = parts.into_iter().map(|part| comparator(&part)).collect();
    VersionReq::parse(&parts.join(", ")).map_err(|cause| cause.to_string())
}

fn comparator(part: &str) -> String {
    if let Some(version) = part.strip_prefix("===").or_else(|| part.strip_prefix("==")) {
        return format!("={version}");
    }
    // pip's `~=1.4` is at least 1.4 and below 2; `~=1.4.2` is below 1.5.
    match part.strip_prefix("~=") {
        Some(version) if version.matches('.').count() >= 2 => format!("~{version}"),
        Some(version) => format!("^{version}"),
        None => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(written: &str, versions: &[&str], expected: Expect) {
        let said = match Needed::read(written) {
            Ok(needed) => {
                let fit = versions.iter().filter(|v| needed.fits(Version::parse(v).ok().as_ref()));
                format!("{}: {}", needed.name, fit.copied().collect::<Vec<_>>().join(" "))
            }
            Err(fault) => fault,
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn packages_are_read_as_the_registries_write_them() {
        check(
            "effect@^3",
            &["2.9.0", "3.1.4", "3.0.0-beta.1", "4.0.0"],
            expect!["effect: 3.1.4 3.0.0-beta.1"],
        );
        check(
            "@scope/name@>= 1.2 <2 || 4",
            &["1.1.0", "1.2.0", "2.0.0", "4.5.0"],
            expect!["@scope/name: 1.2.0 4.5.0"],
        );
        check("pydantic@~=2.4", &["2.3.0", "2.11.0", "3.0.0"], expect!["pydantic: 2.11.0"]);
        check("tokio", &["0.1.0", "1.0.0"], expect!["tokio: 0.1.0 1.0.0"]);
        check(
            "react@seventeen",
            &[],
            expect![
                "`appliesTo`: the versions of `react@seventeen` can't be read: unexpected character 's' while parsing major version number"
            ],
        );
    }

    #[test]
    fn files_are_told_by_globs_and_faults_are_told() {
        let (scope, faults) =
            Scope::read(&json!({ "paths": ["src/**/*.ts", "bad["], "package": "x" }));
        expect![[r#"
            `appliesTo` has no part `package`; write `packages` or `paths`
            `appliesTo`: error parsing glob 'bad[': unclosed character class; missing ']'"#]]
        .assert_eq(&faults.join("\n"));
        let files = scope.files();
        assert!(files.covers("src/a/b.ts") && files.covers("./src/b.ts"));
        assert!(!files.covers("tests/b.ts"));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".{0,60}") {
            let (scope, _) = Scope::read(&json!({ "packages": [text.clone()], "paths": [text] }));
            scope.files().covers("src/a.ts");
            let version = Version::new(1, 2, 3);
            scope.packages.iter().for_each(|needed| { needed.fits(Some(&version)); });
        }
    }
}
