//! Which language a file is written in, told from its name alone.

/// A language we know something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Bash,
    C,
    Cpp,
    CSharp,
    Css,
    Dart,
    Elixir,
    Erlang,
    Go,
    Groovy,
    Haskell,
    Html,
    Java,
    JavaScript,
    Json,
    Julia,
    Kotlin,
    Lua,
    Markdown,
    ObjectiveC,
    OCaml,
    Perl,
    Php,
    Protobuf,
    Python,
    R,
    Ruby,
    Rust,
    Scala,
    Solidity,
    Sql,
    Swift,
    Text,
    Toml,
    Tsx,
    TypeScript,
    Xml,
    Yaml,
    Zig,
}

use Language as L;

/// Names as the contract writes them (`typescript`), and the endings each language is known by.
const LANGUAGES: &[(Language, &str, &[&str])] = &[
    (L::Bash, "bash", &["sh", "bash", "zsh", "ksh", "bats"]),
    (L::C, "c", &["c", "h"]),
    (
        L::Cpp,
        "cpp",
        &["cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh"],
    ),
    (L::CSharp, "csharp", &["cs", "csx"]),
    (L::Css, "css", &["css", "scss", "sass", "less"]),
    (L::Dart, "dart", &["dart"]),
    (L::Elixir, "elixir", &["ex", "exs"]),
    (L::Erlang, "erlang", &["erl", "hrl"]),
    (L::Go, "go", &["go"]),
    (L::Groovy, "groovy", &["groovy", "gradle"]),
    (L::Haskell, "haskell", &["hs", "hsc"]),
    (L::Html, "html", &["html", "htm", "vue", "svelte", "astro", "erb", "ejs", "hbs"]),
    (L::Java, "java", &["java"]),
    (L::JavaScript, "javascript", &["js", "jsx", "mjs", "cjs"]),
    (L::Json, "json", &["json", "jsonc", "json5", "geojson"]),
    (L::Julia, "julia", &["jl"]),
    (L::Kotlin, "kotlin", &["kt", "kts"]),
    (L::Lua, "lua", &["lua"]),
    (L::Markdown, "markdown", &["md", "markdown", "mdx", "rst", "adoc", "org"]),
    (L::ObjectiveC, "objective-c", &["m", "mm"]),
    (L::OCaml, "ocaml", &["ml", "mli"]),
    (L::Perl, "perl", &["pl", "pm", "t"]),
    (L::Php, "php", &["php", "phtml", "inc"]),
    (L::Protobuf, "protobuf", &["proto"]),
    (L::Python, "python", &["py", "pyi", "pyx", "pxd", "pyw"]),
    (L::R, "r", &["r"]),
    (L::Ruby, "ruby", &["rb", "rake", "gemspec", "ru"]),
    (L::Rust, "rust", &["rs"]),
    (L::Scala, "scala", &["scala", "sc", "sbt"]),
    (L::Solidity, "solidity", &["sol"]),
    (L::Sql, "sql", &["sql"]),
    (L::Swift, "swift", &["swift"]),
    (L::Toml, "toml", &["toml"]),
    (L::Tsx, "typescript", &["tsx"]),
    (L::TypeScript, "typescript", &["ts", "mts", "cts"]),
    (L::Xml, "xml", &["xml", "svg", "xsd", "xslt", "plist", "csproj"]),
    (L::Yaml, "yaml", &["yaml", "yml"]),
    (L::Zig, "zig", &["zig", "zon"]),
    (
        L::Text,
        "text",
        &["txt", "text", "cfg", "ini", "conf", "cmake", "mk", "nix", "tf", "hcl", "properties"],
    ),
];

/// Files known by their whole name.
const BY_NAME: &[(&str, Language)] = &[
    ("makefile", L::Text),
    ("dockerfile", L::Text),
    ("gemfile", L::Ruby),
    ("rakefile", L::Ruby),
    ("build", L::Python),
    ("workspace", L::Python),
    ("jenkinsfile", L::Groovy),
    ("cmakelists.txt", L::Text),
    ("go.mod", L::Text),
    ("readme", L::Text),
    ("license", L::Text),
    ("changelog", L::Text),
    (".bashrc", L::Bash),
    (".profile", L::Bash),
    (".gitignore", L::Text),
    (".editorconfig", L::Text),
];

impl Language {
    /// The language of a file by its path; `None` for an ending nobody claims.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        if let Some((_, language)) = BY_NAME.iter().find(|(known, _)| *known == name) {
            return Some(*language);
        }
        let (_, ending) = name.rsplit_once('.')?;
        LANGUAGES
            .iter()
            .find(|(_, _, endings)| endings.contains(&ending))
            .map(|(language, ..)| *language)
    }

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        LANGUAGES
            .iter()
            .find(|(language, ..)| *language == self)
            .map_or("text", |(_, name, _)| name)
    }

    /// Whether it is prose or data rather than a program.
    pub fn is_prose_or_data(self) -> bool {
        matches!(
            self,
            L::Markdown | L::Text | L::Json | L::Yaml | L::Toml | L::Xml | L::Html | L::Css
        )
    }
}

/// The name of a file's language in answers; `text` where none is known.
pub fn name_of(path: &str) -> &'static str {
    Language::of(path).map_or("text", Language::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_by_name() {
        let names = [
            "src/a.ts",
            "x.TSX",
            "Makefile",
            "a/b.h",
            "Gemfile",
            "x.unknown",
            "noending",
            "d.d.ts",
        ];
        let got: Vec<&str> = names.iter().map(|name| name_of(name)).collect();
        assert_eq!(
            got,
            ["typescript", "typescript", "text", "c", "ruby", "text", "text", "typescript"]
        );
    }

    #[test]
    fn every_language_is_in_the_table_once() {
        let mut seen = std::collections::HashSet::new();
        assert!(LANGUAGES.iter().all(|(language, ..)| seen.insert(*language)));
    }
}
