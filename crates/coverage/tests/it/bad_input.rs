//! What can go wrong with a report's file: each has an answer that says what to do.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use expect_test::{Expect, expect};
use flate2::Compression;
use flate2::write::GzEncoder;
use proofstone_coverage::Options;
use proofstone_coverage::snapshot::SnapshotStore;
use serde_json::json;

use crate::support::Project;

const REPORT: &str = "SF:a.c\nDA:1,1\nDA:2,0\nend_of_record\n";

fn check(project: &Project, path: &str, expected: &Expect) {
    expected.assert_eq(&project.shown("get_overall_coverage", json!({ "lcovPath": path })));
}

fn zipped(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

#[test]
fn other_things_than_reports() {
    let project = Project::new();
    project
        .write("page.html", "<!DOCTYPE html>\n<html><body>100%</body></html>")
        .write("data.json", "{\"a\": 1}")
        .write("summary.json", "{\"total\": {\"lines\": {\"total\": 1, \"pct\": 100}}}")
        .write("list.xml", "<list/>")
        .write("wide.info", b"\xff\xfeS\0F\0")
        .write("program", b"\x7fELF\x02\x01\x01\0\0\0")
        .write("base.sqlite", b"SQLite format 3\0 and then nothing")
        .write("broken.xml", "<coverage line-rate=\"1\"><packages><package>")
        .write("no-lines.xml", "<coverage line-rate=\"1\"></coverage>")
        .write("broken.json", "{\"/a.js\": {\"statementMap\": {\"0\": ")
        .write("broken.out", "mode: set\nmain.go:1.1,x 1 1\n");
    check(
        &project,
        "page.html",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file looks like an HTML page; the report itself is usually beside it (lcov.info, coverage.xml, coverage-final.json)
    "]],
    );
    check(
        &project,
        "data.json",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file looks like JSON, but not like a report of Istanbul, coverage.py or llvm-cov
    "]],
    );
    check(
        &project,
        "summary.json",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file is an Istanbul summary without lines; use coverage-final.json or lcov.info of the same run
    "]],
    );
    check(
        &project,
        "list.xml",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file looks like XML, but not like Cobertura, JaCoCo or Clover
    "]],
    );
    check(
        &project,
        "wide.info",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file is UTF-16 text; save it as UTF-8
    "]],
    );
    check(
        &project,
        "program",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file looks like binary data (it begins with 7f 45 4c 46 02 01 01 00)
    "]],
    );
    check(
        &project,
        "base.sqlite",
        &expect![[r"
        Error: Failed to parse LCOV file: a coverage.py database says which lines ran but not which could have run; make a report of it with `coverage lcov` or `coverage json` and use that
    "]],
    );
    check(
        &project,
        "broken.xml",
        &expect![[r"
        Error: Failed to parse LCOV file: Cobertura XML can't be read at byte 43: the file is cut off
    "]],
    );
    check(
        &project,
        "no-lines.xml",
        &expect![[r"
        Error: Failed to parse LCOV file: no coverage data (a Cobertura XML report without a single executable line)
    "]],
    );
    check(
        &project,
        "broken.json",
        &expect![[r"
        Error: Failed to parse LCOV file: Istanbul JSON can't be read: EOF while parsing a value at line 1 column 33
    "]],
    );
    check(
        &project,
        "broken.out",
        &expect![[r#"
        Error: Failed to parse LCOV file: line 2 is no Go cover profile block: "main.go:1.1,x 1 1"
    "#]],
    );
}

#[test]
fn compressed_reports() {
    let project = Project::new();
    let whole = zipped(REPORT);
    project.write("lcov.info.gz", &whole).write("cut.gz", &whole[..whole.len() - 9]);
    let mut damaged = whole.clone();
    damaged[12] ^= 0xff;
    project.write("damaged.gz", damaged).write("not.gz", b"\x1f\x8bnonsense");
    check(
        &project,
        "lcov.info.gz",
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );
    check(
        &project,
        "cut.gz",
        &expect![[r"
        Error: Failed to parse LCOV file: reading stopped: the gzip file is cut off
    "]],
    );
    check(
        &project,
        "damaged.gz",
        &expect![[r"
        Error: Failed to parse LCOV file: reading stopped: the gzip file is damaged: corrupt gzip stream does not have a matching checksum
    "]],
    );
    check(
        &project,
        "not.gz",
        &expect![[r"
        Error: Failed to parse LCOV file: reading stopped: the gzip file is damaged: invalid gzip header
    "]],
    );
}

#[test]
fn five_gigabytes_of_nothing() {
    let project = Project::new();
    let empty = File::create(project.root().join("sparse.info")).expect("a new file");
    empty.set_len(5 << 30).expect("a sparse file");
    check(
        &project,
        "sparse.info",
        &expect![[r#"
            Error: Failed to parse LCOV file: invalid format: the file looks like binary data (it begins with 00 00 00 00 00 00 00 00)
        "#]],
    );
    // The same behind a good beginning: reading stops at the first line that is none.
    let mut begun = File::create(project.root().join("begun.info")).expect("a new file");
    begun.write_all(REPORT.repeat(3_000).as_bytes()).expect("written");
    begun.set_len(5 << 30).expect("a sparse file");
    check(
        &project,
        "begun.info",
        &expect![[r"
        Error: Failed to parse LCOV file: line 12001 is longer than 1048576 bytes, which no LCOV record is
    "]],
    );
}

#[test]
fn not_a_regular_file() {
    let project = Project::new();
    let pipe = project.root().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    check(
        &project,
        "pipe",
        &expect![[r"
        Error: Cannot read LCOV file: pipe is not a regular file
    "]],
    );
    check(
        &project,
        "/dev/null",
        &expect![[r"
        Error: Cannot read LCOV file: /dev/null is not a regular file
    "]],
    );
    check(
        &project,
        "lcov.info/below",
        &expect![[r"
        Error: LCOV file not found at path lcov.info/below
    "]],
    );
}

#[test]
fn a_report_that_is_being_written() {
    let project = Project::new();
    let section = |index: u32| format!("SF:src/{index}.c\nDA:1,1\nDA:2,0\nend_of_record\n");
    let text: String = (0..20_000).map(section).collect();
    project.write("lcov.info", &text);
    let path = project.root().join("lcov.info");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().append(true).open(&path).expect("it is there");
            let mut index = 20_000;
            while !done.load(Ordering::Relaxed) {
                file.write_all(section(index).as_bytes()).expect("written");
                index += 1;
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        });
        for _ in 0..20 {
            let shown = project.shown("get_overall_coverage", json!({ "lcovPath": "lcov.info" }));
            let right = shown.contains("\"overall\": 50");
            assert!(right || shown.contains("keeps changing while it is read"), "{shown}");
        }
        done.store(true, Ordering::Relaxed);
    });
    check(
        &project,
        "lcov.info",
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );
}

#[test]
fn a_rewritten_report_is_read_again() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    check(
        &project,
        "lcov.info",
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );
    // The same length, so that only the time and the place on disk tell them apart.
    project.write("new.info", REPORT.replace("DA:2,0", "DA:2,7"));
    let (new, old) = (project.root().join("new.info"), project.root().join("lcov.info"));
    std::fs::rename(new, old).expect("renamed");
    check(
        &project,
        "lcov.info",
        &expect![[r#"
        {
          "overall": 100
        }
    "#]],
    );
}

#[test]
fn outside_the_root() {
    let free = Project::new();
    std::fs::write(free.outside().join("away.info"), REPORT).expect("written");
    check(
        &free,
        "../away.info",
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );

    let jailed = Project::with(|options| Options { jail_reports: true, ..options });
    let away = jailed.outside().join("away.info");
    std::fs::write(&away, REPORT).expect("written");
    symlink(&away, jailed.root().join("link.info")).expect("linked");
    jailed.write("lcov.info", REPORT).write("coverage/lcov.info", REPORT);
    check(
        &jailed,
        "coverage/lcov.info",
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );
    check(
        &jailed,
        &jailed.root().join("lcov.info").to_string_lossy(),
        &expect![[r#"
        {
          "overall": 50
        }
    "#]],
    );
    check(
        &jailed,
        &away.to_string_lossy(),
        &expect![[r"
        Error: Cannot read LCOV file: [tmp]/away.info is outside the project root, and this server reads reports only inside it (--jail-reports)
    "]],
    );
    check(
        &jailed,
        "../away.info",
        &expect![[r"
        Error: Cannot read LCOV file: ../away.info leads outside the project root
    "]],
    );
    check(
        &jailed,
        "link.info",
        &expect![[r"
        Error: Cannot read LCOV file: link.info leads outside the project root
    "]],
    );
    check(
        &jailed,
        "nope.info",
        &expect![[r"
        Error: LCOV file not found at path nope.info
    "]],
    );
    check(
        &jailed,
        "coverage",
        &expect![[r"
        Error: Cannot read LCOV file: coverage is a directory, not a file
    "]],
    );
}

#[test]
fn snapshots_that_cannot_be_kept() {
    let project = Project::with(|options| Options {
        snapshots: SnapshotStore::within(std::path::Path::new("/dev/null")),
        ..options
    });
    project.write("lcov.info", REPORT);
    let shown = project.shown("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    assert!(shown.starts_with("Error: Cannot create snapshot: "), "{shown}");
}

#[test]
fn ten_thousand_files_in_one_call() {
    let project = Project::new();
    let section = |index: u32| {
        format!("SF:src/d{}/f{index}.c\nDA:1,{}\nend_of_record\n", index % 9, index % 2)
    };
    project.write("lcov.info", (0..10_000).map(section).collect::<String>());
    let asked: Vec<String> = (0..10_000)
        .map(|index| if index % 10 == 0 { format!("gone{index}.c") } else { format!("f{index}.c") })
        .collect();
    let answer =
        project.answer("get_file_coverage", json!({ "lcovPath": "lcov.info", "filePaths": asked }));
    let files = answer["files"].as_object().expect("an object");
    assert_eq!(files.len(), 10_000);
    assert_eq!(
        (&files["f9999.c"], &files["f9998.c"], &files["gone10.c"]),
        (&json!(100), &json!(0), &json!(0))
    );
}

#[test]
fn a_line_past_every_buffer() {
    let project = Project::new();
    let mut file = File::create(project.root().join("long.info")).expect("a new file");
    file.write_all(b"SF:").expect("written");
    file.seek(SeekFrom::Start(3 << 20)).expect("sought");
    file.write_all(REPORT.as_bytes()).expect("written");
    check(
        &project,
        "long.info",
        &expect![[r"
        Error: Failed to parse LCOV file: invalid format: the file looks like binary data (it begins with 53 46 3a 00 00 00 00 00)
    "]],
    );
}
