//! From what a person names (a file, a folder) to artifacts.

use super::compile::compile;
use super::{ArtifactError, Artifacts, Build, CompileError, read_artifact_file};
use std::path::{Path, PathBuf};

/// Artifacts and how they were come by.
#[derive(Debug)]
pub struct Located {
    /// What was read.
    pub artifacts: Artifacts,
    /// `Foundry artifacts`, `compiled with …`: one phrase for people.
    pub origin: String,
}

/// Why a target could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is nothing at the path.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// A folder without anything to fuzz.
    #[error(
        "{0} holds no Foundry (out/), Hardhat (artifacts/) or Truffle (build/contracts/) artifacts and no .sol files; build the project first or name a file"
    )]
    Nothing(PathBuf),
    /// An artifact is broken.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The source does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// Loads a target: a `.sol` file, a JSON artifact, a project or a folder of either.
pub fn load(
    target: &Path,
    solc: Option<&Path>,
    cache: Option<&Path>,
) -> Result<Located, LoadError> {
    load_with(target, &Build::with(solc), cache)
}

/// Loads a target; what has to be compiled is compiled as asked for.
pub fn load_with(target: &Path, build: &Build, cache: Option<&Path>) -> Result<Located, LoadError> {
    if target.is_file() {
        return load_file(target, build, cache);
    }
    if !target.is_dir() {
        return Err(LoadError::Missing(target.to_owned()));
    }
    let layouts = [("out", "Foundry"), ("artifacts", "Hardhat"), ("build/contracts", "Truffle")];
    for (folder, name) in layouts {
        let folder = target.join(folder);
        if folder.is_dir() {
            let files = files_below(&folder, "json");
            if let Some(artifacts) = read_all(&files, target) {
                return Ok(Located { artifacts, origin: format!("{name} artifacts") });
            }
        }
    }
    if let Some(artifacts) = read_all(&files_below(target, "json"), target) {
        return Ok(Located { artifacts, origin: "artifacts".to_owned() });
    }
    let sources = files_below(target, "sol");
    if sources.is_empty() {
        return Err(LoadError::Nothing(target.to_owned()));
    }
    let artifacts = compile(target, &sources, build, cache)?;
    Ok(Located { artifacts, origin: "compiled".to_owned() })
}

fn load_file(target: &Path, build: &Build, cache: Option<&Path>) -> Result<Located, LoadError> {
    if target.extension().is_some_and(|e| e == "json") {
        let mut artifacts = Artifacts::default();
        read_artifact_file(target, &mut artifacts)?;
        find_sources(&mut artifacts, target.parent().unwrap_or(Path::new(".")));
        return Ok(Located { artifacts, origin: "artifact".to_owned() });
    }
    let root = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let artifacts = compile(root, &[target.to_owned()], build, cache)?;
    Ok(Located { artifacts, origin: "compiled".to_owned() })
}

/// Reads every artifact among the files; a file that is none is passed over with a warning.
fn read_all(files: &[PathBuf], root: &Path) -> Option<Artifacts> {
    // Build-info holds everything the single artifacts hold, and the sources besides.
    let build_info: Vec<_> = files.iter().filter(|f| is_build_info(f)).collect();
    let mut artifacts = Artifacts::default();
    for file in &build_info {
        // Foundry's newer build-info holds no output: then the single artifacts are read.
        let _ = read_artifact_file(file, &mut artifacts);
    }
    if artifacts.contracts.is_empty() {
        for file in files.iter().filter(|f| !is_build_info(f)) {
            match read_artifact_file(file, &mut artifacts) {
                Ok(()) | Err(ArtifactError::Unknown { .. }) => {}
                Err(error) => artifacts.warnings.push(format!("skipped: {error}")),
            }
        }
    }
    if artifacts.contracts.is_empty() {
        return None;
    }
    find_sources(&mut artifacts, root);
    Some(artifacts)
}

fn is_build_info(path: &Path) -> bool {
    path.components().any(|c| c.as_os_str() == "build-info")
}

/// Finds the text of sources that an artifact only names, in the project or above it.
fn find_sources(artifacts: &mut Artifacts, root: &Path) {
    for source in artifacts.sources.iter_mut().filter(|s| s.text.is_none()) {
        let candidates = root.ancestors().take(4).map(|folder| folder.join(&source.path));
        if let Some(path) = candidates.into_iter().find(|p| p.is_file()) {
            source.text = std::fs::read_to_string(&path).ok();
            source.on_disk = Some(path);
        }
    }
    let missing: Vec<_> =
        artifacts.sources.iter().filter(|s| s.text.is_none()).map(|s| s.path.as_str()).collect();
    if !missing.is_empty() {
        let list = missing.join(", ");
        artifacts
            .warnings
            .push(format!("no coverage by line for {list}: the source was not found"));
    }
}

/// Files with an extension below a folder, sorted, without dependencies and caches.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let skipped = name.starts_with('.') || name == "node_modules" || name == "lib";
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !skipped => folders.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|e| e == extension) => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}
