//! Which module a file belongs to, and what part it plays there, told from its path.

/// Folders that hold modules rather than being one.
const CONTAINERS: &[&str] = &[
    "src",
    "lib",
    "app",
    "apps",
    "packages",
    "crates",
    "internal",
    "pkg",
    "cmd",
    "server",
    "client",
    "modules",
    "features",
    "services",
    "components",
    "main",
    "java",
    "kotlin",
    "scala",
    "com",
    "org",
    "include",
    "source",
    "sources",
    "test",
    "tests",
];

/// A file's module: the folder nearest to it that is not just a container, else its own name.
pub fn of(path: &str) -> String {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folders
        .rsplit('/')
        .find(|f| !f.is_empty() && !CONTAINERS.contains(&f.to_lowercase().as_str()));
    let stem =
        name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    folder.unwrap_or(stem).to_owned()
}

/// Whether a file belongs to a module: by a folder on its path, a path prefix, or its own name.
pub fn contains(module: &str, path: &str) -> bool {
    let module = module.trim_matches('/');
    if path.starts_with(module) && path.as_bytes().get(module.len()).is_none_or(|b| *b == b'/') {
        return true;
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    folders.split('/').any(|folder| folder.eq_ignore_ascii_case(module))
        || stem.eq_ignore_ascii_case(module)
}

/// The contract's roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Where a program or package begins.
    Entry,
    /// What configures it.
    Config,
    /// Everything else.
    Core,
    /// What tests it.
    Test,
}

impl Role {
    /// A file's role, by its path.
    pub fn of(path: &str) -> Self {
        let lower = path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let stem = name.split('.').next().unwrap_or(name);
        if crate::search::PathKind::of(path) == crate::search::PathKind::Test {
            Self::Test
        } else if is_config(name, stem) {
            Self::Config
        } else if matches!(
            stem,
            "main"
                | "index"
                | "__main__"
                | "__init__"
                | "lib"
                | "mod"
                | "app"
                | "server"
                | "program"
                | "cli"
        ) {
            Self::Entry
        } else {
            Self::Core
        }
    }

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Config => "config",
            Self::Core => "core",
            Self::Test => "test",
        }
    }
}

fn is_config(name: &str, stem: &str) -> bool {
    let data = [
        "json",
        "toml",
        "yaml",
        "yml",
        "ini",
        "cfg",
        "conf",
        "properties",
        "xml",
        "mod",
        "gradle",
        "lock",
    ];
    let ending = name.rsplit('.').next().unwrap_or("");
    data.contains(&ending)
        || name.contains(".config.")
        || matches!(stem, "config" | "settings" | "makefile" | "dockerfile" | "setup")
        || name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_roles() {
        for (path, module, role) in [
            ("src/server/auth/AuthService.ts", "auth", Role::Core),
            ("src/main.rs", "main", Role::Entry),
            ("crates/jail/src/lib.rs", "jail", Role::Entry),
            ("tests/test_app.py", "test_app", Role::Test),
            ("package.json", "package", Role::Config),
            ("src/flask/sansio/app.py", "sansio", Role::Entry),
        ] {
            assert_eq!((of(path).as_str(), Role::of(path)), (module, role), "{path}");
            assert!(contains(module, path), "{path}");
        }
        assert!(
            contains("src/server", "src/server/auth/x.ts")
                && !contains("src/serv", "src/server/auth/x.ts")
        );
    }
}
