//! `proofstone patterns`: the library and its rules, for people.

mod check;
mod import;
mod lint;
mod new;
mod rules;
mod sarif;
mod search;
mod show;

use std::process::ExitCode;
use std::sync::Arc;

use proofstone_patterns::library::Library;
use proofstone_patterns::shelf::{Places, Shelf};

use crate::out::{self, BAD, DIM, WARN, styled};
use crate::settings::Settings;
use crate::toolsets;

/// How code should be written: search the patterns, run their rules.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Find patterns by a question, a symptom or keywords
    Search(search::Args),
    /// Show one pattern in full
    Show(show::Args),
    /// List the rules and how they did on their own examples
    Rules(rules::Args),
    /// Run the rules on files and folders; exit 1 where they find an error
    Check(check::Args),
    /// Say what is wrong with pattern files and their rules; exit 1 where something is
    Lint(lint::Args),
    /// Start a new pattern file in .patterns/
    New(new::Args),
    /// Copy a folder of pattern files, such as a hub's MDX files, into .patterns/
    Import(import::Args),
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    match &args.question {
        Question::Search(args) => search::run(args, &*for_this_project(settings)?),
        Question::Show(args) => show::run(args, &*library(settings)?),
        Question::Rules(args) => rules::run(args, &*library(settings)?),
        Question::Check(args) => check::run(args, &*for_this_project(settings)?, settings),
        Question::Lint(args) => lint::run(args, settings),
        Question::New(args) => new::run(args, settings),
        Question::Import(args) => import::run(args, settings),
    }
}

/// The library of the project.
fn library(settings: &Settings) -> anyhow::Result<Arc<Library>> {
    let options = toolsets::patterns(settings)?;
    let places = Places {
        project: Some(settings.root.value.clone()),
        user: options.user,
        without_built_in: options.without_built_in,
    };
    Ok(Shelf::new(places).library())
}

/// The library, and what of it is left out of searches and scans here.
fn for_this_project(settings: &Settings) -> anyhow::Result<Arc<Library>> {
    let library = library(settings)?;
    for (pattern, why) in library.excluded() {
        out::note(format!("{} {} is left out: {why}", styled(DIM, "note:"), pattern.id));
    }
    Ok(library)
}

/// A severity in the colour it deserves.
fn severity(word: &str) -> String {
    let style = match word {
        "error" => BAD,
        "warning" => WARN,
        _ => DIM,
    };
    styled(style, word)
}
