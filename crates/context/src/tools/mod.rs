//! The tools, one file each: the contract's three first, then those beyond it.

mod context_search;
mod end_session;
mod failures;
mod find_references;
mod find_symbol;
mod get_project_overview;
mod grep_codebase;
mod list_discoveries;
mod read_file;
mod record_discovery;
mod related_files;
mod repo_map;
mod shown;
mod start_session;
mod update_discovery;

use std::sync::Arc;

use proofstone_contract::{Dialect, Entry};

use crate::project::Project;

/// Every tool, in the order they are listed.
pub(crate) fn all(
    project: &Arc<Project>,
    toolset: &'static str,
    dialect: &dyn Dialect,
) -> Vec<Entry> {
    let p = || Arc::clone(project);
    vec![
        Entry::new(context_search::ContextSearch(p()), toolset, dialect),
        Entry::new(read_file::ReadFile::new(p()), toolset, dialect),
        Entry::new(grep_codebase::GrepCodebase(p()), toolset, dialect),
        Entry::new(find_symbol::FindSymbol(p()), toolset, dialect),
        Entry::new(find_references::FindReferences(p()), toolset, dialect),
        Entry::new(repo_map::RepoMap(p()), toolset, dialect),
        Entry::new(related_files::RelatedFiles(p()), toolset, dialect),
        Entry::new(get_project_overview::GetProjectOverview(p()), toolset, dialect),
        Entry::new(record_discovery::RecordDiscovery(p()), toolset, dialect),
        Entry::new(list_discoveries::ListDiscoveries(p()), toolset, dialect),
        Entry::new(update_discovery::UpdateDiscovery(p()), toolset, dialect),
        Entry::new(start_session::StartSession(p()), toolset, dialect),
        Entry::new(end_session::EndSession(p()), toolset, dialect),
    ]
}
