"""Which files are learned from, and which never are."""

import pathlib
import re

HERE = pathlib.Path(__file__).parent

LANGUAGES = {
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp", "cs": "csharp", "ex": "elixir", "exs": "elixir",
    "go": "go", "hs": "haskell", "java": "java", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "kt": "kotlin",
    "kts": "kotlin", "lua": "lua", "php": "php", "py": "python", "rb": "ruby", "rs": "rust", "scala": "scala", "sh": "shell", "bash": "shell", "zsh": "shell",
    "swift": "swift", "ts": "typescript", "tsx": "typescript", "zig": "zig", "sol": "solidity", "md": "markdown", "rst": "markdown", "m": "objc",
}
# Folders of copies, of made files and of data.
SKIPPED = {
    "vendor", "vendored", "_vendor", "third_party", "thirdparty", "3rdparty", "node_modules", "external", "externals", "extern", "deps", "bundled",
    "dist", "build", "umd", "cjs", "esm", "es", "es5", "fesm2022", "amd", "generated", "locale", "locales", "i18n", "po", "fixtures", "testdata", "snapshots",
    "__snapshots__", "_cjs", "_esm", "_types", "lib.commonjs", "lib.esm", ".git", "debian", "website", "min", "i686", "third-party",
}
# Folders of a package's own that lie in one of those.
OWN = {"rabbitmq_cli", "libxev"}
# Other names under which excluded projects are copied.
ALIASES = {
    "fmt", "uv", "absl", "abseil", "nlohmann", "newtonsoft", "newtonsoft.json", "json.net", "rackup", "railties", "activerecord", "activesupport", "actionpack",
    "actionview", "activemodel", "activejob", "actionmailer", "actioncable", "activestorage", "actiontext", "actionmailbox", "guzzlehttp", "illuminate",
    "laravel", "lodash-es", "lodash.js", "commons-lang3", "commons-lang2", "lang3", "jackson-databind2", "msgpack-csharp", "messagepack", "bats", "libcurl",
    "valkey", "keydb", "keydb-server", "hiredis", "vuejs", "vue-core", "vue2", "redux-toolkit", "serde_derive", "serde_core", "serde_json", "clap_builder",
    "clap_derive", "clap_lex", "rayon-core", "axum-core", "axum-extra", "axum-macros", "hyper-util", "tokio-util", "tokio-stream", "tokio-macros", "xmonad-contrib",
    "pandoc-types", "plug_crypto", "phoenix_html", "phoenix_live_view", "ecto_sql", "pydantic_core", "pydantic-core", "libuv1", "nlohmann-json3",
}


def _plain(name):
    return re.sub(r"[-_.]?v?\d[\w.]*$", "", name.lower().lstrip("@"))


EXCLUDED = {line.strip() for line in (HERE / "exclude.txt").read_text().splitlines() if line.strip() and not line.startswith("#")}
_NEVER = {_plain(name) for name in EXCLUDED} | EXCLUDED | ALIASES


def is_excluded_package(name):
    """Whether a package is one of those that retrieval is evaluated on, or a copy of it."""
    parts = {name.lower(), _plain(name), *name.lower().strip("@").split("/")}
    stripped = {re.sub(r"^(golang-github-[^-]+-|golang-|ruby-|php-|haskell-|node-|python-|lib|elixir-)", "", _plain(name))}
    return bool((parts | stripped) & _NEVER)


def language(path):
    return LANGUAGES.get(path.suffix.lstrip(".").lower())


def is_wanted(path):
    """Whether a file of a package is learned from: a known language, not a copy of something excluded, not made by a program."""
    if language(path) is None or path.name.endswith((".min.js", ".d.ts", ".bundle.js", ".pb.go", "_pb2.py", ".pb.cc", ".pb.h", ".g.cs", ".designer.cs")):
        return False
    folders = [part.lower() for part in path.parts[:-1]]
    if any(part in SKIPPED for part in folders) and not OWN.intersection(folders):
        return False
    stem = path.name.split(".")[0].lower()
    return not any(part in _NEVER or _plain(part) in _NEVER for part in folders) and stem not in {"json"} | ({"catch"} if path.suffix == ".hpp" else set())
