//! TypeScript's and JavaScript's way from a specifier to a file: endings, index files, path aliases.

use serde_json::Value;

use super::resolve::{Importer, Resolved, join, upwards};

/// Endings tried in turn.
const ENDINGS: &[&str] = &[
    "", ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue",
    ".svelte",
];

/// TypeScript is written with the ending that its output will have.
const OUTPUT_ENDINGS: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts"]),
    (".cjs", &[".cts"]),
];

pub(super) fn resolve(from: &Importer<'_>, target: &str) -> Resolved {
    let target = target.split(['?', '#']).next().filter(|t| !t.is_empty()).unwrap_or(target);
    if target.starts_with('.') {
        let found = join(from.folder, target).and_then(|base| from.first(candidates(&base)));
        return found.unwrap_or(Resolved::Missing);
    }
    if let Some(found) = aliased(from, target) {
        return found;
    }
    Resolved::External(package(target))
}

fn candidates(base: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for (output, sources) in OUTPUT_ENDINGS {
        if let Some(stem) = base.strip_suffix(output) {
            paths.extend(sources.iter().map(|ending| format!("{stem}{ending}")));
        }
    }
    paths.extend(ENDINGS.iter().map(|ending| format!("{base}{ending}")));
    paths.extend(ENDINGS[1..].iter().map(|ending| format!("{base}/index{ending}")));
    paths.retain(|path| !path.is_empty());
    paths
}

/// The package's own name: one part, or two with a scope.
fn package(target: &str) -> String {
    let parts = if target.starts_with('@') { 2 } else { 1 };
    target.split('/').take(parts).collect::<Vec<_>>().join("/")
}

/// Looks the specifier up in the nearest `tsconfig.json` or `jsconfig.json` that has aliases, then under its
/// base folder, then among the folders of a workspace.
fn aliased(from: &Importer<'_>, target: &str) -> Option<Resolved> {
    for folder in upwards(from.folder) {
        for name in ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"] {
            let path = format!("{folder}/{name}");
            if let Some(found) = from_config(from, path.trim_start_matches('/'), target, 0) {
                return Some(found);
            }
        }
    }
    None
}

fn from_config(from: &Importer<'_>, path: &str, target: &str, depth: usize) -> Option<Resolved> {
    let config: Value = serde_json::from_str(&without_comments(&from.read(path)?)).ok()?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let options = &config["compilerOptions"];
    let base = options["baseUrl"].as_str();
    let base_folder = join(folder, base.unwrap_or("."))?;
    let aliases = options["paths"].as_object().into_iter().flatten();
    let mut fitting: Vec<(&String, &Value, &str)> =
        aliases.filter_map(|(pattern, to)| Some((pattern, to, fit(pattern, target)?))).collect();
    fitting.sort_by_key(|(pattern, ..)| std::cmp::Reverse(pattern.len()));
    for (_, to, rest) in fitting {
        for place in to.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let found = join(&base_folder, &place.replacen('*', rest, 1))
                .and_then(|base| from.first(candidates(&base)));
            if found.is_some() {
                return found;
            }
        }
    }
    if base.is_some()
        && let Some(found) =
            join(&base_folder, target).and_then(|base| from.first(candidates(&base)))
    {
        return Some(found);
    }
    let extends = config["extends"].as_str().filter(|e| e.starts_with('.') && depth < 5)?;
    let parent = join(folder, extends)?;
    let has_ending = parent.rsplit_once('.').is_some_and(|(_, ending)| ending == "json");
    let parent = if has_ending { parent } else { format!("{parent}.json") };
    from_config(from, &parent, target, depth + 1)
}

/// What `*` stands for when a specifier fits a pattern.
fn fit<'t>(pattern: &str, target: &'t str) -> Option<&'t str> {
    match pattern.split_once('*') {
        Some((before, after)) => target.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == target).then_some(""),
    }
}

/// JSON without the comments and trailing commas that these files may have.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => in_string = !in_string,
            '\\' if in_string => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
                continue;
            }
            '}' | ']' if !in_string => {
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
            }
            _ => {}
        }
        out.push(c);
    }
    out
}
