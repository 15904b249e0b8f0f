//! `proofstone patterns new`: a pattern file to fill in.

use std::process::ExitCode;

use anyhow::bail;
use proofstone_jail::{Policy, Root};
use proofstone_patterns::reading::is_id;
use proofstone_patterns::shelf::PROJECT_FOLDER;

use crate::out::{self, BadUsage};
use crate::settings::Settings;

/// Start a new pattern file in .patterns/.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The pattern's id: lower-case letters, digits and hyphens
    id: String,
    /// The category, also the folder
    #[arg(long, default_value = "general")]
    category: String,
    /// The language of its code and its rule
    #[arg(long, default_value = "typescript")]
    language: String,
}

pub(crate) fn run(args: &Args, settings: &Settings) -> anyhow::Result<ExitCode> {
    if !is_id(&args.id) || !is_id(&args.category) {
        return Err(BadUsage(
            "an id and a category are lower-case letters, digits and hyphens".to_owned(),
        )
        .into());
    }
    let root = Root::open(&settings.root.value, Policy::project())?;
    let path = format!("{PROJECT_FOLDER}/{}/{}.md", args.category, args.id);
    if root.is_file(&path) {
        bail!("{path} is there already");
    }
    root.write(&path, template(args).as_bytes())?;
    out::line(&path);
    Ok(ExitCode::SUCCESS)
}

fn template(args: &Args) -> String {
    let Args { id, category, language } = args;
    let title = id.replace('-', " ");
    format!(
        "---\nid: {id}\ntitle: {title}\nsummary: One or two sentences.\ncategory: {category}\n\
         difficulty: intermediate\nlanguages: [{language}]\ntags: []\naliases: []\nuseWhen: []\navoidWhen: []\n\
         related: []\n# A rule that finds the anti-pattern below and leaves the good example alone:\n\
         # rules:\n#   - id: {id}\n#     severity: warning\n#     message: What is wrong\n\
         #     ast-grep: {{ language: {language}, rule: {{ pattern: bad($ARG) }}, fix: good($ARG) }}\n---\n\
         ## Guideline\n\n## Rationale\n\n## Good Example\n\n```{language}\n```\n\n## Anti-Pattern\n\n```{language}\n```\n"
    )
}
