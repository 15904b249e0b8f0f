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
        &expect![[r#"
                       hit          
            lines      4/8  50.0 %  ███████████████░░░░░░░░░░░░░░░
            branches   1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
            functions  1/2  50.0 %  ███████████████░░░░░░░░░░░░░░░
            2 files, LCOV
            failed: line coverage is 50.0 % (4 of 8), below the 75 % asked for
            exit 1
        "#]],
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
fn tests_and_targets() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let write =
        |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("written");
    write(
        "lcov.info",
        "TN:adds\nSF:./src/a.c\nDA:1,1\nDA:2,1\nDA:4,1\nend_of_record\nTN:removes\n\
        SF:src/a.c\nFN:1,9,_ZN3foo3barEi\nFNDA:0,_ZN3foo3barEi\nDA:1,0\nDA:4,1\nDA:9,0\nDA:12,0\nend_of_record\n",
    );
    write("more.info", "SF:b.c\nDA:1,0\nend_of_record\nSF:x/b.c\nDA:1,0\nend_of_record\n");
    let database = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../coverage/tests/fixtures/python/coverage.sqlite");
    std::fs::copy(database, root.path().join(".coverage")).expect("copied");
    let check = |arguments: &str, expected: &Expect| {
        expected.assert_eq(&shown(root.path(), arguments));
    };
    check(
        "tests src/a.c lcov.info",
        &expect![[r#"
        test     lines  which
        adds         3  1-2, 4
        removes      1  4
        exit 0
    "#]],
    );
    check(
        "tests src/a.c lcov.info --lines 2,9 --json",
        &expect![[r#"
        {
          "tests": [
            {
              "name": "adds",
              "linesRun": 1,
              "ranges": [
                {
                  "start": 2,
                  "end": 2
                }
              ]
            }
          ],
          "cutTests": 0,
          "ambiguous": [],
          "file": "./src/a.c",
          "rule": "exact"
        }
        exit 0
    "#]],
    );
    check(
        "tests src/a.c lcov.info --lines 9",
        &expect![[r#"
        no test runs these lines of ./src/a.c
        exit 0
    "#]],
    );
    check(
        "tests toolz/recipes.py --limit 2",
        &expect![[r#"
        test                           lines  which
        test_recipes.test_countby          3  21-23
        test_recipes.test_partitionby      1  46
        exit 0
    "#]],
    );
    check(
        "tests gone.c lcov.info",
        &expect![[r#"
        note: gone.c is not in the report
        exit 1
    "#]],
    );
    check(
        "tests a.c more.info",
        &expect![[r#"
        error: the report names no tests; LCOV needs TN records with a name (one run for each test), coverage.py a .coverage database made with dynamic_context = test_function
        exit 1
    "#]],
    );
    check(
        "tests src/a.c lcov.info --lines 9-2",
        &expect![[r#"
        error: invalid value '9-2' for '--lines <LINES>': a line or a range of lines is needed, such as 7 or 10-20

        For more information, try '--help'.
        exit 2
    "#]],
    );
    check(
        "targets lcov.info",
        &expect![[r#"
              1. foo::bar(int)
                 ./src/a.c:1
                 1 of 4 lines never ran
                 complexity unknown (no branches, no source)
                 recent changes unknown
              2. (code outside functions)
                 ./src/a.c:12
                 1 of 1 lines never ran
                 complexity unknown (no branches, no source)
                 recent changes unknown
            note: recent changes are unknown: git refused: not a git repository (or any of the parent directories): .git
            exit 0
        "#]],
    );
    check(
        "targets lcov.info --limit 1 --json",
        &expect![[r#"
            {
              "targets": [
                {
                  "path": "./src/a.c",
                  "span": {
                    "start": 1,
                    "end": 9
                  },
                  "lines": {
                    "hit": 3,
                    "found": 4,
                    "percent": 75.0
                  },
                  "complexity": 1,
                  "score": 1.0,
                  "reason": "1 of 4 lines never ran; complexity unknown (no branches, no source); recent changes unknown",
                  "function": "foo::bar(int)"
                }
              ],
              "cutTargets": 1
            }
            note: recent changes are unknown: git refused: not a git repository (or any of the parent directories): .git
            exit 0
        "#]],
    );
    check(
        "uncovered lcov.info",
        &expect![[r#"
            ./src/a.c
                         9     1 line   in foo::bar(int), never called
                        12     1 line 
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
        &expect![[r#"
            **Changed lines that run: 1 of 2 (50.0 %)**

            | file | lines | not run |
            |---|--:|---|
            | `src/a.c` | 1/2 | 3 |
            failed: coverage of changed lines is 50.0 % (1 of 2), below the 80 % asked for
            exit 1
        "#]],
    );
}

#[test]
fn a_diff_from_stdin() {
    let root = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(root.path().join("lcov.info"), REPORT).expect("written");
    let diff = "--- a/src/a.c\n+++ b/src/a.c\n@@ -1,0 +2,2 @@\n+x\n+y\n";
    std::fs::write(root.path().join("change.diff"), diff).expect("written");
    let command = |text: &str| -> String {
        let from = std::fs::File::open(root.path().join("change.diff")).expect("a diff");
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
        command.args(["coverage", "patch", "--diff", text]).current_dir(root.path()).stdin(from);
        String::from_utf8(command.output().expect("the binary runs").stdout).expect("text")
    };
    assert!(command("-").contains("1/2 of changed lines run"), "{}", command("-"));
    assert_eq!(command("-"), command("change.diff"));
}

#[test]
fn a_bound_is_held_against_the_exact_fraction() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let line = |n: u32| format!("DA:{n},{}\n", u8::from(n < 2400));
    let lines: String = (1..=3000).map(line).collect();
    std::fs::write(root.path().join("lcov.info"), format!("SF:a\n{lines}end_of_record\n"))
        .expect("written");
    for command in ["summary", "files"] {
        let shown = shown(root.path(), &format!("{command} lcov.info --fail-under 80"));
        assert!(shown.contains("is 80.0 % (2399 of 3000), below the 80 % asked for"), "{shown}");
        assert!(shown.ends_with("exit 1\n"), "{shown}");
    }
}

#[test]
fn json_leaves_no_file_out() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let files: Vec<_> = (0..150).map(|n| format!("SF:{n}.c\nDA:1,1\nend_of_record\n")).collect();
    std::fs::write(root.path().join("lcov.info"), files.concat()).expect("written");
    assert_eq!(shown(root.path(), "files --json").matches("\"path\"").count(), 150);
    assert_eq!(shown(root.path(), "files --json --limit 7").matches("\"path\"").count(), 7);
    assert!(shown(root.path(), "files").contains("and 50 more"));
}

#[test]
fn outside_a_repository() {
    check(
        "patch lcov.info --base main",
        &expect![[r#"
        error: Cannot compare with git: git refused: not a git repository (or any of the parent directories): .git
        exit 1
    "#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_can_not_be_written_is_a_failure() {
    let root = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(root.path().join("lcov.info"), REPORT).expect("written");
    for arguments in [&["coverage", "summary"][..], &["coverage", "merge", "lcov.info"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
        let output = command.args(arguments).current_dir(root.path()).stdout(full).output();
        let output = output.expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("could not be written to stdout: No space left"), "{said}");
    }
}

#[test]
fn two_reports() {
    check(
        "diff lcov.info more.info --fail-on-fall",
        &expect![[r#"
            file     before  now         lost  gained  new, not run
            src/b.c     2/3  1/1  +33.3     0       1             0
            src/a.c     1/5  0/0  -20.0     0       0             0
            37.5 % -> 100.0 %  +62.5
            note: the lines of src/b.c are compared by number: what the old report is about is not known; name its git revision with --base, or compare with a snapshot, to follow lines across edits
            exit 0
        "#]],
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

/// Two lines are put on top between two runs: with the sources of both sides known, only what really
/// changed is shown; without, the lines meet by number and the answer says so.
#[test]
fn edits_are_followed() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let write =
        |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("written");
    git(root.path(), "init -q");
    write("a.c", "int a() {\n  one();\n  two();\n  three();\n}\n");
    write("old.info", "SF:a.c\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,0\nend_of_record\n");
    git(root.path(), "add a.c");
    git(root.path(), "-c user.name=me -c user.email=me@example.org commit -qm first");
    let taken = call(root.path(), "start_coverage_snapshot", r#"{"lcovPath": "old.info"}"#);
    let taken: serde_json::Value = serde_json::from_str(&taken).expect("JSON");
    let id = taken["snapshotId"].as_str().expect("an id");
    write("a.c", "// new\nint b() { return 1; }\nint a() {\n  one();\n  two();\n  three();\n}\n");
    write("new.info", "SF:a.c\nDA:2,0\nDA:3,1\nDA:4,1\nDA:5,0\nDA:6,0\nend_of_record\n");

    let followed = expect![[r#"
        file  before  now         lost  gained  new, not run
        a.c      3/4  2/5  -35.0     1       0             1
        75.0 % -> 40.0 %  -35.0
        exit 0
    "#]];
    followed.assert_eq(&shown(root.path(), "diff old.info new.info --base HEAD"));
    followed.assert_eq(&shown(root.path(), &format!("diff {id} new.info")));
    expect![[r#"
        file  before  now         lost  gained  new, not run
        a.c      3/4  2/5  -35.0     1       1             2
        75.0 % -> 40.0 %  -35.0
        note: the lines of a.c are compared by number: what the old report is about is not known; name its git revision with --base, or compare with a snapshot, to follow lines across edits
        exit 0
    "#]].assert_eq(&shown(root.path(), "diff old.info new.info"));
    expect![[r#"
        file  before  now         lost  gained  new, not run
        a.c      3/4  2/5  -35.0     1       1             1
        75.0 % -> 40.0 %  -35.0
        exit 0
    "#]]
    .assert_eq(&shown(root.path(), "diff old.info new.info --base HEAD --head HEAD"));
    expect![[r#"
        error: "nowhere" is not a revision that git knows
        exit 1
    "#]]
    .assert_eq(&shown(root.path(), "diff old.info new.info --base nowhere"));
    expect![[r#"
        {
          "before": {
            "hit": 3,
            "found": 4,
            "percent": 75.0
          },
          "now": {
            "hit": 2,
            "found": 5,
            "percent": 40.0
          },
          "change": -35.0,
          "files": [
            {
              "path": "a.c",
              "before": {
                "hit": 3,
                "found": 4,
                "percent": 75.0
              },
              "now": {
                "hit": 2,
                "found": 5,
                "percent": 40.0
              },
              "change": -35.0,
              "followed": true,
              "lostCoverage": [
                5
              ],
              "newlyCovered": [],
              "newUncovered": [
                2
              ],
              "newCovered": [],
              "newlyExecutable": [],
              "removedCovered": 0,
              "removedUncovered": 0
            }
          ],
          "notes": []
        }
        exit 0
    "#]]
    .assert_eq(&shown(root.path(), "diff old.info new.info --base HEAD --json"));

    expect![[r#"
        wrote coverage.html
        note: the lines of a.c are compared by number: what the old report is about is not known; name its git revision with --base, or compare with a snapshot, to follow lines across edits
        exit 0
    "#]].assert_eq(&shown(root.path(), "html new.info --baseline old.info"));
    let change = ["lost", "gained", "fresh", "followed"];
    let marks = || {
        let page = std::fs::read_to_string(root.path().join("coverage.html")).expect("the page");
        let data =
            page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let data: serde_json::Value = serde_json::from_str(data.expect("data")).expect("JSON");
        change.map(|name| data["files"][0][name].to_string()).join(" ")
    };
    assert_eq!(marks(), "[2] [4] [5,6] false");
    shown(root.path(), "html new.info --baseline old.info --base HEAD");
    assert_eq!(marks(), "[5] [] [2] true");
    shown(root.path(), &format!("html new.info --baseline {id}"));
    assert_eq!(marks(), "[5] [] [2] true");
}

fn git(root: &Path, arguments: &str) {
    let git = Command::new("git").arg("-C").arg(root).args(arguments.split(' ')).status();
    assert!(git.expect("git runs").success());
}

fn call(root: &Path, tool: &str, arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofstone"));
    command.arg("--root").arg(root).args(["call", tool, arguments]);
    String::from_utf8_lossy(&command.output().expect("the binary runs").stdout).into_owned()
}

/// What someone without rights is told. The superuser may read and write everything, so where the
/// tests run as one, the program runs as nobody.
#[cfg(unix)]
#[test]
fn no_permission() {
    let nobody = Nobody::new();
    let root = nobody.directory("project", 0o755);
    let report = root.join("lcov.info");
    std::fs::write(&report, REPORT).expect("written");
    let temporary = nobody.directory("temporary", 0o777);
    let ask = |tool| nobody.call(&root, &temporary, tool);

    mode(&report, 0o644);
    assert!(ask("get_overall_coverage").contains("37.5"), "a report that may be read is read");
    assert!(ask("start_coverage_snapshot").contains("snapshotId"), "and a snapshot can be kept");

    mode(&report, 0o000);
    for tool in ["get_overall_coverage", "start_coverage_snapshot", "get_uncovered_lines"] {
        assert_eq!(ask(tool), "Error: Cannot read LCOV file: permission denied\n", "{tool}");
    }
    mode(&report, 0o644);

    let closed = nobody.directory("closed", 0o555);
    let told = nobody.call(&root, &closed, "start_coverage_snapshot");
    let expected = format!(
        "Error: Cannot create snapshot: temp dir not writable ({}/proofstone-snapshots-{})\n",
        closed.display(),
        nobody.user
    );
    assert_eq!(told, expected);
}

#[cfg(unix)]
fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).expect("the owner may change it");
}

/// The program as run by someone who owns nothing here.
#[cfg(unix)]
struct Nobody {
    place: tempfile::TempDir,
    program: std::path::PathBuf,
    user: u32,
    is_other: bool,
}

#[cfg(unix)]
impl Nobody {
    fn new() -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let place = tempfile::tempdir().expect("a temporary directory");
        mode(place.path(), 0o755);
        let me = std::fs::metadata(place.path()).expect("it is there").uid();
        // Nobody may not enter the directories above the built program, so it gets one of its own.
        let program = place.path().join("proofstone");
        let built = env!("CARGO_BIN_EXE_proofstone");
        let linked = std::fs::hard_link(built, &program);
        linked.or_else(|_| std::fs::copy(built, &program).map(drop)).expect("copied");
        let user = if me == 0 { 65_534 } else { me };
        Self { place, program, user, is_other: me == 0 }
    }

    fn directory(&self, name: &str, rights: u32) -> std::path::PathBuf {
        let path = self.place.path().join(name);
        std::fs::create_dir(&path).expect("a new directory");
        mode(&path, rights);
        path
    }

    fn call(&self, root: &Path, temporary: &Path, tool: &str) -> String {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new(&self.program);
        command.arg("--root").arg(root).args(["call", tool, r#"{"lcovPath": "lcov.info"}"#]);
        command.env("TMPDIR", temporary).env("HOME", temporary).current_dir("/");
        if self.is_other {
            // A new user id from the superuser also drops the other groups.
            command.uid(self.user).gid(self.user);
        }
        let output = command.output().expect("the program runs as nobody");
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&text).into_owned()
    }
}

#[test]
fn a_source_newer_than_the_report_is_said() {
    let root = tempfile::tempdir().expect("a temporary directory");
    let write =
        |name: &str, text: &str| std::fs::write(root.path().join(name), text).expect("written");
    write("lcov.info", "SF:a.c\nDA:1,1\nDA:2,0\nend_of_record\n");
    write("change.diff", "--- a/a.c\n+++ b/a.c\n@@ -1,0 +1,1 @@\n+x\n");
    let report = std::fs::File::options().write(true).open(root.path().join("lcov.info"));
    let earlier = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    report.expect("the report").set_modified(earlier).expect("an older report");
    write("a.c", "x\ny\n");
    expect![[r"
        file  changed           not run
        a.c       1/1  100.0 %
        1/1 of changed lines run: 100.0 %
        note: a.c changed after the report was written: run the tests again, or the figures speak of older code
        exit 0
    "]]
    .assert_eq(&shown(root.path(), "patch --diff change.diff"));
    let json = shown(root.path(), "patch --diff change.diff --json");
    assert!(json.contains("\"changedAfterReport\": [\n    \"a.c\"\n  ]"), "{json}");
}
