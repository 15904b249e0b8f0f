//! The four tools of the contract: answers, messages and behaviour notes to the letter.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::support::Project;

const REPORT: &str = "TN:\nSF:src/a.ts\nDA:1,1\nDA:2,1\nDA:3,0\nend_of_record\n\
                      SF:src/b.ts\nDA:1,1\nDA:2,0\nend_of_record\n";

fn check(project: &Project, tool: &str, arguments: Value, expected: &Expect) {
    expected.assert_eq(&project.shown(tool, arguments));
}

#[test]
fn overall() {
    let project = Project::new();
    project.write("lcov.info", REPORT).write("all.info", "SF:a\nDA:1,2\nend_of_record\n");
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": "./lcov.info" }),
        &expect![[r#"
        {
          "overall": 60
        }
    "#]],
    );
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": "all.info" }),
        &expect![[r#"
        {
          "overall": 100
        }
    "#]],
    );
    let absolute = project.root().join("lcov.info");
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": absolute }),
        &expect![[r#"
        {
          "overall": 60
        }
    "#]],
    );
}

#[test]
fn a_report_that_contradicts_itself_says_so() {
    let project = Project::new();
    project.write("lcov.info", "SF:a\nDA:1,1\nDA:2,0\nLF:10\nLH:9\nend_of_record\n");
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": "lcov.info" }),
        &expect![[r#"
        {
          "overall": 50
        }
        Note: the report contradicts itself: its line records say 1 of 2, its LF/LH summaries say 9 of 10; the line records were used
    "#]],
    );
    let rendered = project.call("get_overall_coverage", json!({ "lcovPath": "lcov.info" }));
    expect![[r#"
        {
          "proofstone/coverage": {
            "format": "LCOV",
            "lines": {
              "hit": 1,
              "found": 2
            },
            "files": 1,
            "declared": {
              "hit": 9,
              "found": 10
            },
            "notes": [
              "LF/LH contradict the DA records; the DA records were used (line 6)"
            ]
          }
        }"#]]
    .assert_eq(&format!("{:#}", Value::Object(rendered.meta)));
}

#[test]
fn files() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    let ask = |paths: &[&str]| json!({ "lcovPath": "lcov.info", "filePaths": paths });
    check(
        &project,
        "get_file_coverage",
        ask(&[]),
        &expect![[r#"
        {
          "files": {}
        }
    "#]],
    );
    check(
        &project,
        "get_file_coverage",
        ask(&["src/b.ts", "./src/a.ts"]),
        &expect![[r#"
        {
          "files": {
            "src/b.ts": 50,
            "./src/a.ts": 66.7
          }
        }
    "#]],
    );
    check(
        &project,
        "get_file_coverage",
        ask(&["src/new-file.ts", "lib/c.ts"]),
        &expect![[r#"
            {
              "files": {
                "src/new-file.ts": 0,
                "lib/c.ts": 0
              }
            }
            Note: src/new-file.ts is not in the report, so it counts as 0
            Note: lib/c.ts is not in the report, so it counts as 0; the nearest are src/a.ts, src/b.ts
        "#]],
    );
    let rendered = project.call("get_file_coverage", ask(&["a.ts", "src\\b.ts", "nope.rs"]));
    expect![[r#"
        {
          "proofstone/coverage": {
            "format": "LCOV",
            "lines": {
              "hit": 3,
              "found": 5
            },
            "files": 2,
            "matches": {
              "a.ts": {
                "rule": "suffix",
                "file": "src/a.ts",
                "hit": 2,
                "found": 3
              },
              "src\\b.ts": {
                "rule": "exact",
                "file": "src/b.ts",
                "hit": 1,
                "found": 2
              },
              "nope.rs": {
                "rule": "absent",
                "nearest": []
              }
            }
          }
        }"#]]
    .assert_eq(&format!("{:#}", Value::Object(rendered.meta)));
}

#[test]
fn a_tie_is_not_guessed() {
    let project = Project::new();
    project
        .write("lcov.info", "SF:x/i.ts\nDA:1,1\nend_of_record\nSF:y/i.ts\nDA:1,1\nend_of_record\n");
    let ask = json!({ "lcovPath": "lcov.info", "filePaths": ["i.ts"] });
    check(
        &project,
        "get_file_coverage",
        ask,
        &expect![[r#"
        {
          "files": {
            "i.ts": 0
          }
        }
        Note: i.ts fits 2 files of the report equally well (x/i.ts, y/i.ts); give a longer path
    "#]],
    );
}

/// One file under two spellings is one file, in every answer.
#[test]
fn spellings_of_one_file() {
    let project = Project::new();
    let full = project.root().join("src/a.ts").display().to_string();
    for (one, other) in [
        ("./src/a.ts", "src/a.ts"),
        ("src\\a.ts", "src/a.ts"),
        ("src/x/../a.ts", "src/a.ts"),
        ("C:\\p\\a.ts", "c:/p/a.ts"),
        (&full, "src/a.ts"),
        (&format!("file://{full}"), "src/a.ts"),
    ] {
        project.write(
            "lcov.info",
            format!("TN:x\nSF:{one}\nDA:1,1\nend_of_record\nTN:y\nSF:{other}\nDA:1,2\nDA:2,0\nend_of_record\n"),
        );
        let path = json!({ "lcovPath": "lcov.info" });
        assert_eq!(project.answer("get_overall_coverage", path.clone())["overall"], 50, "{one}");
        let asked = json!({ "lcovPath": "lcov.info", "filePaths": [one] });
        assert_eq!(project.answer("get_file_coverage", asked)["files"][one], 50, "{one}");
        let lines = &project.answer("get_uncovered_lines", path)["lines"];
        assert_eq!((&lines["hit"], &lines["found"]), (&json!(1), &json!(2)), "{one}");
        let asked = json!({ "lcovPath": "lcov.info", "filePath": one });
        let tests = &project.answer("find_tests_for_lines", asked)["tests"];
        assert_eq!(tests.as_array().map(Vec::len), Some(2), "{one}");
    }
}

/// A snapshot and a report may spell a file in two ways: it is neither new nor removed.
#[test]
fn another_spelling_is_no_change_of_files() {
    let project = Project::new();
    let full = project.root().join("src/a.ts").display().to_string();
    project.write("lcov.info", format!("SF:{full}\nDA:1,1\nDA:2,0\nend_of_record\n"));
    let started = project.answer("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    project.write("lcov.info", "SF:./src/a.ts\nDA:1,1\nDA:2,0\nDA:999999999,0\nend_of_record\n");
    let compare = json!({ "snapshotId": started["snapshotId"], "lcovPath": "lcov.info" });
    check(
        &project,
        "end_coverage_snapshot",
        compare.clone(),
        &expect![[r#"
        {
          "overallChange": -16.7,
          "fileChanges": {
            "./src/a.ts": -16.7
          },
          "newFiles": [],
          "removedFiles": []
        }
    "#]],
    );
    let explained = project.answer("explain_coverage_change", compare);
    assert_eq!(explained["totals"]["newUncovered"], 1);
    assert_eq!(explained["totals"]["removedCovered"], 0);
}

#[test]
fn a_stale_report_says_so() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    std::thread::sleep(std::time::Duration::from_millis(20));
    project.write("src/a.ts", "one\ntwo\nthree\n").write("src/b.ts", "one\n");
    let ask = json!({ "lcovPath": "lcov.info", "filePaths": ["src/a.ts", "src/b.ts"] });
    check(
        &project,
        "get_file_coverage",
        ask,
        &expect![[r#"
        {
          "files": {
            "src/a.ts": 66.7,
            "src/b.ts": 50
          }
        }
        Note: src/a.ts may be stale: the source was changed after the report was written
        Note: src/b.ts may be stale: the report has line 2, the source ends at line 1
    "#]],
    );
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": "lcov.info" }),
        &expect![[r#"
        {
          "overall": 60
        }
        Note: the report is older than 2 of the 2 sources looked at (such as src/a.ts); run the tests again
    "#]],
    );
}

#[test]
fn snapshots() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    let started = project.answer("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    let id = started["snapshotId"].as_str().expect("an id").to_owned();
    assert_eq!(uuid::Uuid::parse_str(&id).expect("a UUID").get_version_num(), 4);
    assert!(started["timestamp"].as_u64().expect("milliseconds") > 1_700_000_000_000);
    let another = project.answer("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    assert_ne!(another["snapshotId"], started["snapshotId"]);

    let compare = json!({ "snapshotId": id, "lcovPath": "lcov.info" });
    check(
        &project,
        "end_coverage_snapshot",
        compare.clone(),
        &expect![[r#"
        {
          "overallChange": 0,
          "fileChanges": {
            "src/a.ts": 0,
            "src/b.ts": 0
          },
          "newFiles": [],
          "removedFiles": []
        }
    "#]],
    );
    project.write(
        "lcov.info",
        "SF:src/a.ts\nDA:1,1\nDA:2,1\nDA:3,4\nend_of_record\nSF:src/new.ts\nDA:1,1\nend_of_record\n",
    );
    check(
        &project,
        "end_coverage_snapshot",
        compare,
        &expect![[r#"
        {
          "overallChange": 40,
          "fileChanges": {
            "src/a.ts": 33.3,
            "src/b.ts": -50,
            "src/new.ts": 100
          },
          "newFiles": [
            "src/new.ts"
          ],
          "removedFiles": [
            "src/b.ts"
          ]
        }
    "#]],
    );
}

#[test]
fn failures_are_the_contracts() {
    let project = Project::new();
    project.write("bad.info", "hello\n").write("empty.info", "").write("none.info", "TN:\n");
    let path = |path: &str| json!({ "lcovPath": path });
    let overall = "get_overall_coverage";
    check(
        &project,
        overall,
        path("./coverage/lcov.info"),
        &expect![[r"
        Error: LCOV file not found at path ./coverage/lcov.info
    "]],
    );
    check(
        &project,
        overall,
        path("bad.info"),
        &expect![[r#"
        Error: Failed to parse LCOV file: line 1 is not an LCOV record: "hello"
    "#]],
    );
    check(
        &project,
        overall,
        path("empty.info"),
        &expect![[r"
        Error: Failed to parse LCOV file: no coverage data (the file is empty)
    "]],
    );
    check(
        &project,
        overall,
        path("none.info"),
        &expect![[r"
        Error: Failed to parse LCOV file: no coverage data (it names no source file)
    "]],
    );
    check(
        &project,
        overall,
        path("."),
        &expect![[r"
        Error: Cannot read LCOV file: . is a directory; name the report inside it
    "]],
    );
    check(
        &project,
        overall,
        path(""),
        &expect![[r"
        Error: Cannot read LCOV file: the path is empty
    "]],
    );
    check(
        &project,
        overall,
        json!({}),
        &expect![[r"
        Error: invalid input for get_overall_coverage: `lcovPath` is missing
    "]],
    );
    check(
        &project,
        "start_coverage_snapshot",
        path("nope"),
        &expect![[r"
        Error: LCOV file not found at path nope
    "]],
    );
    let no_array = json!({ "lcovPath": "bad.info", "filePaths": "src/a.ts" });
    check(
        &project,
        "get_file_coverage",
        no_array,
        &expect![[r"
        Error: invalid input for get_file_coverage: `filePaths` must be a list
    "]],
    );
    let unknown = json!({ "snapshotId": "550e8400-e29b-41d4-a716-446655440000", "lcovPath": "x" });
    check(
        &project,
        "end_coverage_snapshot",
        unknown,
        &expect![[r"
        Error: Snapshot not found with ID 550e8400-e29b-41d4-a716-446655440000
    "]],
    );
    let no_id = json!({ "snapshotId": "../../etc/passwd", "lcovPath": "x" });
    check(
        &project,
        "end_coverage_snapshot",
        no_id,
        &expect![[r"
        Error: Snapshot not found with ID ../../etc/passwd
    "]],
    );
}
