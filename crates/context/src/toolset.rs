//! The toolset: its tools, its resources, and the project they share.

use std::path::Path;
use std::sync::Arc;

use proofstone_contract::{
    BoxFuture, CallCx, Completion, CompletionTarget, Dialect, Entry, Resources, Toolset,
};
use proofstone_jail::JailError;

use crate::dialect::ContextDialect;
use crate::project::{Options, Project};
use crate::resources::ContextResources;
use crate::tools;

/// The toolset `context` of one project.
#[derive(Debug)]
pub struct Context {
    project: Arc<Project>,
    resources: ContextResources,
}

impl Context {
    /// Opens a project's folder. Nothing is read or written before the first call.
    pub fn open(root: &Path, options: Options) -> Result<Self, JailError> {
        let project = Project::open(root, options)?;
        let resources = ContextResources::new(Arc::clone(&project));
        Ok(Self { project, resources })
    }

    /// The project the tools work on.
    pub fn project(&self) -> &Arc<Project> {
        &self.project
    }
}

impl Toolset for Context {
    fn name(&self) -> &'static str {
        "context"
    }

    fn summary(&self) -> &'static str {
        "what the code says, and what was learned about it"
    }

    fn instructions(&self) -> &'static str {
        "Ask context_search in plain words when you do not know where something is; use grep_codebase for exact text and \
         find_symbol for a name. Read with read_file: pass the etag of your last read as ifNoneMatch to get only what changed. \
         Before working in an unknown project, read repo_map or get_project_overview. Record what others should know with \
         record_discovery, anchored to the code it is about: it is marked suspect when that code changes."
    }

    fn dialect(&self) -> &dyn Dialect {
        &ContextDialect
    }

    fn tools(&self) -> Vec<Entry> {
        tools::all(&self.project, self.name(), &ContextDialect)
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&self.resources)
    }

    fn complete<'a>(
        &'a self,
        target: &'a CompletionTarget,
        argument: &'a str,
        typed: &'a str,
        _cx: &'a CallCx,
    ) -> BoxFuture<'a, Option<Completion>> {
        Box::pin(async move {
            let is_module = matches!(target, CompletionTarget::Resource(template) if template.contains("module"));
            if !is_module || argument != "name" {
                return None;
            }
            let modules =
                self.resources.module_names().into_iter().filter(|name| name.starts_with(typed));
            let values: Vec<String> = modules.collect();
            Some(Completion { total: values.len(), values: values.into_iter().take(100).collect() })
        })
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        let project = Arc::clone(&self.project);
        Box::pin(async move {
            // The last counts are written by a thread of their own; it is a matter of milliseconds.
            let _ = tokio::task::spawn_blocking(move || project.shut_down()).await;
        })
    }
}
