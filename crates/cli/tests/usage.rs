//! The command line as a person meets it: exit codes, messages, settings.

use std::path::Path;
use std::process::{Command, Output};

use expect_test::{Expect, expect};

fn run(root: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .args(arguments)
        .current_dir(root)
        .env_remove("PROOFSTONE_LOG")
        .env("HOME", root)
        .env_remove("CODEX_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .output()
        .expect("the program runs")
}

/// Checks the exit code, stdout and stderr of a command in an empty project.
fn check(arguments: &[&str], expected: Expect) {
    let root = tempfile::tempdir().expect("a folder can be made");
    let output = run(root.path(), arguments);
    let shown = format!(
        "exit {}\n{}{}",
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let folder = root.path().canonicalize().expect("the folder is there");
    let shown = shown.replace(&folder.display().to_string(), "ROOT");
    // Which toolsets there are is not what these tests are about.
    let shown = match shown.split_once("the toolsets are ") {
        Some((said, _)) => format!("{said}the toolsets are …\n"),
        None => shown,
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_call_from_the_shell() {
    let served = ["PROOFSTONE_TOOLSETS", "conformance"];
    let root = tempfile::tempdir().expect("a folder can be made");
    let call = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
            .args(arguments)
            .current_dir(root.path())
            .env(served[0], served[1])
            .output()
            .expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            output.status.code().unwrap_or(-1),
            text,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, text, _) = call(&["call", "test_simple_text"]);
    assert_eq!((code, text.as_str()), (0, "This is a simple text response for testing.\n"));
    let (code, text, _) = call(&["call", "test_error_handling", "{}"]);
    assert_eq!(
        (code, text.as_str()),
        (1, "This tool intentionally returns an error for testing\n")
    );
    let (code, _, said) = call(&["call", "test_simple", "{}"]);
    assert_eq!(
        (code, said.as_str()),
        (2, "error: Tool 'test_simple' not found; did you mean 'test_simple_text'?\n")
    );
    let (code, _, said) = call(&["call", "test_simple_text", "{oops"]);
    assert_eq!(code, 2, "{said}");
    std::fs::write(root.path().join("in.json"), "{}").expect("a file can be written");
    assert_eq!(call(&["call", "test_simple_text", "@in.json"]).0, 0);
    assert_eq!(call(&["call", "test_simple_text", "@missing.json"]).0, 1);
}

#[test]
fn bad_usage_is_explained() {
    check(
        &["serve", "--toolsets", "covrage"],
        expect![[r#"
            exit 2
            error: there is no toolset `covrage`; the toolsets are …
        "#]],
    );
    check(
        &["--root", "/does/not/exist", "tools"],
        expect![[r#"
        exit 2
        error: the project root /does/not/exist can't be opened: No such file or directory (os error 2) (from flag --root)
    "#]],
    );
    check(
        &["--root", "/etc/hostname", "tools"],
        expect![[r#"
        exit 2
        error: the project root /etc/hostname is not a directory (from flag --root)
    "#]],
    );
}

#[test]
fn a_broken_configuration_is_pointed_at() {
    let root = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(root.path().join("proofstone.toml"), "toolset = [\"coverage\"]\n")
        .expect("written");
    let output = run(root.path(), &["tools"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let folder = root.path().canonicalize().expect("the folder is there");
    expect![[r#"
        error: ROOT/proofstone.toml can't be used: TOML parse error at line 1, column 1
          |
        1 | toolset = ["coverage"]
          | ^^^^^^^
        unknown field `toolset`, expected one of `toolsets`, `log`, `http`, `token`, `allowed_hosts`, `allowed_origins`, `coverage`, `context`, `patterns`, `fuzz`, `mcp-test`

    "#]].assert_eq(&said.replace(&folder.display().to_string(), "ROOT"));
}

#[test]
fn doctor_says_where_each_setting_comes_from() {
    let root = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(
        root.path().join("proofstone.toml"),
        "http = \"127.0.0.1:9000\"\nlog = \"info\"\n",
    )
    .expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .args(["doctor", "--json", "--log", "debug"])
        .current_dir(root.path())
        .env("PROOFSTONE_TOKEN", "secret")
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(!text.contains("secret"), "a token must not be shown");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let from = |name: &str| {
        let settings = report["settings"].as_array().expect("settings");
        let found = settings.iter().find(|setting| setting["name"] == name).expect("the setting");
        found["from"].as_str().expect("text").to_owned()
    };
    assert_eq!(from("log"), "flag --log");
    assert_eq!(from("token"), "environment PROOFSTONE_TOKEN");
    assert!(from("http").ends_with("proofstone.toml"));
    assert_eq!(from("toolsets"), "default");
}

#[test]
fn init_writes_keeps_and_repeats() {
    let root = tempfile::tempdir().expect("a folder can be made");
    let file = root.path().join(".mcp.json");
    std::fs::write(
        &file,
        "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } }\n}\n",
    )
    .expect("written");
    assert_eq!(run(root.path(), &["init", "claude-code"]).status.code(), Some(0));
    let after = std::fs::read_to_string(&file).expect("the file is there");
    assert!(
        after.contains("// mine") && after.contains("\"other\"") && after.contains("\"serve\""),
        "{after}"
    );
    let backup = std::fs::read_to_string(root.path().join(".mcp.json.proofstone-backup"));
    assert!(backup.expect("a backup").contains("// mine"));
    let again = run(root.path(), &["init", "claude-code"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("nothing was changed"));
    assert_eq!(std::fs::read_to_string(&file).expect("the file is there"), after);
    for client in ["claude-desktop", "cursor", "vscode", "codex"] {
        assert_eq!(run(root.path(), &["init", client]).status.code(), Some(0), "{client}");
        let again = run(root.path(), &["init", client]);
        assert!(String::from_utf8_lossy(&again.stdout).contains("nothing was changed"), "{client}");
    }
    assert!(root.path().join(".codex/config.toml").exists());
    std::fs::write(&file, "{ \"mcpServers\": { \"proofstone\": { \"command\": \"old\" } } }")
        .expect("written");
    assert_eq!(run(root.path(), &["init", "claude-code"]).status.code(), Some(1));
    assert_eq!(run(root.path(), &["init", "claude-code", "--force"]).status.code(), Some(0));
}

#[test]
fn completions_and_manual_are_printed() {
    let root = tempfile::tempdir().expect("a folder can be made");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = run(root.path(), &["completions", shell]);
        assert!(output.status.success() && output.stdout.len() > 500, "{shell}");
    }
    let output = run(root.path(), &["man"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains(".TH proofstone 1"));
}

#[test]
fn a_search_in_vain_says_so_by_its_exit_code() {
    let root = tempfile::tempdir().expect("a folder");
    std::fs::write(root.path().join("a.rs"), "fn needle() {}\n").expect("written");
    for (arguments, code) in [
        (["context", "grep", "needle", "--json"], 0),
        (["context", "grep", "haystack", "--json"], 1),
        (["context", "search", "needle", "--json"], 0),
        (["context", "search", "zzqqxx", "--json"], 1),
        (["patterns", "search", "zzqqxx", "--json"], 1),
    ] {
        let output = run(root.path(), &arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {output:?}");
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(answer.trim_start().starts_with('{'), "{answer}");
    }
}

/// As in a container: no home that could be written, and a temporary folder.
#[cfg(unix)]
#[test]
fn without_a_home_the_cache_is_a_folder_of_the_users_alone() {
    use std::os::unix::fs::MetadataExt as _;

    let (project, temporary) = (folder(), folder());
    std::fs::write(project.path().join("a.rs"), "fn needle() {}\n").expect("written");
    let search = |cache: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
        command.args(["context", "search", "needle"]).current_dir(project.path());
        command.env("HOME", "/dev/null").env_remove("XDG_CACHE_HOME");
        command.env("TMPDIR", temporary.path()).env("PROOFSTONE_CACHE", cache);
        command.output().expect("it runs")
    };
    let found = search("");
    assert!(String::from_utf8_lossy(&found.stdout).contains("a.rs:1-1"), "{found:?}");
    let made = std::fs::read_dir(temporary.path()).expect("a folder").flatten().next();
    let made = made.expect("a cache").metadata().expect("its mode");
    assert_eq!(made.mode() & 0o777, 0o700);

    let refused = search("/dev/null/cache");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    for part in ["Search failed", "/dev/null/cache", "PROOFSTONE_CACHE", "grep_codebase"] {
        assert!(said.contains(part), "{part} is not in: {said}");
    }
}

#[cfg(unix)]
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}
