//! Names that are never opened: version control, installed packages, keys and credentials.
//!
//! Names are compared after folding what filesystems and people fold (case, full-width letters, invisible
//! characters, Windows' trailing dots and streams), because on some of them the disguised name opens the file.

use std::borrow::Cow;

use crate::path::is_invisible;

/// Folders no tool looks into, whatever stands below them.
const FOLDERS: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".bzr",
    "cvs",
    "node_modules",
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".gcloud",
    ".kube",
    ".docker",
    ".password-store",
];

/// Short names that Windows makes for the folders above.
const SHORT_NAMES: &[&str] = &["git~1", "node_m~1", "env~1", "ssh~1", "aws~1"];

/// Files that exist to hold a secret.
const FILES: &[&str] = &[
    ".envrc",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".dockercfg",
    ".dockerconfigjson",
    ".terraformrc",
    ".vault-token",
    ".credentials",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yml",
    "credentials.yaml",
    "credentials.xml",
    "credentials.csv",
    "secrets.json",
    "secrets.toml",
    "secrets.yml",
    "secrets.yaml",
    "wallet.dat",
    "master.key",
    "shadow",
];

/// Endings of key stores and private keys.
const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".pkcs12",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".p8",
    ".tfstate",
    ".ovpn",
];

/// Private keys as ssh names them; their `.pub` halves are public.
const KEY_STEMS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_xmss"];

/// Beginnings of the files cloud consoles hand out.
const DOWNLOADED: &[&str] =
    &["client_secret", "service-account", "service_account", "serviceaccount"];

/// What a team commits to show which variables there are.
const SAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults"];

/// Whether a component is denied wherever it stands on a path.
pub(crate) fn folder_is_denied(name: &str) -> bool {
    let folded = fold(name);
    let folded = folded.as_ref();
    FOLDERS.contains(&folded) || SHORT_NAMES.contains(&folded) || is_environment(folded)
}

/// Whether a file of this name is denied.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names are folded to lower case first"
)]
pub(crate) fn file_is_denied(name: &str) -> bool {
    let folded = fold(name);
    let folded = folded.as_ref();
    FILES.contains(&folded)
        || ENDINGS.iter().any(|ending| folded.ends_with(ending))
        || is_private_key(folded)
        || (folded.ends_with(".json") && DOWNLOADED.iter().any(|start| folded.starts_with(start)))
        || folded.contains(".tfstate.")
}

/// `.env`, `.env.local`, `.env-prod`, `prod.env`, but not `.env.example` and not `process.env.ts`.
fn is_environment(name: &str) -> bool {
    if let Some(rest) = name.strip_prefix(".env") {
        let variant = rest.trim_start_matches(['.', '-', '_']);
        return rest.is_empty()
            || (rest.starts_with(['.', '-', '_', '~', '#', ' ']) && !SAMPLES.contains(&variant));
    }
    name.strip_suffix(".env").is_some_and(|stem| !SAMPLES.contains(&stem))
}

#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names are folded to lower case first"
)]
fn is_private_key(name: &str) -> bool {
    !name.ends_with(".pub") && KEY_STEMS.iter().any(|stem| name.starts_with(stem))
}

/// The name as the most forgiving filesystem would see it. Most names are that already.
fn fold(name: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii() && !b.is_ascii_uppercase() && !matches!(b, b':' | b'.' | b' ');
    if name.bytes().all(|b| plain(b) || b == b'.') && !name.ends_with('.') {
        return Cow::Borrowed(name);
    }
    let name = name
        .split_once(':')
        .map_or(name, |(file, _stream)| if file.is_empty() { name } else { file });
    let folded: String = name
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(narrow)
        .flat_map(char::to_lowercase)
        .collect();
    Cow::Owned(folded.trim_end_matches(['.', ' ']).to_owned())
}

/// Full-width and other compatibility forms of the letters that denied names are made of.
fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '\u{2024}' | '\u{FE52}' => '.',
        '\u{212A}' => 'k',
        '\u{017F}' => 's',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], denied: bool) {
        for name in names {
            assert_eq!(folder_is_denied(name) || file_is_denied(name), denied, "{name}");
        }
    }

    #[test]
    fn secrets_are_denied_under_every_spelling() {
        check(
            &[
                ".env",
                ".ENV",
                ".env.local",
                ".env.production.local",
                ".env-prod",
                ".env~",
                ".env.",
                ".env ",
                "prod.env",
                ".\u{FF45}nv",
                ".e\u{200B}nv",
                ".env::$DATA",
                ".git",
                ".GiT",
                "GIT~1",
                "node_modules",
                "Node_Modules",
                "id_rsa",
                "id_rsa.bak",
                "id_ed25519",
                "server.pem",
                "SERVER.KEY",
                "release.keystore",
                ".npmrc",
                "credentials.json",
                "client_secret_123.json",
                "terraform.tfstate",
                "terraform.tfstate.backup",
            ],
            true,
        );
    }

    #[test]
    fn names_that_only_look_alike_are_not() {
        check(
            &[
                ".env.example",
                ".env.sample",
                "example.env",
                ".gitignore",
                ".gitattributes",
                ".github",
                "process.env.ts",
                "why-node_modules-is-big.md",
                "environment.rs",
                ".environment",
                "credentials.rs",
                "secrets.rs",
                "id_rsa.pub",
                "keys.rs",
                "keyboard.ts",
                "gitlab.yml",
                "monkey.py",
                "pem.rs",
                ".envelope",
            ],
            false,
        );
    }
}
