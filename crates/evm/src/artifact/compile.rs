//! Asks a Solidity compiler: a native `solc`, or the npm package `solc` in a warm node process.

use super::import::SourceSet;
use super::{ArtifactError, Artifacts, Build, read_standard_json};
use revm::primitives::keccak256;
use semver::{Version, VersionReq};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use thiserror::Error;

/// A compiler that was found on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// An executable that answers `--standard-json`.
    Native {
        /// The executable.
        path: PathBuf,
        /// Its version, when it told.
        version: Option<Version>,
    },
    /// The npm package `solc`, run by node.
    Node {
        /// The package's folder.
        package: PathBuf,
        /// Its version.
        version: Option<Version>,
    },
}

/// Source could not be compiled.
#[derive(Debug, Error)]
pub enum CompileError {
    /// There is no compiler.
    #[error(
        "no Solidity compiler found for {target}: pass --solc PATH, put `solc` on the PATH, or run `npm install solc` in the project (needs node); compiled artifacts need no compiler"
    )]
    NoCompiler {
        /// What was to be compiled.
        target: PathBuf,
    },
    /// The compiler could not be started or broke off.
    #[error("the compiler {compiler} failed: {problem}")]
    Broken {
        /// Which compiler.
        compiler: String,
        /// What happened.
        problem: String,
    },
    /// The compiler refused the source; these are its own words.
    #[error("{}", .0.trim_end())]
    Refused(String),
    /// The source that is to be compiled again is not at hand.
    #[error(
        "the source of {file} was not found, so nothing can be compiled beside it; keep the sources where the artifact says, or start from the .sol file"
    )]
    NoSource {
        /// The file as the compiler knows it.
        file: String,
    },
    /// The sources could not be read.
    #[error("cannot read the sources: {0}")]
    Io(#[from] std::io::Error),
    /// The compiler's output was not understood.
    #[error(transparent)]
    Output(#[from] ArtifactError),
}

/// The compilers for a folder, best first: the one named, then `solc` on the PATH, then every npm
/// package `solc` (under any alias) in a `node_modules` of the folder or above it.
pub fn find_compilers(folder: &Path, named: Option<&Path>) -> Vec<Compiler> {
    if let Some(path) = named {
        return vec![Compiler::at(path)];
    }
    let on_path = std::env::var_os("PATH").into_iter().flat_map(|paths| {
        std::env::split_paths(&paths).map(|p| p.join("solc")).collect::<Vec<_>>()
    });
    // Version managers put a `solc` on the PATH that has no compiler behind it: one that can't tell
    // its version is none.
    let works = |compiler: &Compiler| compiler.version().is_some();
    let mut found: Vec<_> =
        on_path.filter(|p| p.is_file()).map(|p| Compiler::at(&p)).filter(works).take(1).collect();
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for modules in folder.ancestors().map(|r| r.join("node_modules")) {
        found.extend(npm_packages(&modules));
    }
    found
}

fn npm_packages(modules: &Path) -> Vec<Compiler> {
    let Ok(entries) = std::fs::read_dir(modules) else { return Vec::new() };
    let mut names: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    names.sort();
    let mut found: Vec<_> = names
        .into_iter()
        .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("solc")))
        .filter_map(|package| {
            let text = std::fs::read_to_string(package.join("package.json")).ok()?;
            let json: Json = serde_json::from_str(&text).ok()?;
            if json["name"] != "solc" {
                return None;
            }
            let version = json["version"].as_str().and_then(|v| Version::parse(v).ok());
            Some(Compiler::Node { package, version })
        })
        .collect();
    found.sort_by(|a, b| b.version().cmp(&a.version()));
    found
}

impl Compiler {
    /// The compiler at a path: a folder is an npm package, a file an executable.
    pub fn at(path: &Path) -> Self {
        if path.join("package.json").is_file() {
            let text = std::fs::read_to_string(path.join("package.json")).unwrap_or_default();
            let json: Json = serde_json::from_str(&text).unwrap_or_default();
            let version = json["version"].as_str().and_then(|v| Version::parse(v).ok());
            return Self::Node { package: path.to_owned(), version };
        }
        Self::Native { path: path.to_owned(), version: native_version(path) }
    }

    /// The compiler's version, when known.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Native { version, .. } | Self::Node { version, .. } => version.as_ref(),
        }
    }

    /// One line for people: what it is and where.
    pub fn describe(&self) -> String {
        let version = self.version().map_or_else(String::new, |v| format!(" {v}"));
        match self {
            Self::Native { path, .. } => format!("solc{version} at {}", path.display()),
            Self::Node { package, .. } => format!("npm solc{version} at {}", package.display()),
        }
    }

    fn accepts(&self, pragmas: &[VersionReq]) -> bool {
        self.version().is_none_or(|v| {
            let plain = Version::new(v.major, v.minor, v.patch);
            pragmas.iter().all(|p| p.matches(&plain))
        })
    }

    fn run(&self, input: &str) -> Result<String, CompileError> {
        let broken = |problem: String| CompileError::Broken { compiler: self.describe(), problem };
        match self {
            Self::Native { path, .. } => run_native(path, input).map_err(broken),
            Self::Node { package, .. } => run_in_node(package, input).map_err(broken),
        }
    }
}

/// Compiles Solidity files (and what they import), caching the answer in `cache`.
pub(super) fn compile(
    root: &Path,
    files: &[PathBuf],
    build: &Build,
    cache: Option<&Path>,
) -> Result<Artifacts, CompileError> {
    let sources = SourceSet::gather(root, files, build)?;
    let compilers = find_compilers(root, build.solc.as_deref());
    compile_set(&sources, &compilers, build, root, cache)
}

/// Compiles the file of a contract again, together with one more file that may import it.
/// The compiler is the one that the contract was compiled with, as far as that is known.
pub(crate) fn compile_beside(
    artifacts: &Artifacts,
    file: &str,
    (name, text): (&str, &str),
    named: Option<&Path>,
    cache: Option<&Path>,
) -> Result<Artifacts, CompileError> {
    let missing = || CompileError::NoSource { file: file.to_owned() };
    let source = artifacts.sources.iter().find(|s| s.path == file).ok_or_else(missing)?;
    let (root, mut sources) = match &source.on_disk {
        Some(path) => {
            let root = folder_above(path, file);
            let sources = SourceSet::gather(&root, std::slice::from_ref(path), &artifacts.build)?;
            (root, sources)
        }
        None => (PathBuf::from("."), SourceSet::default()),
    };
    for source in &artifacts.sources {
        if let Some(text) = &source.text {
            sources.put(&source.path, text);
        }
    }
    if !sources.files.contains_key(file) {
        return Err(missing());
    }
    sources.put(name, text);
    let compilers = match &artifacts.compiler {
        Some(compiler) => vec![compiler.clone()],
        None => find_compilers(&root, named),
    };
    compile_set(&sources, &compilers, &artifacts.build, &root, cache)
}

/// The folder that a compiler's name of a file is relative to.
fn folder_above(path: &Path, name: &str) -> PathBuf {
    let above = Path::new(name).components().count();
    path.ancestors().nth(above).filter(|_| path.ends_with(name)).map_or_else(
        || path.parent().unwrap_or(Path::new(".")).to_owned(),
        |folder| if folder.as_os_str().is_empty() { ".".into() } else { folder.to_owned() },
    )
}

fn compile_set(
    sources: &SourceSet,
    compilers: &[Compiler],
    build: &Build,
    root: &Path,
    cache: Option<&Path>,
) -> Result<Artifacts, CompileError> {
    let pragmas: Vec<_> = sources.files.values().flat_map(|(_, text)| pragmas_in(text)).collect();
    let compiler = compilers
        .iter()
        .find(|c| c.accepts(&pragmas))
        .or(compilers.first())
        .ok_or_else(|| CompileError::NoCompiler { target: root.to_owned() })?;
    let input = standard_input(sources, build);
    let output = cached(compiler, &input, cache)?;
    let messages = errors_in(&output);
    if !messages.is_empty() {
        return Err(CompileError::Refused(messages));
    }
    let mut artifacts = Artifacts {
        compiler: Some(compiler.clone()),
        build: build.clone(),
        ..Artifacts::default()
    };
    read_standard_json(&output, Some(&input), &mut artifacts)?;
    for source in &mut artifacts.sources {
        source.on_disk = sources.files.get(&source.path).and_then(|(path, _)| path.clone());
    }
    Ok(artifacts)
}

fn standard_input(sources: &SourceSet, build: &Build) -> Json {
    let files: serde_json::Map<String, Json> = sources
        .files
        .iter()
        .map(|(name, (_, text))| (name.clone(), json!({ "content": text })))
        .collect();
    let own = sources.remappings.iter().map(|(p, t)| format!("{p}={t}"));
    let remappings: Vec<_> = own.chain(build.remappings.iter().cloned()).collect();
    let code = ["object", "sourceMap", "linkReferences"];
    let outputs: Vec<String> = ["bytecode", "deployedBytecode"]
        .iter()
        .flat_map(|c| code.iter().map(move |part| format!("evm.{c}.{part}")))
        .chain(
            ["abi", "storageLayout", "evm.deployedBytecode.immutableReferences"].map(String::from),
        )
        .collect();
    let mut settings = json!({
        "remappings": remappings,
        "optimizer": { "enabled": false },
        "outputSelection": { "*": { "*": outputs, "": ["ast"] } },
    });
    build.apply(&mut settings);
    json!({ "language": "Solidity", "sources": files, "settings": settings })
}

fn cached(compiler: &Compiler, input: &Json, cache: Option<&Path>) -> Result<Json, CompileError> {
    let text = input.to_string();
    let key = keccak256(format!("{}\n{text}", compiler.describe()));
    let file =
        cache.map(|folder| folder.join(format!("{}.json", revm::primitives::hex::encode(key))));
    let stored = file.as_ref().and_then(|f| std::fs::read_to_string(f).ok());
    if let Some(json) = stored.and_then(|text| serde_json::from_str(&text).ok()) {
        return Ok(json);
    }
    let answer = compiler.run(&text)?;
    let json: Json = serde_json::from_str(&answer).map_err(|e| CompileError::Broken {
        compiler: compiler.describe(),
        problem: format!(
            "its answer is not JSON ({e}): {}",
            answer.chars().take(200).collect::<String>()
        ),
    })?;
    if let (Some(file), true) = (file, errors_in(&json).is_empty()) {
        // A cache that can't be written costs the next run its time, nothing else.
        let _ = std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")));
        let _ = std::fs::write(file, answer);
    }
    Ok(json)
}

fn errors_in(output: &Json) -> String {
    let messages = output["errors"].as_array().into_iter().flatten();
    messages
        .filter(|e| e["severity"] == "error")
        .filter_map(|e| e["formattedMessage"].as_str().or(e["message"].as_str()))
        .fold(String::new(), |all, message| all + message + "\n")
}

/// The version requirements of `pragma solidity` lines.
fn pragmas_in(text: &str) -> Vec<VersionReq> {
    text.match_indices("pragma solidity")
        .filter_map(|(at, word)| {
            let rest = &text[at + word.len()..];
            let requirement = rest[..rest.find(';')?].trim();
            parse_requirement(requirement)
        })
        .collect()
}

/// Solidity separates comparators by spaces, and a bare version means exactly that version.
fn parse_requirement(text: &str) -> Option<VersionReq> {
    let mut comparators: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match comparators.last_mut() {
            Some(last) if last.bytes().all(|b| b"<>=^~".contains(&b)) => last.push_str(word),
            _ => comparators.push(word.to_owned()),
        }
    }
    let exact = |c: &String| {
        if c.starts_with(|d: char| d.is_ascii_digit()) { format!("={c}") } else { c.clone() }
    };
    let joined = comparators.iter().map(exact).collect::<Vec<_>>().join(", ");
    VersionReq::parse(&joined).ok()
}

fn native_version(path: &Path) -> Option<Version> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split("Version:").nth(1)?.trim();
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    Version::parse(&version[..end]).ok()
}

fn run_native(path: &Path, input: &str) -> Result<String, String> {
    let mut child = Command::new(path)
        .arg("--standard-json")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("it has no standard input")?;
    let owned = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(owned.as_bytes()));
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let _ = writer.join();
    if output.stdout.is_empty() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// One standard-JSON request per line in, one answer per line out. Up to 0.4 `compile` takes bare source;
/// standard JSON has a function of its own there.
const NODE_DRIVER: &str = "const s=require(process.argv[1]);const r=require('readline').createInterface({input:process.stdin});const c=s.compileStandardWrapper||s.compile;r.on('line',l=>{let o;try{o=c(JSON.parse(l).input)}catch(e){o=JSON.stringify({errors:[{severity:'error',formattedMessage:String(e)}]})}process.stdout.write(JSON.stringify({output:o})+'\\n')});";

struct NodeProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// Loading the compiler takes most of the time of a compilation, so its process is kept.
static NODES: LazyLock<Mutex<HashMap<PathBuf, NodeProcess>>> = LazyLock::new(Mutex::default);

fn run_in_node(package: &Path, input: &str) -> Result<String, String> {
    let package = std::path::absolute(package).map_err(|e| e.to_string())?;
    let mut nodes = NODES.lock().map_err(|e| e.to_string())?;
    let mut node = match nodes.remove(&package) {
        Some(node) => node,
        None => NodeProcess::start(&package)?,
    };
    let answer = node.ask(input)?;
    nodes.insert(package, node);
    Ok(answer)
}

impl NodeProcess {
    fn start(package: &Path) -> Result<Self, String> {
        let mut child = Command::new("node")
            // The baseline compiler halves the time to the first answer.
            .args(["--liftoff-only", "-e", NODE_DRIVER])
            .arg(package)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("cannot start node: {e}"))?;
        let stdin = child.stdin.take().ok_or("node has no standard input")?;
        let stdout = child.stdout.take().ok_or("node has no standard output")?;
        Ok(Self { child, stdin, stdout: BufReader::new(stdout) })
    }

    fn ask(&mut self, input: &str) -> Result<String, String> {
        let request = json!({ "input": input }).to_string() + "\n";
        self.stdin.write_all(request.as_bytes()).map_err(|e| e.to_string())?;
        let mut line = String::new();
        self.stdout.read_line(&mut line).map_err(|e| e.to_string())?;
        let answer: Json = serde_json::from_str(&line)
            .map_err(|_| "node ended without an answer; is the package complete?".to_owned())?;
        answer["output"].as_str().map(str::to_owned).ok_or_else(|| "no output".to_owned())
    }
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_choose_the_compiler() {
        let accepts = |pragma: &str, version: &str| {
            let compiler =
                Compiler::Native { path: "solc".into(), version: Version::parse(version).ok() };
            compiler.accepts(&pragmas_in(&format!("pragma solidity {pragma};")))
        };
        assert!(accepts("^0.8.0", "0.8.37"));
        assert!(!accepts("^0.5.0", "0.8.37"));
        assert!(accepts(">=0.4.22 <0.9.0", "0.8.37"));
        assert!(accepts(">= 0.4.22", "0.5.17"));
        assert!(!accepts("0.5.16", "0.5.17"));
    }
}
