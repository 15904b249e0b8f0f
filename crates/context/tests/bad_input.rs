//! Files nobody should have to think about: enormous, unreadable, vanishing, not text.

#![cfg(unix)]

mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use support::Session;

#[test]
fn a_file_of_two_gigabytes() {
    let session = Session::new(&[("small.rs", "fn needle() {}\n")]);
    let huge = std::fs::File::create(session.folder.path().join("huge.log")).unwrap();
    std::io::Write::write_all(&mut &huge, b"first line\nsecond line\n").unwrap();
    huge.set_len(2 << 30).unwrap();
    let failure = session.fail("read_file", json!({ "path": "huge.log" }));
    assert_eq!(
        (failure["error"].as_str(), failure["size"].as_u64()),
        (Some("File too large"), Some(2 << 30))
    );
    let part =
        session.call("read_file", json!({ "path": "huge.log", "startLine": 2, "endLine": 2 }));
    assert_eq!(
        (part["file"]["content"].as_str(), part["file"]["more"].as_bool()),
        (Some("second line\n"), Some(true))
    );
    let found = session.call("context_search", json!({ "query": "needle" }));
    assert_eq!(found["results"][0]["file"], "small.rs");
    let grep = session.call("grep_codebase", json!({ "pattern": "needle" }));
    assert_eq!(
        (grep["totalMatches"].as_u64(), grep["skipped"]["binary"].as_u64()),
        (Some(1), Some(1))
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    let session = Session::new(&[]);
    std::fs::write(session.folder.path().join("latin.py"), b"# caf\xE9\ndef needle(): pass\n")
        .unwrap();
    std::fs::write(session.folder.path().join("image.png"), b"\x89PNG\r\n\x1a\n\0\0needle")
        .unwrap();
    let read = session.call("read_file", json!({ "path": "latin.py" }));
    assert!(read["notes"][0].as_str().unwrap().contains("UTF-8"));
    assert!(read["file"]["content"].as_str().unwrap().contains("caf\u{FFFD}"));
    let image = session.call("read_file", json!({ "path": "image.png" }));
    assert!(image["notes"][0].as_str().unwrap().contains("not text"));
    assert_eq!(
        session.call("context_search", json!({ "query": "needle" }))["results"][0]["file"],
        "latin.py"
    );
    assert_eq!(session.call("grep_codebase", json!({ "pattern": "needle" }))["totalMatches"], 1);
}

#[test]
fn no_permission_to_read_or_to_remember() {
    let session = Session::new(&[("open.rs", "fn needle() {}\n"), ("shut.rs", "fn needle() {}\n")]);
    let set = |path: &str, mode| {
        std::fs::set_permissions(
            session.folder.path().join(path),
            std::fs::Permissions::from_mode(mode),
        )
        .unwrap();
    };
    set("shut.rs", 0o000);
    // A file in the place of the folder stops memory even for root, who may write everywhere.
    session.write(".context", "in the way");
    assert_eq!(
        session.call("grep_codebase", json!({ "pattern": "needle" }))["matches"]
            .as_array()
            .unwrap()[0]["file"],
        "open.rs"
    );
    assert_eq!(
        session.call("context_search", json!({ "query": "needle" }))["results"][0]["file"],
        "open.rs"
    );
    assert!(session.call("read_file", json!({ "path": "open.rs" }))["file"]["content"].is_string());
    let refused = session.fail(
        "record_discovery",
        json!({ "type": "rule", "content": "this can't be kept anywhere" }),
    );
    assert!(
        refused["error"].is_string() && refused["details"].as_str().unwrap().contains(".context"),
        "{refused}"
    );
    session.settle();
    let unkept = session.resource("context://session/current");
    assert!(unkept.is_err(), "{unkept:?}");
    set("shut.rs", 0o644);
}

#[test]
fn files_that_vanish_while_being_read() {
    let session = Session::new(&[("stays.rs", "fn needle() {}\n")]);
    let (stop, path) = (AtomicBool::new(false), session.folder.path().join("comes_and_goes.rs"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                std::fs::write(&path, "fn needle() { /* again */ }\n").unwrap();
                std::fs::remove_file(&path).unwrap();
            }
        });
        for _ in 0..20 {
            let read = session.rendered("read_file", json!({ "path": "comes_and_goes.rs" }));
            assert!(!read.is_error || read.text().contains("File not found"), "{}", read.text());
            let grep = session.call("grep_codebase", json!({ "pattern": "fn needle" }));
            assert!(grep["totalMatches"].as_u64().unwrap() >= 1);
            let found = session.call("context_search", json!({ "query": "needle" }));
            assert!(found["results"].as_array().unwrap().iter().any(|r| r["file"] == "stays.rs"));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn secrets_reach_nobody_by_any_tool() {
    let session = Session::new(&[
        ("src/a.ts", "import './.env';\nimport '../link';\nexport const needle = 1;\n"),
        ("src/.env", "TOPSECRET=1\n"),
        (".env", "TOPSECRET=1\n"),
    ]);
    symlink(session.folder.path().join(".env"), session.folder.path().join("link.ts")).unwrap();
    symlink("/etc/passwd", session.folder.path().join("passwd.ts")).unwrap();
    for (tool, arguments) in [
        ("grep_codebase", json!({ "pattern": "TOPSECRET|root:" })),
        ("context_search", json!({ "query": "TOPSECRET" })),
        ("read_file", json!({ "path": "src/a.ts", "includeDeps": true })),
        ("read_file", json!({ "path": "link.ts" })),
        ("read_file", json!({ "path": "passwd.ts" })),
        ("find_references", json!({ "name": "TOPSECRET" })),
        ("related_files", json!({ "path": "src/a.ts" })),
    ] {
        let text = session.rendered(tool, arguments).text();
        assert!(!text.contains("TOPSECRET=1") && !text.contains("root:x:"), "{tool}: {text}");
    }
}
