//! Reads a pattern file: front matter into fields, each fault with its place. Fields are read one by one and
//! leniently, so that one bad field costs that field and not the file.

use serde_json::{Map, Value};

use crate::diagnostic::{Diagnostic, Faults, Level, Spot};
use crate::markdown::{self, Body, Role};
use crate::pattern::{Credit, Difficulty, Layer, Origin, Pattern, RuleSource, Severity};
use crate::scope::Scope;
use crate::suspicion;

/// The most bytes of one pattern file. The largest in the wild has 17 kB.
pub const LARGEST_FILE: usize = 512 * 1024;

/// Front-matter keys with a meaning, or known from other libraries and harmless.
const KNOWN: &[&str] = &[
    "id",
    "title",
    "summary",
    "description",
    "category",
    "applicationPatternId",
    "difficulty",
    "skillLevel",
    "languages",
    "language",
    "tags",
    "aliases",
    "useWhen",
    "use_when",
    "use_cases",
    "useCases",
    "avoidWhen",
    "avoid_when",
    "related",
    "appliesTo",
    "rule",
    "rules",
    "author",
    "license",
    "source",
    "version",
    "status",
    "replacedBy",
    "lessonOrder",
    "provides",
    "requires",
];

/// A file to read.
#[derive(Debug, Clone)]
pub struct PatternFile {
    /// Its layer.
    pub layer: Layer,
    /// Its path, relative to the layer's folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Reads one file. Without a pattern, at least one of the diagnostics is an error.
pub fn read(file: &PatternFile) -> (Option<Pattern>, Vec<Diagnostic>) {
    let mut faults = Faults::of(&file.path);
    let pattern = read_into(file, &mut faults);
    (pattern, faults.found)
}

fn read_into(file: &PatternFile, faults: &mut Faults<'_>) -> Option<Pattern> {
    if file.text.len() > LARGEST_FILE {
        let size = file.text.len();
        faults.error("too-large", Spot::START, too_large(size as u64));
        return None;
    }
    let parts = match markdown::split(&file.text) {
        Ok(parts) => parts,
        Err(error) => {
            faults.error("front-matter", Spot::START, error.to_string());
            return None;
        }
    };
    let fields = match serde_saphyr::from_str::<Map<String, Value>>(parts.front) {
        Ok(fields) => fields,
        Err(error) => {
            faults.error(
                "front-matter",
                yaml_spot(&error),
                format!("broken YAML: {}", plain(&error)),
            );
            return None;
        }
    };
    let body = markdown::read(parts.body, parts.body_line);
    if let Some(line) = body.unclosed {
        let message = "this code fence is never closed: everything after it is read as code";
        faults.warn("unclosed-fence", Spot::line(line), message);
    }
    let before = faults.found.len();
    suspicion::look(&file.text, faults);
    let mut flags: Vec<String> = faults.found[before..].iter().map(|d| d.code.to_owned()).collect();
    flags.dedup();
    Header { front: parts.front, fields, faults }.pattern(file, body, flags)
}

/// What is said of a file that is too large to read.
pub(crate) fn too_large(size: u64) -> String {
    format!("the file has {size} bytes, more than the {LARGEST_FILE} a pattern may have: split it")
}

fn yaml_spot(error: &serde_saphyr::Error) -> Spot {
    error.location().map_or(Spot::START, |at| Spot {
        // The front matter begins on the file's second line.
        line: at.line() as usize + 1,
        column: at.column() as usize,
    })
}

/// The message without the excerpt of the source.
fn plain(error: &serde_saphyr::Error) -> String {
    let said = error.without_snippet().to_string();
    let first = said.lines().next().unwrap_or("it can't be read");
    // The place is told in the file's own lines, beside the message.
    first.rsplit_once(" at line ").map_or(first, |(message, _)| message).to_owned()
}

struct Header<'a, 'f> {
    front: &'a str,
    fields: Map<String, Value>,
    faults: &'a mut Faults<'f>,
}

impl Header<'_, '_> {
    fn pattern(mut self, file: &PatternFile, body: Body, flags: Vec<String>) -> Option<Pattern> {
        self.warn_unknown();
        let id = self.id(&file.path)?;
        let title = self.text(&["title"]).unwrap_or_else(|| words_of(&id));
        let rule = self.rule_sentence();
        let guideline = body.sections.iter().find(|s| s.role == Role::Guideline);
        let summary = self.text(&["summary", "description"]).or_else(|| rule.clone());
        let summary = summary.or_else(|| guideline.map(|s| first_paragraph(&s.prose)));
        if summary.is_none() {
            self.faults.warn(
                "no-summary",
                Spot::line(2),
                "no summary: say in a sentence what it is",
            );
        }
        let use_when = self.list(&["useWhen", "use_when", "use_cases", "useCases"]);
        let avoid_when = self.list(&["avoidWhen", "avoid_when"]);
        let languages = self.list(&["languages", "language"]);
        let rules = self.rules(&id, &title);
        let credit = Credit {
            author: self.text(&["author"]),
            license: self.text(&["license"]),
            source: self.text(&["source"]),
            version: self.text(&["version"]),
        };
        Some(Pattern {
            title,
            summary: summary.unwrap_or_default(),
            category: self.category(&file.path),
            difficulty: self.difficulty(),
            languages: if languages.is_empty() { languages_of(&body) } else { languages },
            tags: self.list(&["tags"]),
            aliases: self.list(&["aliases"]),
            use_when: or_section(use_when, &body, Role::UseWhen),
            avoid_when: or_section(avoid_when, &body, Role::AvoidWhen),
            related: self.list(&["related"]),
            scope: self.scope(),
            rule,
            rules,
            credit,
            status: self.text(&["status"]),
            replaced_by: self.text(&["replacedBy"]),
            sections: body.sections,
            fences: body.fences,
            origin: Origin { layer: file.layer, file: file.path.clone(), overrides: None },
            flags,
            front: self.front.to_owned(),
            id,
        })
    }

    fn warn_unknown(&mut self) {
        let unknown: Vec<String> =
            self.fields.keys().filter(|key| !KNOWN.contains(&key.as_str())).cloned().collect();
        for key in unknown {
            let spot = self.spot(&key);
            let message = format!("`{key}` is not a field of a pattern; it is kept and not used");
            self.faults.warn("unknown-field", spot, message);
        }
    }

    fn id(&mut self, path: &str) -> Option<String> {
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
        let id = self.text(&["id"]).unwrap_or_else(|| stem.to_owned());
        if is_id(&id) {
            return Some(id);
        }
        let spot = self.spot("id");
        let message = format!(
            "`{id}` is not an id: use up to 128 lower-case letters, digits and hyphens, a letter or digit first"
        );
        self.faults.error("bad-id", spot, message);
        None
    }

    fn category(&mut self, path: &str) -> String {
        let stated = self.text(&["category", "applicationPatternId"]);
        let folder = path.split_once('/').map(|(folder, _)| folder.to_owned());
        stated.or(folder).unwrap_or_else(|| "general".to_owned())
    }

    fn difficulty(&mut self) -> Difficulty {
        let Some(word) = self.text(&["difficulty", "skillLevel"]) else {
            return Difficulty::Intermediate;
        };
        Difficulty::parse(&word).unwrap_or_else(|| {
            let key = if self.fields.contains_key("difficulty") { "difficulty" } else { "skillLevel" };
            let spot = self.spot(key);
            let message =
                format!("`{word}` is no difficulty; `intermediate` is assumed. Write beginner, intermediate or advanced");
            self.faults.warn("bad-difficulty", spot, message);
            Difficulty::Intermediate
        })
    }

    fn scope(&mut self) -> Scope {
        let Some(field) = self.fields.get("appliesTo").filter(|field| !field.is_null()) else {
            return Scope::default();
        };
        let (scope, faults) = Scope::read(field);
        let spot = self.spot("appliesTo");
        for fault in faults {
            self.faults.warn("bad-scope", spot, fault);
        }
        scope
    }

    fn rule_sentence(&mut self) -> Option<String> {
        match self.fields.get("rule") {
            Some(Value::Object(rule)) => rule.get("description").and_then(scalar),
            Some(other) => scalar(other),
            None => None,
        }
    }

    fn rules(&mut self, pattern: &str, title: &str) -> Vec<RuleSource> {
        let items = match self.fields.get("rules") {
            None => return Vec::new(),
            Some(Value::Array(items)) => items.clone(),
            Some(_) => {
                let spot = self.spot("rules");
                self.faults.error("bad-rule", spot, "`rules` must be a list of rules");
                return Vec::new();
            }
        };
        let mut rules = Vec::new();
        for (number, item) in items.into_iter().enumerate() {
            rules.extend(self.rule(item, number, pattern, title));
        }
        rules
    }

    fn rule(
        &mut self,
        item: Value,
        number: usize,
        pattern: &str,
        title: &str,
    ) -> Option<RuleSource> {
        let start = self.spot("rules");
        let Value::Object(mut item) = item else {
            self.faults.error("bad-rule", start, format!("rule {} is not a mapping", number + 1));
            return None;
        };
        let named = item.get("id").and_then(scalar);
        let id = named.clone().unwrap_or_else(|| match number {
            0 => pattern.to_owned(),
            _ => format!("{pattern}-{}", number + 1),
        });
        let line = named
            .and_then(|id| self.line_of(&format!("id: {id}"), start.line))
            .unwrap_or(start.line);
        let severity = item.get("severity").and_then(scalar);
        let severity = match severity.as_deref().map(|word| (word, Severity::parse(word))) {
            None => Severity::Warning,
            Some((_, Some(severity))) => severity,
            Some((word, None)) => {
                let message = format!(
                    "rule `{id}`: `{word}` is no severity; write error, warning, info or hint"
                );
                self.faults.warn("bad-severity", Spot::line(line), message);
                Severity::Warning
            }
        };
        let message = item.get("message").and_then(scalar).unwrap_or_else(|| title.to_owned());
        // An ast-grep rule may stand under its own key, or be written out in place.
        let config = match item.shift_remove("ast-grep") {
            Some(Value::Object(config)) => config,
            Some(_) => {
                self.faults.error(
                    "bad-rule",
                    Spot::line(line),
                    format!("rule `{id}`: `ast-grep` must be a mapping"),
                );
                return None;
            }
            None if item.contains_key("rule") => {
                for ours in ["id", "severity", "message", "title"] {
                    item.shift_remove(ours);
                }
                item
            }
            None => {
                let message =
                    format!("rule `{id}` has no `ast-grep` part with `language` and `rule`");
                self.faults.error("bad-rule", Spot::line(line), message);
                return None;
            }
        };
        Some(RuleSource { id, severity, message, config, line })
    }

    /// The first of these fields that holds a scalar.
    fn text(&mut self, keys: &[&str]) -> Option<String> {
        for key in keys {
            match self.fields.get(*key) {
                None | Some(Value::Null) => {}
                Some(value) => match scalar(value) {
                    Some(text) if text.is_empty() => {}
                    Some(text) => return Some(text),
                    None => {
                        let spot = self.spot(key);
                        self.faults.warn(
                            "bad-field",
                            spot,
                            format!("`{key}` must be a single value"),
                        );
                    }
                },
            }
        }
        None
    }

    /// The first of these fields that is there, as a list; a single value is a list of one.
    fn list(&mut self, keys: &[&str]) -> Vec<String> {
        let Some(key) =
            keys.iter().find(|key| self.fields.get(**key).is_some_and(|v| !v.is_null()))
        else {
            return Vec::new();
        };
        match &self.fields[*key] {
            Value::Array(items) => {
                items.iter().filter_map(scalar).filter(|s| !s.is_empty()).collect()
            }
            value => match scalar(value) {
                Some(text) => vec![text],
                None => {
                    let spot = self.spot(key);
                    self.faults.warn("bad-field", spot, format!("`{key}` must be a list"));
                    Vec::new()
                }
            },
        }
    }

    /// Where a top-level field stands in the file.
    fn spot(&self, key: &str) -> Spot {
        let starts = |line: &str| {
            line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        Spot::line(self.front.lines().position(starts).map_or(2, |line| line + 2))
    }

    /// The first line at or after `from` that contains a text.
    fn line_of(&self, text: &str, from: usize) -> Option<usize> {
        let lines = self.front.lines().enumerate().skip(from.saturating_sub(2));
        lines.into_iter().find(|(_, line)| line.contains(text)).map(|(number, _)| number + 2)
    }
}

/// Scalars become text: a tag `429` is a tag.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Whether a text has the form of an id.
pub fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = text.as_bytes();
    !bytes.is_empty()
        && bytes.len() <= 128
        && plain(bytes[0])
        && bytes.iter().all(|b| plain(*b) || *b == b'-')
}

fn words_of(id: &str) -> String {
    let text = id.replace('-', " ");
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn first_paragraph(prose: &str) -> String {
    let paragraph = prose.split("\n\n").find(|p| !p.trim().is_empty()).unwrap_or_default();
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn languages_of(body: &Body) -> Vec<String> {
    let mut languages: Vec<String> = Vec::new();
    for fence in &body.fences {
        let name = crate::language::name_of(&fence.language);
        if let Some(name) = name.filter(|name| !languages.iter().any(|known| known == name)) {
            languages.push(name.to_owned());
        }
    }
    languages
}

/// A list from the front matter, or else the bullets of a section.
fn or_section(list: Vec<String>, body: &Body, role: Role) -> Vec<String> {
    if !list.is_empty() {
        return list;
    }
    let Some(section) = body.sections.iter().find(|section| section.role == role) else {
        return list;
    };
    let bullets: Vec<String> = section.prose.lines().filter_map(bullet).collect();
    match bullets.is_empty() {
        false => bullets,
        true => {
            Some(first_paragraph(&section.prose)).filter(|p| !p.is_empty()).into_iter().collect()
        }
    }
}

fn bullet(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    Some(rest.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Whether any of these keeps a pattern from being served.
pub fn has_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn file(text: &str) -> PatternFile {
        PatternFile {
            layer: Layer::Project,
            path: "errors/sample-pattern.md".into(),
            text: text.into(),
        }
    }

    fn check(text: &str, expected: Expect) {
        let (pattern, diagnostics) = read(&file(text));
        let mut said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        if let Some(p) = pattern {
            said.push(format!("{} | {} | {} | {}", p.id, p.title, p.category, p.difficulty.word()));
            said.push(format!("{:?} {:?} {:?}", p.tags, p.languages, p.use_when));
        }
        expected.assert_eq(&said.join("\n"));
    }

    #[test]
    fn a_hub_file_loads_unchanged() {
        check(
            "---\nid: retry-it\ntitle: \"Retry it\"\nskillLevel: beginner\napplicationPatternId: \"errors\"\nsummary: >-\n  Try\n  again.\ntags: [retry, 429]\nrule:\n  description: >-\n    Use retry.\nauthor: somebody\nrelated: [other]\nlessonOrder: 3\n---\n\n# Retry it\n\n## When to Use\n\n- **Flaky** calls\n\n## Good Example\n\n```typescript\nretry();\n```\n",
            expect![[r#"
                retry-it | Retry it | errors | beginner
                ["retry", "429"] ["typescript"] ["**Flaky** calls"]"#]],
        );
    }

    #[test]
    fn a_bare_file_gets_its_names_from_its_path() {
        check(
            "---\nsummary: x\n---\n",
            expect![[r#"
            sample-pattern | Sample pattern | errors | intermediate
            [] [] []"#]],
        );
    }

    #[test]
    fn faults_have_their_place() {
        check(
            "---\nid: a\ntitle: \"open\nsummary: x\n---\n",
            expect![
                "errors/sample-pattern.md:4:1: error[front-matter] broken YAML: invalid indentation in multiline quoted scalar"
            ],
        );
        check(
            "---\nid: Bad_Id\n---\n",
            expect![
                "errors/sample-pattern.md:2:1: error[bad-id] `Bad_Id` is not an id: use up to 128 lower-case letters, digits and hyphens, a letter or digit first"
            ],
        );
        check(
            "---\nid: a\nsummary: s\ndifficulty: wizard\ncolour: red\ntags: {a: b}\n---\n```ts\n",
            expect![[r#"
                errors/sample-pattern.md:8:1: warning[unclosed-fence] this code fence is never closed: everything after it is read as code
                errors/sample-pattern.md:5:1: warning[unknown-field] `colour` is not a field of a pattern; it is kept and not used
                errors/sample-pattern.md:4:1: warning[bad-difficulty] `wizard` is no difficulty; `intermediate` is assumed. Write beginner, intermediate or advanced
                errors/sample-pattern.md:6:1: warning[bad-field] `tags` must be a list
                a | A | errors | intermediate
                [] ["typescript"] []"#]],
        );
        check(
            "---\nid: a\nsummary: s\nrules:\n  - id: r1\n  - id: r2\n    severity: bad\n    ast-grep: 3\n---\n",
            expect![[r#"
                errors/sample-pattern.md:5:1: error[bad-rule] rule `r1` has no `ast-grep` part with `language` and `rule`
                errors/sample-pattern.md:6:1: warning[bad-severity] rule `r2`: `bad` is no severity; write error, warning, info or hint
                errors/sample-pattern.md:6:1: error[bad-rule] rule `r2`: `ast-grep` must be a mapping
                a | A | errors | intermediate
                [] [] []"#]],
        );
    }

    #[test]
    fn ten_megabytes_are_refused_before_they_are_read() {
        let text = format!("---\nid: a\n---\n{}", "x".repeat(10 << 20));
        check(
            &text,
            expect![
                "errors/sample-pattern.md:1:1: error[too-large] the file has 10485774 bytes, more than the 524288 a pattern may have: split it"
            ],
        );
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(front in "[a-z:\\[\\]{}\"'\\n &*!|>-]{0,200}", body in "\\PC{0,200}") {
            let (pattern, diagnostics) = read(&file(&format!("---\n{front}\n---\n{body}")));
            prop_assert!(pattern.is_some() || has_error(&diagnostics));
        }
    }
}
