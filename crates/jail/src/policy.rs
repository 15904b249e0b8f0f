//! What a caller may open: which names are denied and how much is read at once.

use crate::denied::{file_is_denied, folder_is_denied};

/// The contract's limit on one read.
const MEGABYTE: u64 = 1024 * 1024;

/// The rules of one [`Root`](crate::Root). [`Policy::project`] is right for everything that shows a project's
/// files to somebody else.
#[derive(Debug, Clone)]
pub struct Policy {
    max_bytes: u64,
    exempt: Vec<String>,
    also_denied: Vec<String>,
}

impl Policy {
    /// Version control, installed packages, keys and credentials denied; 1 MiB read at once.
    pub fn project() -> Self {
        Self { max_bytes: MEGABYTE, exempt: Vec::new(), also_denied: Vec::new() }
    }

    /// The same with another limit on what is read at once.
    pub fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// The same, but with this exact name allowed wherever it stands.
    pub fn allowing(mut self, name: &str) -> Self {
        self.exempt.push(name.to_owned());
        self
    }

    /// The same with one more name denied wherever it stands on a path, whatever its case.
    pub fn denying(mut self, name: &str) -> Self {
        self.also_denied.push(name.to_lowercase());
        self
    }

    /// The most bytes read at once.
    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Whether a component is denied; `last` says that it is the name of the file itself.
    pub fn denies(&self, name: &str, last: bool) -> bool {
        if self.exempt.iter().any(|allowed| allowed == name) {
            return false;
        }
        folder_is_denied(name)
            || (last && file_is_denied(name))
            || (!self.also_denied.is_empty() && self.also_denied.contains(&name.to_lowercase()))
    }

    /// Whether any component of a relative path, separated by `/`, is denied. For paths that a directory walk
    /// found, where no link was followed.
    pub fn denies_path(&self, path: &str) -> bool {
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            if self.denies(name, names.peek().is_none()) {
                return true;
            }
        }
        false
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::project()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_choose_within_the_list() {
        let policy = Policy::project().allowing("node_modules").denying("Vendor");
        assert!(!policy.denies("node_modules", false));
        assert!(policy.denies("NODE_MODULES", false), "only the exact name was allowed");
        assert!(policy.denies("vendor", false));
        assert!(policy.denies_path("src/.git/config"));
        assert!(!policy.denies_path("src/credentials/mod.rs"), "a folder of that name is source");
        assert!(policy.denies_path("src/credentials"));
    }
}
