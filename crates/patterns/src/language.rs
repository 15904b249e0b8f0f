//! The languages whose code is parsed, and the names people give them.

use std::path::Path;

use ast_grep_language::SupportLang;

/// Every parsed language: its parser, the name in answers, other names, and file endings.
const LANGUAGES: &[(SupportLang, &str, &[&str], &[&str])] = &[
    (SupportLang::TypeScript, "typescript", &["ts", "mts", "cts"], &["ts", "mts", "cts"]),
    (SupportLang::Tsx, "tsx", &["typescriptreact"], &["tsx"]),
    (
        SupportLang::JavaScript,
        "javascript",
        &["js", "jsx", "mjs", "cjs", "javascriptreact"],
        &["js", "jsx", "mjs", "cjs"],
    ),
    (SupportLang::Python, "python", &["py", "python3", "pyi"], &["py", "pyi"]),
    (SupportLang::Rust, "rust", &["rs"], &["rs"]),
    (SupportLang::Go, "go", &["golang"], &["go"]),
    (SupportLang::Solidity, "solidity", &["sol"], &["sol"]),
];

/// The parser for a name such as `ts`, `TypeScript` or `golang`.
pub fn by_name(name: &str) -> Option<SupportLang> {
    let name = name.trim().to_lowercase();
    let found = LANGUAGES
        .iter()
        .find(|(_, own, others, _)| *own == name || others.contains(&name.as_str()));
    found.map(|(language, ..)| *language)
}

/// The parser for a file, by its ending.
pub fn by_path(path: &str) -> Option<SupportLang> {
    let ending = Path::new(path).extension()?.to_str()?.to_lowercase();
    let found = LANGUAGES.iter().find(|(.., endings)| endings.contains(&ending.as_str()));
    found.map(|(language, ..)| *language)
}

/// A parser's name in answers.
pub fn word(language: SupportLang) -> &'static str {
    let found = LANGUAGES.iter().find(|(known, ..)| *known == language);
    found.map_or("other", |(_, word, ..)| word)
}

/// The names in answers, in order.
pub fn words() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(_, word, ..)| *word)
}

/// The name in answers of a fence's language; languages without a parser keep their own.
pub fn name_of(fence: &str) -> Option<&str> {
    match (by_name(fence), fence) {
        (Some(language), _) => Some(word(language)),
        (None, "" | "text" | "txt" | "console" | "output" | "plaintext" | "diff") => None,
        (None, "bash" | "shell") => Some("sh"),
        (None, other) => Some(other),
    }
}
