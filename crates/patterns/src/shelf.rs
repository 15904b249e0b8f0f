//! Where the layers' files are, and the library made of them: made when first asked for, and again when a file
//! was added, changed or removed. A folder that disappears takes its patterns with it and says so.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use include_dir::{Dir, include_dir};
use proofstone_jail::{EntryKind, JailError, Policy, Root};

use crate::dependencies::{self, Dependencies, Stamps};
use crate::diagnostic::{Diagnostic, Level, Spot};
use crate::library::Library;
use crate::pattern::Layer;
use crate::reading::{LARGEST_FILE, PatternFile, too_large};

/// The starter library.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/library");

/// The folder of a project's own patterns.
pub const PROJECT_FOLDER: &str = ".patterns";

/// The most files of one layer, and how deep its folders are followed.
const MOST_FILES: usize = 20_000;
const DEEPEST: usize = 8;

/// Where patterns are read from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Places {
    /// The project: its `.patterns/` is read.
    pub project: Option<PathBuf>,
    /// The user's folder.
    pub user: Option<PathBuf>,
    /// Leave out what the program brings along.
    pub without_built_in: bool,
}

/// A file as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    layer: Layer,
    path: String,
    size: u64,
    modified: Option<SystemTime>,
}

#[derive(Debug, Default)]
struct State {
    stamps: Vec<Stamp>,
    missing: Vec<Layer>,
    packages: Stamps,
    library: Option<Arc<Library>>,
}

/// Keeps the library of some places up to date.
#[derive(Debug)]
pub struct Shelf {
    places: Places,
    state: Mutex<State>,
}

impl Shelf {
    /// A shelf over these places. Nothing is read yet.
    pub fn new(places: Places) -> Self {
        Self { places, state: Mutex::default() }
    }

    /// The places.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The library as the files are now.
    pub fn library(&self) -> Arc<Library> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut look = Look::default();
        for (layer, folder) in self.folders() {
            look.layer(layer, folder);
        }
        let project = self.places.project.as_deref().and_then(dependencies::open);
        match &state.library {
            Some(library) if look.stamps == state.stamps => {
                let packages = library.asks_for_packages().then(|| packages(project.as_ref()));
                if packages.is_none_or(|now| now == state.packages) {
                    return Arc::clone(library);
                }
            }
            _ => {}
        }
        let gone = gone(&state, &look);
        let packages = packages(project.as_ref());
        let mut library = self.load(&look, &gone);
        if let Some(project) = project.filter(|_| library.asks_for_packages()) {
            library = library.within(&Dependencies::of(&project));
        }
        let library = Arc::new(library);
        let kept = Some(Arc::clone(&library));
        *state = State { stamps: look.stamps, missing: gone, packages, library: kept };
        library
    }

    fn folders(&self) -> impl Iterator<Item = (Layer, PathBuf)> + '_ {
        let project =
            self.places.project.as_ref().map(|root| (Layer::Project, root.join(PROJECT_FOLDER)));
        let user = self.places.user.as_ref().map(|folder| (Layer::User, folder.clone()));
        project.into_iter().chain(user)
    }

    fn load(&self, look: &Look, gone: &[Layer]) -> Library {
        let mut diagnostics = look.diagnostics.clone();
        for layer in gone {
            let message = format!(
                "the folder of the {layer} patterns has disappeared; they are no longer served"
            );
            diagnostics.push(whole_layer(*layer, message));
        }
        let (mut files, unread) = look.read();
        diagnostics.extend(unread);
        if !self.places.without_built_in {
            files.extend(built_in());
        }
        Library::of(files).with_diagnostics(diagnostics)
    }
}

fn packages(project: Option<&Root>) -> Stamps {
    project.map(dependencies::stamps).unwrap_or_default()
}

/// The layers that had files and whose folder is not there any more.
fn gone(before: &State, now: &Look) -> Vec<Layer> {
    let there = |layer: Layer| now.roots.iter().any(|(known, _)| *known == layer);
    let had = |layer: Layer| {
        before.stamps.iter().any(|stamp| stamp.layer == layer) || before.missing.contains(&layer)
    };
    [Layer::Project, Layer::User]
        .into_iter()
        .filter(|layer| had(*layer) && !there(*layer))
        .collect()
}

/// The starter library's files.
pub fn built_in() -> Vec<PatternFile> {
    fn collect(dir: &Dir<'_>, files: &mut Vec<PatternFile>) {
        for file in dir.files().filter(|file| is_pattern_file(&file.path().to_string_lossy())) {
            let path = file.path().to_string_lossy().replace('\\', "/");
            let text = file.contents_utf8().unwrap_or_default().to_owned();
            files.push(PatternFile { layer: Layer::BuiltIn, path, text });
        }
        dir.dirs().for_each(|dir| collect(dir, files));
    }
    let mut files = Vec::new();
    collect(&BUILT_IN, &mut files);
    files
}

/// Reads a folder as a layer, for importing it.
pub fn read_folder(folder: &Path, layer: Layer) -> (Vec<PatternFile>, Vec<Diagnostic>) {
    let mut look = Look::default();
    look.layer(layer, folder.to_path_buf());
    let (files, unread) = look.read();
    (files, look.diagnostics.into_iter().chain(unread).collect())
}

/// What is there now.
#[derive(Debug, Default)]
struct Look {
    roots: Vec<(Layer, Root)>,
    stamps: Vec<Stamp>,
    diagnostics: Vec<Diagnostic>,
}

impl Look {
    fn layer(&mut self, layer: Layer, folder: PathBuf) {
        if !folder.is_dir() {
            return;
        }
        match Root::open(&folder, Policy::project().with_max_bytes(LARGEST_FILE as u64)) {
            Ok(root) => {
                self.folder(layer, &root, "", 0);
                self.roots.push((layer, root));
            }
            Err(JailError::NotFound { .. }) => {}
            Err(error) => self.diagnostics.push(whole_layer(layer, error.to_string())),
        }
    }

    fn folder(&mut self, layer: Layer, root: &Root, path: &str, depth: usize) {
        let entries = match root.entries(if path.is_empty() { "." } else { path }) {
            Ok(entries) => entries,
            Err(error) => return self.diagnostics.push(whole_layer(layer, error.to_string())),
        };
        for entry in entries {
            let inner =
                if path.is_empty() { entry.name.clone() } else { format!("{path}/{}", entry.name) };
            match entry.kind {
                EntryKind::Folder if depth < DEEPEST && !entry.name.starts_with('.') => {
                    self.folder(layer, root, &inner, depth + 1);
                }
                EntryKind::File | EntryKind::Link if is_pattern_file(&entry.name) => {
                    self.file(layer, root, inner);
                }
                _ => {}
            }
        }
    }

    /// Reads what was seen; what can't be read becomes a diagnostic.
    fn read(&self) -> (Vec<PatternFile>, Vec<Diagnostic>) {
        let (mut files, mut diagnostics) = (Vec::new(), Vec::new());
        for (layer, root) in &self.roots {
            for stamp in self.stamps.iter().filter(|stamp| stamp.layer == *layer) {
                let path = stamp.path.clone();
                match read(root, stamp) {
                    Ok(text) => files.push(PatternFile { layer: *layer, path, text }),
                    Err(diagnostic) => diagnostics.push(diagnostic),
                }
            }
        }
        (files, diagnostics)
    }

    fn file(&mut self, layer: Layer, root: &Root, path: String) {
        if self.stamps.len() >= MOST_FILES {
            return;
        }
        match root.facts(&path) {
            Ok((size, modified)) => self.stamps.push(Stamp { layer, path, size, modified }),
            Err(JailError::NotFound { .. }) => {}
            Err(error) => {
                let message = format!("it can't be read: {error}");
                self.diagnostics.push(unreadable(path, message));
            }
        }
    }
}

fn is_pattern_file(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    matches!(ending.as_deref(), Some("md" | "mdx"))
        && !name.eq_ignore_ascii_case("readme.md")
        && !name.starts_with('.')
}

fn read(root: &Root, stamp: &Stamp) -> Result<String, Diagnostic> {
    match root.read(&stamp.path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            unreadable(
                stamp.path.clone(),
                format!("byte {at} is not UTF-8: save the file as UTF-8"),
            )
        }),
        Err(JailError::TooLarge { size, .. }) => {
            let message = too_large(size);
            Err(Diagnostic { code: "too-large", ..unreadable(stamp.path.clone(), message) })
        }
        Err(error) => Err(unreadable(stamp.path.clone(), format!("it can't be read: {error}"))),
    }
}

fn unreadable(file: String, message: String) -> Diagnostic {
    Diagnostic { level: Level::Error, code: "unreadable", file, spot: Spot::START, message }
}

fn whole_layer(layer: Layer, message: String) -> Diagnostic {
    let file = match layer {
        Layer::Project => PROJECT_FOLDER.to_owned(),
        other => format!("({other})"),
    };
    Diagnostic { code: "layer", ..unreadable(file, message) }
}
