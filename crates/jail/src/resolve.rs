//! From a relative path to an open folder and a last name, one component at a time.
//!
//! Each folder is opened from the one before it and never through a link; a link is read and its target's
//! components are walked like the rest. So every name that leads to the file has been checked at the moment it
//! was used, and a swap during the walk meets the same checks as the original.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::path::beneath;
use crate::{JailError, Policy, RelPath};

/// Links followed for one path, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// Where a path ended.
pub(crate) enum Resolved {
    /// A folder, and its path with no link in it.
    Folder(Dir, String),
    /// Something else: the folder it is in, its own name, and its whole path with no link in it.
    Leaf(Dir, String, String),
}

/// One resolution under way.
pub(crate) struct Walk<'a> {
    pub(crate) root: &'a Dir,
    pub(crate) root_paths: &'a [std::path::PathBuf],
    pub(crate) policy: &'a Policy,
    pub(crate) asked: &'a RelPath,
}

impl Walk<'_> {
    /// Walks the whole path.
    pub(crate) fn run(&self) -> Result<Resolved, JailError> {
        let mut opened: Vec<(String, Dir)> = Vec::new();
        let mut pending: Vec<String> = self.asked.components().rev().map(str::to_owned).collect();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            if name == ".." {
                opened.pop().ok_or_else(|| self.outside())?;
                continue;
            }
            let last = pending.is_empty();
            self.check(&opened, &name, last)?;
            let parent = opened.last().map_or(self.root, |(_, dir)| dir);
            let metadata = parent.symlink_metadata(&name).map_err(|e| self.io(e))?;
            if metadata.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(JailError::LinkLoop { path: self.path() });
                }
                let target = parent.read_link_contents(&name).map_err(|e| self.io(e))?;
                self.splice(&target, &mut opened, &mut pending)?;
            } else if metadata.is_dir() {
                let dir = parent.open_dir_nofollow(&name).map_err(|e| self.swapped(e))?;
                opened.push((name, dir));
            } else if last {
                let parent = parent.try_clone().map_err(|e| self.io(e))?;
                let path = joined(&opened, Some(&name));
                return Ok(Resolved::Leaf(parent, name, path));
            } else {
                return Err(JailError::NotADirectory { path: self.path() });
            }
        }
        let path = joined(&opened, None);
        let dir = match opened.pop() {
            Some((_, dir)) => dir,
            None => self.root.try_clone().map_err(|e| self.io(e))?,
        };
        Ok(Resolved::Folder(dir, path))
    }

    /// Puts a link's target in front of what is left to walk.
    fn splice(
        &self,
        target: &Path,
        opened: &mut Vec<(String, Dir)>,
        pending: &mut Vec<String>,
    ) -> Result<(), JailError> {
        let relative = if target.is_absolute() {
            opened.clear();
            let inside = self.root_paths.iter().find_map(|root| beneath(root, target));
            inside.ok_or_else(|| self.outside())?
        } else {
            target.to_path_buf()
        };
        for component in relative.components().rev() {
            match component {
                Component::Normal(name) => pending.push(self.text(name)?),
                Component::ParentDir => pending.push("..".to_owned()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(self.outside()),
            }
        }
        Ok(())
    }

    fn check(&self, opened: &[(String, Dir)], name: &str, last: bool) -> Result<(), JailError> {
        let system_folder = opened.is_empty() && self.root_is_system() && is_kernel_folder(name);
        if system_folder || self.policy.denies(name, last) {
            return Err(JailError::Denied { path: self.path(), name: name.to_owned() });
        }
        Ok(())
    }

    fn root_is_system(&self) -> bool {
        self.root_paths.iter().any(|root| root == Path::new("/"))
    }

    fn text(&self, name: &OsStr) -> Result<String, JailError> {
        let reason = "a link on it leads to a name that is not UTF-8";
        let invalid = || JailError::Invalid { path: self.path(), reason };
        name.to_str().map(str::to_owned).ok_or_else(invalid)
    }

    fn path(&self) -> String {
        self.asked.as_str().to_owned()
    }

    fn outside(&self) -> JailError {
        JailError::Outside { path: self.path() }
    }

    fn io(&self, error: io::Error) -> JailError {
        JailError::from_io(self.asked.as_str(), error)
    }

    /// A folder that was one a moment ago and now does not open as one was swapped.
    fn swapped(&self, error: io::Error) -> JailError {
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound => self.io(error),
            _ => JailError::Changed { path: self.path() },
        }
    }
}

/// With `/` as the root these would be beneath it; their files are the machine, not a project.
pub(crate) fn is_kernel_folder(name: &str) -> bool {
    matches!(name, "proc" | "sys" | "dev")
}

fn joined(opened: &[(String, Dir)], last: Option<&str>) -> String {
    let names = opened.iter().map(|(name, _)| name.as_str());
    names.chain(last).collect::<Vec<_>>().join("/")
}
