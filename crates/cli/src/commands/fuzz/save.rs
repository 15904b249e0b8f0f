//! The reports that a campaign leaves behind.

use std::path::Path;

use anyhow::Context as _;
use proofstone_evm::campaign::Campaign;

use super::CampaignArgs;

/// Writes the reports that were asked for.
pub(super) fn write_reports(campaign: &Campaign, args: &CampaignArgs) -> anyhow::Result<()> {
    let write = |path: &Path, text: String| {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    if let Some(path) = &args.lcov {
        write(path, campaign.coverage().lcov())?;
    }
    if let Some(path) = &args.html {
        write(path, campaign.coverage().html())?;
    }
    let config = campaign.config();
    let folder = config.coverage_dir.as_ref().or(config.corpus_dir.as_ref());
    if let Some(folder) = folder.filter(|_| !config.coverage_formats.is_empty()) {
        std::fs::create_dir_all(folder)?;
        for format in &config.coverage_formats {
            write(&folder.join(format.file()), campaign.coverage().report(*format))?;
        }
    }
    if let Some(folder) = &args.reproducers {
        std::fs::create_dir_all(folder)?;
        for test in campaign.tests() {
            if let Some(failure) = &test.failure {
                let name: String =
                    test.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                write(&folder.join(format!("{name}.t.sol")), campaign.foundry_test(failure))?;
            }
        }
    }
    Ok(())
}
