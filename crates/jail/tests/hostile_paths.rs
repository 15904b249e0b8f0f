//! More than two hundred ways to ask for what must not be read, each refused with its typed error.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use proofstone_jail::{JailError, LineRange, Policy, Root};
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};

const SECRET: &str = "the secret outside or denied";

/// A project with traps in it, beside a secret.
struct Trap {
    _folder: tempfile::TempDir,
    _socket: UnixListener,
    project: PathBuf,
}

impl Trap {
    fn set() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        for dir in
            ["src/deep/er", ".git/objects", "node_modules/pkg", ".ssh", ".aws", "real", "closed"]
        {
            fs::create_dir_all(project.join(dir)).unwrap();
        }
        for secret in [
            "../secret",
            "../project-secret",
            ".env",
            ".env.local",
            ".git/config",
            "node_modules/pkg/index.js",
            ".ssh/id_rsa",
            ".aws/credentials",
            "id_rsa",
            "server.pem",
            "deploy.key",
            ".npmrc",
            "src/.env",
            "real/.env.production",
            "credentials.json",
        ] {
            fs::write(project.join(secret), SECRET).unwrap();
        }
        fs::write(project.join("src/main.rs"), "fn main() {}").unwrap();
        fs::write(project.join("large.txt"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
        for (link, target) in [
            ("to_secret", "../secret"),
            ("to_etc", "/etc"),
            ("to_passwd", "/etc/passwd"),
            ("to_proc", "/proc/self/environ"),
            ("to_root", "/"),
            ("to_parent", ".."),
            ("to_env", ".env"),
            ("to_git", ".git"),
            ("to_modules", "node_modules"),
            ("to_key", "id_rsa"),
            ("loop_a", "loop_b"),
            ("loop_b", "loop_a"),
            ("self", "self"),
            ("under_self", "under_self/x"),
            ("src/up", "../.."),
            ("src/deep/up_env", "../../.env"),
            ("chain1", "chain2"),
            ("chain2", "chain3"),
            ("chain3", "to_secret"),
            ("dangling", "nowhere"),
            ("to_zero", "/dev/zero"),
            ("to_tty", "/dev/tty"),
            ("to_fd", "/proc/self/fd/0"),
            ("to_pipe", "pipe"),
            ("innocent.txt", ".env.local"),
            ("readme", "real/.env.production"),
            ("to_cwd", "/proc/self/cwd"),
            ("src/abs", "/src/main.rs"),
        ] {
            symlink(target, project.join(link)).unwrap();
        }
        symlink(folder.path().join("project-secret"), project.join("to_sibling")).unwrap();
        symlink(project.join(".env"), project.join("to_env_absolute")).unwrap();
        symlink(project.join("src/main.rs"), project.join("to_main_absolute")).unwrap();
        let mut link = "src/main.rs".to_owned();
        for n in 0..60 {
            let name = format!("long_chain{n}");
            symlink(&link, project.join(&name)).unwrap();
            link = name;
        }
        mknodat(CWD, project.join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let socket = UnixListener::bind(project.join("socket")).unwrap();
        Self { _folder: folder, _socket: socket, project }
    }

    fn root(&self) -> Root {
        Root::open(&self.project, Policy::project()).unwrap()
    }
}

fn kind(error: &JailError) -> &'static str {
    match error {
        JailError::NotFound { .. } => "not found",
        JailError::Denied { .. } => "denied",
        JailError::Absolute { .. } => "absolute",
        JailError::Outside { .. } => "outside",
        JailError::TooLarge { .. } => "too large",
        JailError::IsADirectory { .. } => "directory",
        JailError::NotADirectory { .. } => "not a directory",
        JailError::NotAFile { .. } => "not a file",
        JailError::Invalid { .. } => "invalid",
        JailError::LinkLoop { .. } => "loop",
        JailError::PermissionDenied { .. } => "permission",
        JailError::Changed { .. } => "changed",
        JailError::Io { .. } => "io",
    }
}

/// Every hostile path with the error it must get.
#[rustfmt::skip]
fn hostile(project: &Path) -> BTreeMap<String, &'static str> {
    let mut paths = BTreeMap::new();
    let mut add = |kind: &'static str, list: &[&str]| {
        for path in list {
            assert!(paths.insert((*path).to_owned(), kind).is_none(), "{path} is listed twice");
        }
    };
    add(
        "outside",
        &[
            "..", "../", "../secret", "./../secret", "../project/../secret", "../project-secret",
            "src/../../secret", "src/deep/../../../secret", "../../etc/passwd",
            "../../../../../../../../etc/passwd", "src/..//../secret", ".//..//secret",
            "a/b/../../../secret", "..//secret", "../.env", "../project/.env",
            "src/deep/er/../../../../secret", r"..\secret", r"..\..\secret", r"src\..\..\secret",
            r"src/..\..\secret", r".\..\secret", "to_secret", "to_etc", "to_etc/passwd",
            "to_etc/hosts", "to_passwd", "to_proc", "to_root", "to_root/etc/passwd", "to_parent",
            "to_parent/secret", "to_sibling", "src/up", "src/up/secret", "src/up/../secret",
            "chain1", "chain2", "chain3", "to_zero", "to_tty", "to_fd", "to_cwd",
            "to_cwd/src/main.rs", "src/abs", "to_parent/project/src/main.rs", "src/../to_secret",
            "src/../to_etc/passwd", "src/deep/../up/secret", "to_parent/../secret",
            "to_root/proc/self/environ", "nowhere/../../secret", "x/../..",
            "....//../../../secret",
        ],
    );
    add(
        "absolute",
        &[
            "/", "//", "/etc/passwd", "//etc/passwd", "///etc/passwd", "/proc/self/environ",
            "/proc/self/fd/0", "/dev/zero", "/dev/stdin", "/../etc/passwd", "/.env", r"\", r"\\",
            r"\etc\passwd", r"\\server\share\file", r"\\?\C:\x", r"\\.\PhysicalDrive0",
            r"C:\Windows\win.ini", "C:/Windows/win.ini", "c:/x", "Z:", r"D:\..\x", "/./secret",
        ],
    );
    let inside = project.join("src/main.rs").display().to_string();
    add("absolute", &[&inside]);
    add(
        "denied",
        &[
            ".env", "./.env", ".//.env", ".ENV", ".Env", ".eNv", ".env.local", ".env.LOCAL",
            ".env.production", ".env.prod.local", ".env.bak", ".env~", ".env.", ".env ", ".env...",
            ".env_backup", ".env-prod", ".env::$DATA", ".env:stream", "prod.env", "src/.env",
            "src/../.env", "src/deep/../../.env", "src/./.env", "real/.env.production", ".env/x",
            ".\u{FF45}nv", "\u{FF0E}env", "\u{2024}env", ".e\u{200B}nv", ".e\u{200D}nv",
            "\u{FEFF}.env", ".env\u{200E}", ".\u{202E}env", ".en\u{00AD}v", ".git", ".git/",
            ".git/config", ".git/objects/aa", ".GIT/config", ".Git/config", ".git./config",
            ".git /config", "GIT~1/config", "git~1", ".g\u{200C}it/config",
            ".git::$INDEX_ALLOCATION/config", "src/../.git/config", "src/.git/config", "deep/.git",
            ".hg/store", ".svn/entries", "node_modules", "node_modules/pkg/index.js",
            "NODE_MODULES/pkg/index.js", "Node_Modules/x", "src/node_modules/x",
            "src/../node_modules/pkg/index.js", "node_modules./x", ".ssh", ".ssh/id_rsa",
            ".ssh/config", ".SSH/id_rsa", ".aws/credentials", ".aws/config", ".gnupg/secring.gpg",
            ".kube/config", ".docker/config.json", "id_rsa", "ID_RSA", "id_rsa.bak", "id_dsa",
            "id_ecdsa", "id_ed25519", "src/id_rsa", "server.pem", "SERVER.PEM", "server.pem.",
            "deploy.key", "x.p12", "x.pfx", "x.jks", "x.keystore", "x.kdbx", "x.ppk", ".npmrc",
            ".pypirc", ".netrc", "_netrc", ".git-credentials", ".htpasswd", ".pgpass", ".envrc",
            "credentials.json", "credentials", "src/credentials.yml", "secrets.yaml",
            "client_secret_1.json", "service-account-prod.json", "terraform.tfstate",
            "terraform.tfstate.backup", "to_env", "to_env_absolute", "to_git", "to_git/config",
            "to_modules", "to_modules/pkg/index.js", "to_key", "src/deep/up_env", "innocent.txt",
            "readme", "src/../to_env", "src/up/project/.env",
        ],
    );
    add(
        "not found",
        &[
            "%2e%2e/secret", "%2e%2e%2fsecret", "..%2fsecret", "%252e%252e/secret",
            "..%c0%af../secret", "%2e%2e", "..%5csecret", "....//secret", "...", ".../secret",
            "\u{2025}/secret", "\u{FF0E}\u{FF0E}/secret", "..\u{2215}secret", "..\u{FF0F}secret",
            "\u{2024}\u{2024}/secret", "~", "~/secret", "~root/.profile", "$HOME/secret",
            "${HOME}", "$(cat ../secret)", "`cat ../secret`", "file:///etc/passwd",
            "file://etc/passwd", "http://localhost/x", "|cat", "*", "src/*.rs", "SRC/main.rs",
            "src/Main.rs", "src/main.rs ", "src/main.rs.", " src/main.rs", "src/main.rs\n",
            "\tsrc/main.rs", "src/ma\u{200B}in.rs", "CON", "NUL", "aux.txt", "COM1", "dangling",
            ".. /secret", "..;/secret", "..\u{200B}/secret", ".\u{200B}./secret",
            "src/main.rs?x=1", "src/main.rs#x",
        ],
    );
    add(
        "directory",
        &[
            ".", "./", "./.", "src", "src/", "src/deep/..", "src/deep/er/../..", "src/..", "real",
            "src//deep",
        ],
    );
    add(
        "not a directory",
        &[
            "src/main.rs/x", "src/main.rs/../main.rs", "to_main_absolute/x", "pipe/x", "socket/x",
            "src/main.rs/../../.env/x",
        ],
    );
    add("not a file", &["pipe", "to_pipe", "socket", "src/../pipe", "./socket"]);
    add(
        "loop",
        &[
            "loop_a", "loop_b", "self", "self/x", "under_self", "loop_a/src/main.rs",
            "long_chain59", "long_chain45",
        ],
    );
    add(
        "invalid",
        &["", "\0", "src/main.rs\0", "src/main.rs\0.txt", "\0/etc/passwd", ".env\0.example"],
    );
    add("too large", &["large.txt", "./large.txt", "src/../large.txt"]);
    for (name, count) in [("x", 256), ("ü", 200), ("x", 3000)] {
        add("invalid", &[&name.repeat(count)]);
    }
    add("invalid", &[&"a/".repeat(3000), &"../".repeat(2000), &format!("src/{}", "y".repeat(300))]);
    add("not found", &[&"x".repeat(255), &"a/".repeat(1000)]);
    add("outside", &[&"../".repeat(1000), &format!("{}../../secret", "a/../".repeat(100))]);
    paths
}

#[test]
fn every_hostile_path_is_refused_with_its_error() {
    let trap = Trap::set();
    let root = trap.root();
    let paths = hostile(&trap.project);
    assert!(paths.len() >= 200, "{} paths", paths.len());
    let mut wrong = Vec::new();
    for (path, expected) in &paths {
        let got = match root.read(path) {
            Ok(bytes) => format!("READ {} bytes", bytes.len()),
            Err(error) => kind(&error).to_owned(),
        };
        if got != *expected {
            wrong.push(format!("{:?}: wanted {expected}, got {got}", &path[..path.len().min(80)]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}

#[test]
fn a_range_or_a_listing_is_no_way_around() {
    let trap = Trap::set();
    let root = trap.root();
    let first_line = LineRange { start: 1, end: 1 };
    for (path, expected) in hostile(&trap.project) {
        if expected == "too large" {
            assert!(root.read_lines(&path, first_line).unwrap().cut, "{path}");
            continue;
        }
        assert_eq!(kind(&root.read_lines(&path, first_line).unwrap_err()), expected, "{path:?}");
        if expected != "directory" {
            assert!(root.entries(&path).is_err(), "{path:?} was listed");
        }
    }
    assert_eq!(fs::read_to_string(trap.project.join("../secret")).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(trap.project.join(".env")).unwrap(), SECRET);
    let names: Vec<String> = root.entries(".").unwrap().into_iter().map(|e| e.name).collect();
    assert!(names.contains(&"src".to_owned()) && !names.contains(&".env".to_owned()), "{names:?}");
}

#[test]
fn writing_touches_nothing_outside_or_denied() {
    let trap = Trap::set();
    let root = trap.root();
    for (path, expected) in hostile(&trap.project) {
        let written = root.write(&path, b"x");
        if matches!(expected, "absolute" | "invalid" | "not a directory" | "directory") {
            assert!(written.is_err(), "{path:?} was written");
        }
    }
    for untouched in
        ["../secret", "../project-secret", ".env", ".git/config", "id_rsa", "real/.env.production"]
    {
        assert_eq!(
            fs::read_to_string(trap.project.join(untouched)).unwrap(),
            SECRET,
            "{untouched}"
        );
    }
    root.write("new/folder/file.md", b"text").unwrap();
    assert_eq!(root.read("new/folder/file.md").unwrap(), b"text");
}

#[test]
fn what_belongs_to_the_project_is_read() {
    let trap = Trap::set();
    let root = trap.root();
    for path in [
        "src/main.rs",
        "./src/main.rs",
        "src//main.rs",
        "src/deep/../main.rs",
        "to_main_absolute",
        "long_chain5",
        "src/./main.rs",
    ] {
        assert_eq!(root.read(path).unwrap(), b"fn main() {}", "{path}");
        assert_eq!(root.open_file(path).unwrap().resolved(), "src/main.rs");
    }
}

#[test]
fn files_the_system_refuses_say_so() {
    let trap = Trap::set();
    let file = trap.project.join("closed/file");
    fs::write(&file, "x").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    match trap.root().read("closed/file") {
        Err(JailError::PermissionDenied { .. }) => {}
        // Root reads everything: then there is nothing to refuse.
        Ok(bytes) => assert_eq!(bytes, b"x"),
        Err(error) => panic!("{error}"),
    }
}

/// Swaps names between an honest file, the secret and a denied file while reading as fast as it can.
#[test]
fn swaps_during_the_call_never_leak() {
    let trap = Trap::set();
    let root = trap.root();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut turn = 0_usize;
            while !stop.load(Ordering::Relaxed) {
                swap(&trap.project, turn);
                turn += 1;
            }
        });
        let (mut read, mut refused) = (0, 0);
        for _ in 0..30_000 {
            for path in ["swapped", "swapped_dir/file"] {
                match root.read(path) {
                    Ok(bytes) => {
                        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET));
                        read += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(read > 0 && refused > 0, "the race never happened: {read} read, {refused} refused");
    });
}

fn swap(project: &Path, turn: usize) {
    let (name, dir) = (project.join("swapped"), project.join("swapped_dir"));
    let _ = fs::remove_file(&name);
    let _ = fs::remove_file(&dir);
    let targets = ["src/main.rs", "../secret", ".env", "/etc/passwd"];
    let _ = symlink(targets[turn % targets.len()], &name);
    let _ = fs::write(project.join("real/file"), "honest");
    let dirs = ["real", "..", ".git", "/etc"];
    let _ = symlink(dirs[turn % dirs.len()], &dir);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_text_reads_a_secret(path in prop::collection::vec(
        prop_oneof![
            Just("/".to_owned()), Just("..".to_owned()), Just(".".to_owned()), Just("\\".to_owned()), Just(".env".to_owned()), Just("src".to_owned()),
            Just("to_parent".to_owned()), Just("secret".to_owned()), Just("to_etc".to_owned()), Just("project".to_owned()), Just(".git".to_owned()),
            Just("config".to_owned()), Just("up".to_owned()), any::<char>().prop_map(String::from),
        ], 0..12).prop_map(|parts| parts.concat())
    ) {
        thread_local!(static TRAP: Trap = Trap::set());
        TRAP.with(|trap| {
            if let Ok(bytes) = trap.root().read(&path) {
                assert_eq!(bytes, b"fn main() {}", "{path:?}");
            }
        });
    }
}
