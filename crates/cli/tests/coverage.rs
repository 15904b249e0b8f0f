//! `proofstone coverage` as a person sees it: no terminal, so no colours and 80 columns.

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

const REPORT: &str = "SF:src/a.c\nFN:1,4,used\nFN:6,12,unused\nFNDA:2,used\nFNDA:0,unused\n\
    BRDA:2,0,0,2\nBRDA:2,0,1,0\nDA:2,2\nDA:3,0\nDA:7,0\nDA:8,0\nDA:10,0\nend_of_record\n\
    SF:src/b.c\nDA:1,1\nDA:2,0\nDA:4,1\nend_of_record\n";

fn shown(root: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_proofstone"))
        .arg("--root")
        .arg(root)
        .arg("coverage")
        .args(arguments.split(' '))
        .current_dir(root)
        .output()
        .expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("an exit code");
    format!("{}{}exit {code}\n", text(&output.stdout), text(&output.stderr))
}

fn check(arguments: &str, expected: &Expect) {
    let root = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(root.path().join("src")).expect("a new directory");
    let write =
        |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("written");
    write("src/a.c", "void used() {\n  if (x)\n    y();\n}\n");
    write("lcov.info", REPORT);
    write("more.info", "SF:src/b.c\nDA:2,3\nend_of_record\n");
    write("change.diff", "--- a/src/a.c\n+++ b/src/a.c\n@@ -1,0 +2,2 @@\n+x\n+y\n");
    expected.assert_eq(&shown(root.path(), arguments));
}

#[test]
fn summary() {
    check(
        "summary",
        &expect![[r"
                   hit          
        lines      3/8  37.5 %  ███████████▎░░░░░░░░░░░░░░░░░░
        branches   1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
        functions  1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
        2 files, LCOV
        exit 0
    "]],
    );
    check(
        "summary lcov.info more.info --fail-under 75",
        &expect![[r"
                   hit          
        lines      4/8  50.0 %  ███████████████░░░░░░░░░░░░░░░
        branches   1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
        functions  1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
        2 files, LCOV
        failed: line coverage is 50.0 %, below the 75 % asked for
        exit 1
    "]],
    );
    check(
        "summary --json",
        &expect![[r#"
        {
          "format": "LCOV",
          "files": 2,
          "lines": {
            "hit": 3,
            "found": 8,
            "percent": 37.5
          },
          "branches": {
            "hit": 1,
            "found": 2,
            "percent": 50.0
          },
          "functions": {
            "hit": 1,
            "found": 2,
            "percent": 50.0
          },
          "notes": []
        }
        exit 0
    "#]],
    );
    check(
        "summary nope.info",
        &expect![[r"
        error: LCOV file not found at path nope.info
        exit 1
    "]],
    );
    check(
        "summary change.diff",
        &expect![[r#"
        error: Failed to parse LCOV file: line 1 is not an LCOV record: "--- a/src/a.c"
        exit 1
    "#]],
    );
}

#[test]
fn files_and_gaps() {
    check(
        "files",
        &expect![[r"
        file     lines          
        src/a.c    1/5  20.0 %  ██▍░░░░░░░░░
        src/b.c    2/3  66.7 %  ████████░░░░
        exit 0
    "]],
    );
    check(
        "uncovered",
        &expect![[r"
            src/a.c
                         3     1 line   in used
                      7-10     3 lines  in unused, never called
              branches not taken at 2
            src/b.c
                         2     1 line 
            exit 0
        "]],
    );
    check(
        "uncovered --limit 1 --json",
        &expect![[r#"
        {
          "ranges": [
            {
              "path": "src/a.c",
              "start": 7,
              "end": 10,
              "lines": 3,
              "function": "unused",
              "neverCalled": true
            }
          ],
          "cutRanges": 2,
          "cutLines": 2
        }
        exit 0
    "#]],
    );
}

#[test]
fn patch() {
    check(
        "patch --diff change.diff",
        &expect![[r"
        file     changed          not run
        src/a.c      1/2  50.0 %  3
        1/2 of changed lines run: 50.0 %
        exit 0
    "]],
    );
    check(
        "patch --diff change.diff --markdown --fail-under 80",
        &expect![[r"
        **Changed lines that run: 1 of 2 (50.0 %)**

        | file | lines | not run |
        |---|--:|---|
        | `src/a.c` | 1/2 | 3 |
        failed: coverage of changed lines is 50.0 %, below the 80 % asked for
        exit 1
    "]],
    );
}

#[test]
fn two_reports() {
    check(
        "diff lcov.info more.info --fail-on-fall",
        &expect![[r"
        file     before  now         lost  gained
        src/b.c     2/3  1/1  +33.3     0       1
        src/a.c     1/5  0/0  -20.0     0       0
        37.5 % -> 100.0 %  +62.5
        exit 0
    "]],
    );
    check(
        "merge lcov.info more.info",
        &expect![[r"
        TN:
        SF:src/a.c
        FN:1,4,used
        FN:6,12,unused
        FNDA:2,used
        FNDA:0,unused
        FNF:2
        FNH:1
        BRDA:2,0,0,2
        BRDA:2,0,1,0
        BRF:2
        BRH:1
        DA:2,2
        DA:3,0
        DA:7,0
        DA:8,0
        DA:10,0
        LF:5
        LH:1
        end_of_record
        TN:
        SF:src/b.c
        DA:1,1
        DA:2,3
        DA:4,1
        LF:3
        LH:3
        end_of_record
        exit 0
    "]],
    );
}

#[test]
fn a_page_that_stands_alone() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let write =
        |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("written");
    write("a.c", "char *s = \"</script><script>alert(1)</script>\";\n");
    write("lcov.info", "SF:a.c\nDA:1,1\nend_of_record\n");
    assert_eq!(shown(root.path(), "html lcov.info -o page.html"), "wrote page.html\nexit 0\n");
    let page = std::fs::read_to_string(root.path().join("page.html")).expect("the page");
    assert!(!page.contains("<script>alert"), "a source must not end the page's data");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
    assert_eq!(data["files"][0]["source"], "char *s = \"</script><script>alert(1)</script>\";");
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
}
