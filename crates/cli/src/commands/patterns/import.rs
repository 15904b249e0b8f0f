//! `proofstone patterns import`: a folder of pattern files, such as a hub's MDX files, into the project.

use std::path::PathBuf;
use std::process::ExitCode;

use proofstone_jail::{Policy, Root};
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::reading;
use proofstone_patterns::shelf::{self, PROJECT_FOLDER};
use serde_json::json;

use crate::out::{self, BadUsage, DIM, WARN, styled};
use crate::settings::Settings;

/// Copy a folder of pattern files, such as a hub's MDX files, into .patterns/.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to read
    folder: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    force: bool,
    /// Say what would be done and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    if !args.folder.is_dir() {
        return Err(BadUsage(format!("{} is not a folder", args.folder.display())).into());
    }
    let (files, unread) = shelf::read_folder(&args.folder, Layer::Project);
    let root = Root::open(&settings.root.value, Policy::project())?;
    let (mut imported, mut kept) = (Vec::new(), Vec::new());
    let mut refused: Vec<String> = unread.iter().map(ToString::to_string).collect();
    for file in &files {
        let (pattern, diagnostics) = reading::read(file);
        let Some(pattern) = pattern else {
            refused.extend(diagnostics.iter().map(ToString::to_string));
            continue;
        };
        let path = format!("{PROJECT_FOLDER}/{}", file.path);
        if root.is_file(&path) && !args.force {
            kept.push(path);
            continue;
        }
        if !args.dry_run {
            root.write(&path, file.text.as_bytes())?;
        }
        imported.push(pattern.id);
    }
    if args.json {
        out::json(
            &json!({ "imported": imported, "kept": kept, "refused": refused, "written": !args.dry_run }),
        )?;
    } else {
        for said in &refused {
            out::note(format!("{} {said}", styled(WARN, "refused:")));
        }
        for path in &kept {
            out::note(format!("{} {path} is there already", styled(DIM, "kept:")));
        }
        let done = if args.dry_run { "would be imported" } else { "imported" };
        out::line(format!(
            "{} patterns {done}, {} kept, {} refused",
            imported.len(),
            kept.len(),
            refused.len()
        ));
    }
    Ok(ExitCode::from(u8::from(!refused.is_empty())))
}
