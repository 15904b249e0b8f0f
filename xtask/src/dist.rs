//! The release bundle: one binary with its completions and manual pages as a tar archive, the same
//! binary as an MCPB bundle, the entry for the MCP registry, and the checksums of all.
//!
//! `cargo xtask dist [--profile NAME] [--target TRIPLE]` writes to `target/bundle/`. Without a target
//! it is static (musl) where the toolchain has that, and the machine's own otherwise.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The name in the MCP registry; the README shows it, which is how the registry knows the owner.
const REGISTRY_NAME: &str = "io.github.proofstone/proofstone";
const REPOSITORY: &str = "https://github.com/proofstone/proofstone";
/// The registry takes at most a hundred letters.
const SUMMARY: &str =
    "Ground truth for coding agents: coverage, context, patterns, fuzzing, MCP server tests";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What to build.
struct Plan {
    profile: String,
    target: String,
    folder: PathBuf,
}

/// Builds everything; says where it is.
pub(crate) fn dist(arguments: &[&str]) -> Result<String, String> {
    let plan = Plan::read(arguments)?;
    let binary = plan.build()?;
    let stage = plan.stage(&binary).map_err(told("the files can't be laid out"))?;
    let archive = plan.archive(&stage)?;
    let bundle = plan.mcpb(&stage).map_err(told("the bundle can't be written"))?;
    let entry = plan.registry_entry(&bundle).map_err(told("server.json can't be written"))?;
    plan.checksums(&[archive, bundle, entry]).map_err(told("the checksums can't be written"))?;
    Ok(format!("{} for {}: see {}", plan.name(), plan.target, plan.folder.display()))
}

fn told(what: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

impl Plan {
    fn read(arguments: &[&str]) -> Result<Self, String> {
        let (mut profile, mut target) = ("dist".to_owned(), None);
        for pair in arguments.chunks(2) {
            match pair {
                ["--profile", name] => (*name).clone_into(&mut profile),
                ["--target", triple] => target = Some((*triple).to_owned()),
                _ => {
                    return Err("usage: cargo xtask dist [--profile NAME] [--target TRIPLE]".into());
                }
            }
        }
        let target = match target {
            Some(target) => target,
            None => best_target()?,
        };
        let folder = PathBuf::from("target/bundle");
        let _ = fs::remove_dir_all(&folder);
        Ok(Self { profile, target, folder })
    }

    fn name(&self) -> String {
        format!("proofstone-{VERSION}-{}", self.target)
    }

    /// Builds the program and gives its place.
    fn build(&self) -> Result<PathBuf, String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--locked", "--package", "proofstone", "--profile", &self.profile]);
        let ours = self.target == host()?;
        if !ours {
            cargo.args(["--target", &self.target]);
        }
        run(&mut cargo)?;
        let folder = if self.profile == "dev" { "debug" } else { &self.profile };
        let built =
            if ours { PathBuf::from("target") } else { Path::new("target").join(&self.target) };
        Ok(built.join(folder).join("proofstone"))
    }

    /// The archive's content: the stripped binary, completions, manual pages, licences, README.
    fn stage(&self, binary: &Path) -> io::Result<PathBuf> {
        let stage = self.folder.join(self.name());
        fs::create_dir_all(stage.join("completions"))?;
        let program = stage.join("proofstone");
        fs::copy(binary, &program)?;
        // A binary of another system can't always be stripped here; the profile has done it then.
        let _ = Command::new("strip").arg(&program).status();
        for (shell, file) in
            [("bash", "proofstone.bash"), ("zsh", "_proofstone"), ("fish", "proofstone.fish")]
        {
            let script = Command::new(&program).args(["completions", shell]).output()?;
            fs::write(stage.join("completions").join(file), script.stdout)?;
        }
        let pages =
            Command::new(&program).args(["man", "--out"]).arg(stage.join("man")).status()?;
        if !pages.success() {
            return Err(io::Error::other("the manual pages were not written"));
        }
        for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(file, stage.join(file))?;
        }
        Ok(stage)
    }

    fn archive(&self, stage: &Path) -> Result<PathBuf, String> {
        let path = self.folder.join(format!("{}.tar.gz", self.name()));
        let name = stage.file_name().unwrap_or_default();
        run(Command::new("tar").arg("-C").arg(&self.folder).arg("-czf").arg(&path).arg(name))?;
        Ok(path)
    }

    /// The bundle that a desktop client installs: a manifest and the binary.
    fn mcpb(&self, stage: &Path) -> io::Result<PathBuf> {
        let program = stage.join("proofstone");
        let tools = Command::new(&program).args(["tools", "--json"]).output()?;
        let tools: Vec<Value> = serde_json::from_slice(&tools.stdout)?;
        let manifest = manifest(&tools, &self.target);
        // The registry asks for `mcp` in the name.
        let path = self.folder.join(format!("{}.mcpb", self.name()));
        let mut bundle = zip::ZipWriter::new(fs::File::create(&path)?);
        let plain = zip::write::SimpleFileOptions::default();
        bundle.start_file("manifest.json", plain)?;
        bundle.write_all(format!("{manifest:#}\n").as_bytes())?;
        bundle.start_file("server/proofstone", plain.unix_permissions(0o755))?;
        io::copy(&mut fs::File::open(&program)?, &mut bundle)?;
        bundle.start_file("LICENSE", plain)?;
        io::copy(&mut fs::File::open("LICENSE-MIT")?, &mut bundle)?;
        bundle.finish()?;
        fs::write(self.folder.join("manifest.json"), format!("{manifest:#}\n"))?;
        Ok(path)
    }

    fn registry_entry(&self, bundle: &Path) -> io::Result<PathBuf> {
        let file = bundle.file_name().unwrap_or_default().to_string_lossy();
        let entry = json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": REGISTRY_NAME,
            "title": "Proofstone",
            "description": SUMMARY,
            "version": VERSION,
            "repository": { "url": REPOSITORY, "source": "github" },
            "packages": [{
                "registryType": "mcpb",
                "identifier": format!("{REPOSITORY}/releases/download/v{VERSION}/{file}"),
                "fileSha256": sha256(bundle)?,
                "transport": { "type": "stdio" },
            }],
        });
        let path = self.folder.join("server.json");
        fs::write(&path, format!("{entry:#}\n"))?;
        Ok(path)
    }

    fn checksums(&self, files: &[PathBuf]) -> io::Result<()> {
        let mut lines = String::new();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            lines += &[sha256(file)?.as_str(), "  ", &name, "\n"].concat();
        }
        fs::write(self.folder.join("SHA256SUMS"), lines)
    }
}

fn manifest(tools: &[Value], target: &str) -> Value {
    let platform = match target {
        target if target.contains("windows") => "win32",
        target if target.contains("darwin") => "darwin",
        _ => "linux",
    };
    let about = |tool: &Value| json!({ "name": tool["name"], "description": tool["title"] });
    json!({
        "manifest_version": "0.3",
        "name": "proofstone",
        "display_name": "Proofstone",
        "version": VERSION,
        "description": SUMMARY,
        "author": { "name": "The Proofstone authors", "url": REPOSITORY },
        "repository": { "type": "git", "url": format!("{REPOSITORY}.git") },
        "license": "MIT OR Apache-2.0",
        "server": {
            "type": "binary",
            "entry_point": "server/proofstone",
            "mcp_config": {
                "command": "${__dirname}/server/proofstone",
                "args": ["serve", "--root", "${user_config.root}"],
                "env": {},
            },
        },
        "user_config": {
            "root": {
                "type": "directory",
                "title": "Project",
                "description": "The folder of the project; nothing outside it is read",
                "required": true,
            },
        },
        "tools": tools.iter().map(about).collect::<Vec<_>>(),
        "compatibility": { "platforms": [platform] },
    })
}

fn sha256(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.read_to_end(&mut bytes)?;
    let digest = Sha256::digest(&bytes);
    Ok(digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")))
}

/// Static where the toolchain can, so that one file runs on every Linux.
fn best_target() -> Result<String, String> {
    let host = host()?;
    let musl = host.replace("-linux-gnu", "-linux-musl");
    let library =
        said(Command::new("rustc").args(["--print", "target-libdir", "--target", &musl]))?;
    let can = musl != host
        && Path::new(library.trim()).is_dir()
        && Command::new("musl-gcc").arg("--version").output().is_ok();
    Ok(if can { musl } else { host })
}

fn host() -> Result<String, String> {
    let version = said(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
}

fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(told("rustc can't be run"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", command.get_program().display())),
        Err(error) => Err(format!("{} can't be run: {error}", command.get_program().display())),
    }
}
