//! The tools that are served, by name.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use proofstone_contract::{Descriptor, Dialect, Entry, Toolset};

use crate::validation::nearest;

/// Why a set of toolsets can't be served together.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Two toolsets have a tool of the same name.
    #[error("both `{first}` and `{second}` have a tool named `{tool}`")]
    SameName {
        /// The tool.
        tool: &'static str,
        /// The toolset that had it first.
        first: &'static str,
        /// The other one.
        second: &'static str,
    },
}

/// No tool of that name is served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnknownTool {
    /// The name that was asked for.
    pub name: String,
    /// The served name nearest to it.
    pub nearest: Option<&'static str>,
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tool '{}' not found", self.name)?;
        match self.nearest {
            Some(near) => write!(f, "; did you mean '{near}'?"),
            None => write!(f, "; tools/list names the tools there are"),
        }
    }
}

/// The toolsets being served and their tools.
pub struct Registry {
    toolsets: Vec<Arc<dyn Toolset>>,
    entries: Vec<(Entry, usize)>,
    by_name: HashMap<&'static str, usize>,
}

impl Registry {
    /// Registers toolsets, in the order they are listed.
    pub fn new(toolsets: Vec<Arc<dyn Toolset>>) -> Result<Self, RegistryError> {
        let mut registry = Self { toolsets, entries: Vec::new(), by_name: HashMap::new() };
        for index in 0..registry.toolsets.len() {
            for entry in registry.toolsets[index].tools() {
                registry.add(entry, index)?;
            }
        }
        Ok(registry)
    }

    fn add(&mut self, entry: Entry, toolset: usize) -> Result<(), RegistryError> {
        let name = entry.descriptor.name;
        if let Some(first) = self.by_name.insert(name, self.entries.len()) {
            return Err(RegistryError::SameName {
                tool: name,
                first: self.entries[first].0.descriptor.toolset,
                second: entry.descriptor.toolset,
            });
        }
        self.entries.push((entry, toolset));
        Ok(())
    }

    /// The toolsets, in order.
    pub fn toolsets(&self) -> &[Arc<dyn Toolset>] {
        &self.toolsets
    }

    /// The tools' descriptors, in the order they are listed.
    pub fn descriptors(&self) -> impl Iterator<Item = &Arc<Descriptor>> {
        self.entries.iter().map(|(entry, _)| &entry.descriptor)
    }

    /// One tool's descriptor.
    pub fn descriptor(&self, name: &str) -> Result<&Arc<Descriptor>, UnknownTool> {
        self.find(name).map(|index| &self.entries[index].0.descriptor)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn find(&self, name: &str) -> Result<usize, UnknownTool> {
        self.by_name.get(name).copied().ok_or_else(|| UnknownTool {
            name: name.to_owned(),
            nearest: nearest(name, self.by_name.keys().copied()),
        })
    }

    pub(crate) fn entry(&self, index: usize) -> &Entry {
        &self.entries[index].0
    }

    pub(crate) fn dialect(&self, index: usize) -> &dyn Dialect {
        self.toolsets[self.entries[index].1].dialect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_name.keys()).finish()
    }
}
