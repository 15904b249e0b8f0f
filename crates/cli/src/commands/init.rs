//! `proofstone init`: connects a client by adding one entry to its configuration.
//!
//! What is there is kept: comments, order and other servers. An entry that differs is shown and left
//! alone unless `--force` is given, and a file that is changed is copied beside itself first.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::ValueEnum;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::{Value, json};

use crate::out::{self, BAD, DIM, GOOD, styled};
use crate::settings::Settings;

/// Connect a client: write its configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The client
    client: Client,
    /// Only print the entry and where it would go
    #[arg(long)]
    print: bool,
    /// Replace an entry named `proofstone` that differs
    #[arg(long)]
    force: bool,
    /// The client's configuration file, if it is not in the usual place
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

/// The clients whose configuration we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
    Codex,
}

impl Client {
    /// Where its configuration stands: in the project where the client has such a place.
    fn file(self, root: &Path) -> anyhow::Result<PathBuf> {
        Ok(match self {
            Self::ClaudeCode => root.join(".mcp.json"),
            Self::Cursor => root.join(".cursor/mcp.json"),
            Self::Vscode => root.join(".vscode/mcp.json"),
            Self::ClaudeDesktop => desktop_folder()?.join("claude_desktop_config.json"),
            Self::Codex => match std::env::var_os("CODEX_HOME") {
                Some(folder) => PathBuf::from(folder).join("config.toml"),
                None => home()?.join(".codex/config.toml"),
            },
        })
    }

    /// The key that its servers stand under.
    fn servers_key(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            Self::Codex => "mcp_servers",
            _ => "mcpServers",
        }
    }

    /// The entry. Clients that start servers in the project need no root.
    fn entry(self, program: &Path, root: &Path) -> Value {
        let (program, root) = (program.display().to_string(), root.display().to_string());
        match self {
            Self::ClaudeCode | Self::Vscode => {
                json!({ "type": "stdio", "command": program, "args": ["serve"] })
            }
            Self::Cursor => {
                json!({ "command": program, "args": ["serve", "--root", "${workspaceFolder}"] })
            }
            Self::ClaudeDesktop | Self::Codex => {
                json!({ "command": program, "args": ["serve", "--root", root] })
            }
        }
    }

    fn next_step(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start Claude Code in the project and approve the server",
            Self::ClaudeDesktop => "restart Claude Desktop",
            Self::Cursor => "reload Cursor; the server is under Settings > MCP",
            Self::Vscode => "reload VS Code and start the server from .vscode/mcp.json",
            Self::Codex => "start Codex; /mcp lists the server",
        }
    }
}

/// What a configuration would become.
enum Change {
    None,
    Differs { there: String },
    To(String),
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    let root = &settings.root.value;
    let program = std::env::current_exe().context("the path of this program can't be found")?;
    let file = match &args.file {
        Some(file) => file.clone(),
        None => args.client.file(root)?,
    };
    let entry = args.client.entry(&program, root);
    if args.print {
        out::note(format!("{}", file.display()));
        out::line(sample(args.client, &entry)?);
        return Ok(ExitCode::SUCCESS);
    }
    let before = read(&file)?;
    let change = match args.client {
        Client::Codex => change_toml(&before, &entry, args.force)?,
        client => change_json(&before, client.servers_key(), &entry, args.force)?,
    };
    apply(args.client, &file, &before, change)
}

fn apply(client: Client, file: &Path, before: &str, change: Change) -> anyhow::Result<ExitCode> {
    match change {
        Change::None => {
            out::line(format!("{} is set up already; nothing was changed", file.display()));
            Ok(ExitCode::SUCCESS)
        }
        Change::Differs { there } => {
            out::note(format!("{} has another entry named `proofstone`:\n{there}", file.display()));
            bail!("nothing was changed; use --force to replace that entry");
        }
        Change::To(after) => {
            show_change(before, &after);
            write(file, before, &after)?;
            out::line(format!("wrote {}; next: {}", file.display(), client.next_step()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", file.display())),
    }
}

/// Writes through a new file, after keeping a copy of the old one.
fn write(file: &Path, before: &str, after: &str) -> anyhow::Result<()> {
    let said = || format!("{} can't be written", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).with_context(said)?;
    }
    if !before.is_empty() {
        let backup = beside(file, "backup");
        std::fs::write(&backup, before).with_context(said)?;
        out::note(format!("the old file is kept as {}", backup.display()));
    }
    // A link is followed, so that a configuration kept elsewhere stays where it is.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let new = beside(&target, "new");
    std::fs::write(&new, after).with_context(said)?;
    std::fs::rename(&new, &target).with_context(said)
}

fn beside(file: &Path, what: &str) -> PathBuf {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    file.with_file_name(format!("{name}.proofstone-{what}"))
}

fn change_json(before: &str, key: &str, entry: &Value, force: bool) -> anyhow::Result<Change> {
    let text = if before.trim().is_empty() { "{}\n" } else { before };
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| anyhow::anyhow!("the configuration is not JSON: {error}"))?;
    let object = root.object_value_or_create().context("the configuration is not a JSON object")?;
    let servers = object
        .object_value_or_create(key)
        .with_context(|| format!("`{key}` in the configuration is not an object"))?;
    match servers.get("proofstone") {
        Some(there) => {
            let value = there.value().and_then(|value| plain(&value.to_string()));
            if value.as_ref() == Some(entry) {
                return Ok(Change::None);
            }
            if !force {
                let there = value.map(|value| format!("{value:#}")).unwrap_or_default();
                return Ok(Change::Differs { there });
            }
            there.set_value(input(entry));
        }
        None => drop(servers.append("proofstone", input(entry))),
    }
    let mut after = root.to_string();
    if !after.ends_with('\n') {
        after.push('\n');
    }
    Ok(Change::To(after))
}

/// The value of a piece of JSON that may hold comments.
fn plain(text: &str) -> Option<Value> {
    jsonc_parser::parse_to_serde_value(text, &ParseOptions::default()).ok()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(yes) => CstInputValue::Bool(*yes),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}

fn change_toml(before: &str, entry: &Value, force: bool) -> anyhow::Result<Change> {
    let mut document: toml_edit::DocumentMut =
        before.parse().context("the configuration is not TOML")?;
    let new = toml_entry(entry);
    let servers = document
        .entry("mcp_servers")
        .or_insert_with(|| {
            let mut table = toml_edit::Table::new();
            table.set_implicit(true);
            toml_edit::Item::Table(table)
        })
        .as_table_like_mut()
        .context("`mcp_servers` in the configuration is not a table")?;
    if let Some(there) = servers.get("proofstone") {
        let same = there.as_table_like().is_some_and(|table| {
            new.iter().all(|(key, value)| {
                table.get(key).map(|item| item.to_string().trim().to_owned())
                    == Some(value.to_string().trim().to_owned())
            })
        });
        if same {
            return Ok(Change::None);
        }
        if !force {
            return Ok(Change::Differs { there: there.to_string() });
        }
    }
    servers.insert("proofstone", toml_edit::Item::Table(new));
    Ok(Change::To(document.to_string()))
}

fn toml_entry(entry: &Value) -> toml_edit::Table {
    let mut table = toml_edit::Table::new();
    table["command"] = toml_edit::value(entry["command"].as_str().unwrap_or_default());
    let mut args = toml_edit::Array::new();
    for arg in entry["args"].as_array().into_iter().flatten() {
        args.push(arg.as_str().unwrap_or_default());
    }
    table["args"] = toml_edit::value(args);
    table
}

fn sample(client: Client, entry: &Value) -> anyhow::Result<String> {
    let change = match client {
        Client::Codex => change_toml("", entry, false)?,
        client => change_json("", client.servers_key(), entry, false)?,
    };
    match change {
        Change::To(text) => Ok(text.trim_end().to_owned()),
        Change::None | Change::Differs { .. } => bail!("an empty configuration has no entries"),
    }
}

fn show_change(before: &str, after: &str) {
    let diff = similar::TextDiff::from_lines(before, after);
    for change in diff.iter_all_changes() {
        let line = change.value().trim_end_matches('\n');
        match change.tag() {
            similar::ChangeTag::Delete => out::note(styled(BAD, format!("- {line}"))),
            similar::ChangeTag::Insert => out::note(styled(GOOD, format!("+ {line}"))),
            similar::ChangeTag::Equal => out::note(styled(DIM, format!("  {line}"))),
        }
    }
}

fn home() -> anyhow::Result<PathBuf> {
    std::env::home_dir().context("the home folder is not known; name the file with --file")
}

fn desktop_folder() -> anyhow::Result<PathBuf> {
    if cfg!(target_os = "macos") {
        return Ok(home()?.join("Library/Application Support/Claude"));
    }
    if let Some(folder) = std::env::var_os("APPDATA").filter(|_| cfg!(windows)) {
        return Ok(PathBuf::from(folder).join("Claude"));
    }
    match std::env::var_os("XDG_CONFIG_HOME") {
        Some(folder) => Ok(PathBuf::from(folder).join("Claude")),
        None => Ok(home()?.join(".config/Claude")),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn entry() -> Value {
        json!({ "command": "/bin/proofstone", "args": ["serve"] })
    }

    fn check_json(before: &str, expected: Expect) {
        let after = match change_json(before, "mcpServers", &entry(), false).unwrap() {
            Change::None => "unchanged".to_owned(),
            Change::Differs { there } => format!("differs: {there}"),
            Change::To(after) => {
                let again = change_json(&after, "mcpServers", &entry(), false).unwrap();
                assert!(matches!(again, Change::None), "a second run must change nothing");
                after
            }
        };
        expected.assert_eq(&after);
    }

    #[test]
    fn json_keeps_comments_and_other_servers() {
        check_json(
            "",
            expect![[r#"
            {
              "mcpServers": {
                "proofstone": {
                  "command": "/bin/proofstone",
                  "args": ["serve"]
                }
              }
            }
        "#]],
        );
        check_json(
            "// mine\n{\n  \"mcpServers\": {\n    // keep\n    \"other\": { \"command\": \"x\" }\n  },\n  \"theme\": \"dark\"\n}\n",
            expect![[r#"
                // mine
                {
                  "mcpServers": {
                    // keep
                    "other": { "command": "x" },
                    "proofstone": {
                      "command": "/bin/proofstone",
                      "args": ["serve"]
                    }
                  },
                  "theme": "dark"
                }
            "#]],
        );
        check_json(
            "{ \"mcpServers\": { \"proofstone\": { \"command\": \"old\" } } }",
            expect![[r#"
            differs: {
              "command": "old"
            }"#]],
        );
    }

    #[test]
    fn what_is_not_a_configuration_is_left_alone() {
        assert!(change_json("[1]", "mcpServers", &entry(), false).is_err());
        assert!(change_json("{ \"mcpServers\": 5 }", "mcpServers", &entry(), false).is_err());
        assert!(change_json("{ nope", "mcpServers", &entry(), false).is_err());
        assert!(change_toml("a = ", &entry(), false).is_err());
    }

    #[test]
    fn toml_keeps_comments_and_other_servers() {
        let before = "# mine\nmodel = \"m\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n";
        let Change::To(after) = change_toml(before, &entry(), false).unwrap() else { panic!() };
        expect![[r##"
            # mine
            model = "m"

            [mcp_servers.other]
            command = "x" # keep

            [mcp_servers.proofstone]
            command = "/bin/proofstone"
            args = ["serve"]
        "##]]
        .assert_eq(&after);
        assert!(matches!(change_toml(&after, &entry(), false).unwrap(), Change::None));
        let other = json!({ "command": "/elsewhere", "args": [] });
        assert!(matches!(change_toml(&after, &other, false).unwrap(), Change::Differs { .. }));
    }
}
