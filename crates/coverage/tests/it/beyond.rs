//! The tools beyond the contract.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::support::Project;

fn check(project: &Project, tool: &str, arguments: Value, expected: &Expect) {
    expected.assert_eq(&project.shown(tool, arguments));
}

const REPORT: &str = "SF:src/a.c\nFN:1,4,used\nFN:6,12,unused\nFNDA:2,used\nFNDA:0,unused\n\
    BRDA:2,0,0,2\nBRDA:2,0,1,0\nDA:2,2\nDA:3,0\nDA:7,0\nDA:8,0\nDA:10,0\nend_of_record\n\
    SF:src/b.c\nDA:1,1\nDA:2,0\nDA:4,1\nend_of_record\n";

#[test]
fn uncovered_lines() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    check(
        &project,
        "get_uncovered_lines",
        json!({ "lcovPath": "lcov.info" }),
        &expect![[r#"
        {
          "lines": {
            "hit": 3,
            "found": 8,
            "percent": 37.5
          },
          "files": [
            {
              "path": "src/a.c",
              "lines": {
                "hit": 1,
                "found": 5,
                "percent": 20
              },
              "ranges": [
                {
                  "start": 3,
                  "end": 3,
                  "lines": 1,
                  "function": "used"
                },
                {
                  "start": 7,
                  "end": 10,
                  "lines": 3,
                  "function": "unused",
                  "neverCalled": true
                }
              ],
              "branches": [
                {
                  "line": 2,
                  "missed": 1,
                  "found": 2
                }
              ]
            },
            {
              "path": "src/b.c",
              "lines": {
                "hit": 2,
                "found": 3,
                "percent": 66.7
              },
              "ranges": [
                {
                  "start": 2,
                  "end": 2,
                  "lines": 1
                }
              ],
              "branches": []
            }
          ],
          "notInReport": []
        }
    "#]],
    );
    let budget = json!({ "lcovPath": "lcov.info", "maxRanges": 1, "filePaths": ["a.c", "x.c"] });
    check(
        &project,
        "get_uncovered_lines",
        budget,
        &expect![[r#"
        {
          "lines": {
            "hit": 1,
            "found": 5,
            "percent": 20
          },
          "files": [
            {
              "path": "src/a.c",
              "lines": {
                "hit": 1,
                "found": 5,
                "percent": 20
              },
              "ranges": [
                {
                  "start": 7,
                  "end": 10,
                  "lines": 3,
                  "function": "unused",
                  "neverCalled": true
                }
              ],
              "branches": [
                {
                  "line": 2,
                  "missed": 1,
                  "found": 2
                }
              ]
            }
          ],
          "cut": {
            "ranges": 1,
            "lines": 1,
            "branchLines": 0
          },
          "notInReport": [
            "x.c"
          ]
        }
    "#]],
    );
}

/// A section with LF/LH only names no line: nothing may be said about any of them.
#[test]
fn totals_only() {
    let project = Project::new();
    project
        .write("lcov.info", "SF:a.c\nLF:10\nLH:7\nend_of_record\nSF:b.c\nDA:1,1\nend_of_record\n");
    check(
        &project,
        "get_uncovered_lines",
        json!({ "lcovPath": "lcov.info" }),
        &expect![[r#"
        {
          "lines": {
            "hit": 8,
            "found": 11,
            "percent": 72.7
          },
          "files": [],
          "notInReport": []
        }
        Note: sections with LF/LH only: the summary was used (line 4)
        Note: a.c: 3 lines did not run, and the report does not say which (it has only totals)
    "#]],
    );
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -1,0 +2,2 @@\n+x\n+y\n";
    let patch =
        project.answer("get_patch_coverage", json!({ "lcovPath": "lcov.info", "diff": diff }));
    assert_eq!(patch["lines"]["notInReport"], 2);
    assert_eq!(patch["lines"]["notExecutable"], 0);
}

#[test]
fn several_reports_are_united() {
    let project = Project::new();
    let absolute = project.root().join("src/b.c");
    let more = format!("SF:{}\nDA:2,9\nDA:5,0\nend_of_record\n", absolute.display());
    project.write("lcov.info", REPORT).write("more.info", more);
    let ask =
        json!({ "lcovPath": "lcov.info", "alsoReports": ["more.info"], "filePaths": ["src/b.c"] });
    check(
        &project,
        "get_uncovered_lines",
        ask,
        &expect![[r#"
        {
          "lines": {
            "hit": 3,
            "found": 4,
            "percent": 75
          },
          "files": [
            {
              "path": "src/b.c",
              "lines": {
                "hit": 3,
                "found": 4,
                "percent": 75
              },
              "ranges": [
                {
                  "start": 5,
                  "end": 5,
                  "lines": 1
                }
              ],
              "branches": []
            }
          ],
          "notInReport": []
        }
    "#]],
    );
}

#[test]
fn patch_coverage_of_a_given_diff() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    let diff = "--- a/src/a.c\n+++ b/src/a.c\n@@ -1,0 +2,3 @@\n+x\n+y\n+// z\n\
                --- /dev/null\n+++ b/src/new.c\n@@ -0,0 +1,2 @@\n+a\n+b\n";
    let ask = json!({ "lcovPath": "lcov.info", "diff": diff });
    check(
        &project,
        "get_patch_coverage",
        ask,
        &expect![[r#"
        {
          "comparedWith": "the given diff",
          "percent": 50,
          "lines": {
            "covered": 1,
            "uncovered": 1,
            "notExecutable": 1,
            "notInReport": 2
          },
          "branches": {
            "hit": 1,
            "found": 2,
            "percent": 50
          },
          "functions": {
            "hit": 1,
            "found": 1,
            "percent": 100
          },
          "files": [
            {
              "path": "src/a.c",
              "lines": {
                "covered": 1,
                "uncovered": 1,
                "notExecutable": 1,
                "notInReport": 0
              },
              "uncovered": [
                {
                  "start": 3,
                  "end": 3
                }
              ],
              "uncalledFunctions": []
            },
            {
              "path": "src/new.c",
              "lines": {
                "covered": 0,
                "uncovered": 0,
                "notExecutable": 0,
                "notInReport": 2
              },
              "uncovered": [],
              "uncalledFunctions": []
            }
          ],
          "notInReport": [
            "src/new.c"
          ],
          "cutRanges": 0
        }
    "#]],
    );
    let no_diff = json!({ "lcovPath": "lcov.info", "diff": "hello" });
    check(
        &project,
        "get_patch_coverage",
        no_diff,
        &expect![[r"
        Error: Cannot read the diff: the text is no unified diff: it has no `---`/`+++` or `diff --git` line
    "]],
    );
    let both = json!({ "lcovPath": "lcov.info", "diff": "", "base": "main" });
    check(
        &project,
        "get_patch_coverage",
        both,
        &expect![[r"
        Error: give at most one of base, staged and diff
    "]],
    );
}

#[test]
fn patch_coverage_from_git() {
    let project = Project::new();
    let lines =
        |count: u32| (1..=count).fold(String::new(), |all, line| format!("{all}line {line}\n"));
    project.git(&["init", "-q"]).write("src/old.c", lines(12)).write(".gitignore", "*.info\n");
    project.git(&["add", "."]).git(&["commit", "-qm", "one"]).git(&["tag", "start"]);
    project.git(&["mv", "src/old.c", "src/a.c"]).git(&["commit", "-qm", "two"]);
    project.write("src/a.c", lines(2) + "new 3\n" + &lines(12)[14..]).write("src/b.c", "1\n2\n");
    project.write("lcov.info", REPORT);
    let ask = |more: Value| {
        let mut ask = json!({ "lcovPath": "lcov.info" });
        ask.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        ask
    };
    check(
        &project,
        "get_patch_coverage",
        ask(json!({})),
        &expect![[r#"
        {
          "comparedWith": "HEAD",
          "percent": 33.3,
          "lines": {
            "covered": 1,
            "uncovered": 2,
            "notExecutable": 0,
            "notInReport": 0
          },
          "branches": {
            "hit": 0,
            "found": 0,
            "percent": 0
          },
          "functions": {
            "hit": 1,
            "found": 1,
            "percent": 100
          },
          "files": [
            {
              "path": "src/a.c",
              "lines": {
                "covered": 0,
                "uncovered": 1,
                "notExecutable": 0,
                "notInReport": 0
              },
              "uncovered": [
                {
                  "start": 3,
                  "end": 3
                }
              ],
              "uncalledFunctions": []
            },
            {
              "path": "src/b.c",
              "lines": {
                "covered": 1,
                "uncovered": 1,
                "notExecutable": 0,
                "notInReport": 0
              },
              "uncovered": [
                {
                  "start": 2,
                  "end": 2
                }
              ],
              "uncalledFunctions": []
            }
          ],
          "notInReport": [],
          "cutRanges": 0
        }
        Note: src/b.c may be stale: the report has line 4, the source ends at line 2
    "#]],
    );
    check(
        &project,
        "get_patch_coverage",
        ask(json!({ "base": "start" })),
        &expect![[r#"
        {
          "comparedWith": "start",
          "percent": 33.3,
          "lines": {
            "covered": 1,
            "uncovered": 2,
            "notExecutable": 0,
            "notInReport": 0
          },
          "branches": {
            "hit": 0,
            "found": 0,
            "percent": 0
          },
          "functions": {
            "hit": 1,
            "found": 1,
            "percent": 100
          },
          "files": [
            {
              "path": "src/a.c",
              "renamedFrom": "src/old.c",
              "lines": {
                "covered": 0,
                "uncovered": 1,
                "notExecutable": 0,
                "notInReport": 0
              },
              "uncovered": [
                {
                  "start": 3,
                  "end": 3
                }
              ],
              "uncalledFunctions": []
            },
            {
              "path": "src/b.c",
              "lines": {
                "covered": 1,
                "uncovered": 1,
                "notExecutable": 0,
                "notInReport": 0
              },
              "uncovered": [
                {
                  "start": 2,
                  "end": 2
                }
              ],
              "uncalledFunctions": []
            }
          ],
          "notInReport": [],
          "cutRanges": 0
        }
        Note: src/b.c may be stale: the report has line 4, the source ends at line 2
    "#]],
    );
    check(
        &project,
        "get_patch_coverage",
        ask(json!({ "staged": true })),
        &expect![[r#"
        {
          "comparedWith": "HEAD (staged changes)",
          "lines": {
            "covered": 0,
            "uncovered": 0,
            "notExecutable": 0,
            "notInReport": 0
          },
          "branches": {
            "hit": 0,
            "found": 0,
            "percent": 0
          },
          "functions": {
            "hit": 0,
            "found": 0,
            "percent": 0
          },
          "files": [],
          "notInReport": [],
          "cutRanges": 0
        }
    "#]],
    );
    check(
        &project,
        "get_patch_coverage",
        ask(json!({ "base": "nowhere" })),
        &expect![[r"
        Error: Cannot compare with git: git refused: bad revision 'nowhere'
    "]],
    );
    check(
        &project,
        "get_patch_coverage",
        ask(json!({ "base": "--output=x" })),
        &expect![[r#"
        Error: Cannot compare with git: "--output=x" is not a revision that git knows
    "#]],
    );
}

#[test]
fn changes_are_followed_across_edits() {
    let project = Project::new();
    project.write("src/a.c", "one\ntwo\nthree\nfour\n");
    project.write("lcov.info", "SF:src/a.c\nDA:1,1\nDA:2,1\nDA:3,0\nDA:4,1\nend_of_record\n");
    let started = project.answer("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    // Two lines were put before `two`, which lost its test; `three` has one now; `four` is gone.
    project.write("src/a.c", "one\nnew\nnewer\ntwo\nthree\n");
    project
        .write("lcov.info", "SF:src/a.c\nDA:1,1\nDA:2,0\nDA:3,1\nDA:4,0\nDA:5,2\nend_of_record\n");
    let ask = json!({ "snapshotId": started["snapshotId"], "lcovPath": "lcov.info" });
    check(
        &project,
        "explain_coverage_change",
        ask,
        &expect![[r#"
        {
          "before": {
            "hit": 3,
            "found": 4,
            "percent": 75
          },
          "now": {
            "hit": 3,
            "found": 5,
            "percent": 60
          },
          "change": -15,
          "totals": {
            "lostCoverage": 1,
            "newUncovered": 1,
            "newCovered": 1,
            "newlyCovered": 1,
            "newlyExecutable": 0,
            "removedCovered": 1,
            "removedUncovered": 0
          },
          "files": [
            {
              "path": "src/a.c",
              "followed": true,
              "lostCoverage": [
                {
                  "start": 4,
                  "end": 4
                }
              ],
              "newUncovered": [
                {
                  "start": 2,
                  "end": 2
                }
              ],
              "newlyCovered": [
                {
                  "start": 5,
                  "end": 5
                }
              ],
              "newlyExecutable": [],
              "removedCovered": 1,
              "removedUncovered": 0
            }
          ],
          "cutRanges": 0
        }
    "#]],
    );
}

#[test]
fn a_renamed_file_is_followed() {
    let project = Project::new();
    project.write("src/a.c", "one\ntwo\nthree\n");
    project.write("lcov.info", "SF:src/a.c\nDA:1,1\nDA:2,1\nend_of_record\n");
    let started = project.answer("start_coverage_snapshot", json!({ "lcovPath": "lcov.info" }));
    std::fs::rename(project.root().join("src/a.c"), project.root().join("src/z.c"))
        .expect("renamed");
    project.write("lcov.info", "SF:src/z.c\nDA:1,1\nDA:2,0\nend_of_record\n");
    let ask = json!({ "snapshotId": started["snapshotId"], "lcovPath": "lcov.info" });
    let answer = project.answer("explain_coverage_change", ask);
    assert_eq!(answer["files"][0]["renamedFrom"], "src/a.c");
    assert_eq!(answer["totals"]["lostCoverage"], 1);
}

#[test]
fn tests_by_name() {
    let project = Project::new();
    project.write(
        "lcov.info",
        "TN:first\nSF:a.c\nDA:1,1\nDA:2,0\nend_of_record\nTN:second\nSF:a.c\nDA:1,1\nDA:2,1\nend_of_record\n",
    );
    let lines = |start: u32, end: u32| json!({ "lcovPath": "lcov.info", "filePath": "a.c", "lines": [{ "start": start, "end": end }] });
    check(
        &project,
        "find_tests_for_lines",
        lines(2, 9),
        &expect![[r#"
        {
          "file": "a.c",
          "rule": "exact",
          "ambiguous": [],
          "tests": [
            {
              "name": "second",
              "linesRun": 1,
              "ranges": [
                {
                  "start": 2,
                  "end": 2
                }
              ]
            }
          ],
          "cutTests": 0
        }
    "#]],
    );
    check(
        &project,
        "find_tests_for_lines",
        lines(1, 1),
        &expect![[r#"
        {
          "file": "a.c",
          "rule": "exact",
          "ambiguous": [],
          "tests": [
            {
              "name": "first",
              "linesRun": 1,
              "ranges": [
                {
                  "start": 1,
                  "end": 1
                }
              ]
            },
            {
              "name": "second",
              "linesRun": 1,
              "ranges": [
                {
                  "start": 1,
                  "end": 1
                }
              ]
            }
          ],
          "cutTests": 0
        }
    "#]],
    );
    project.write("plain.info", "SF:a.c\nDA:1,1\nend_of_record\n");
    let plain = json!({ "lcovPath": "plain.info", "filePath": "a.c" });
    check(
        &project,
        "find_tests_for_lines",
        plain,
        &expect![[r"
        Error: Cannot tell which tests ran: the report names no tests; LCOV needs TN records with a name (one run for each test), coverage.py a .coverage database made with dynamic_context = test_function
    "]],
    );
}

#[test]
fn tests_from_a_coverage_py_database() {
    let project = Project::new();
    project.write(".coverage", include_bytes!("../fixtures/python/coverage.sqlite"));
    let ask = json!({
        "lcovPath": ".coverage", "filePath": "toolz/recipes.py",
        "lines": [{ "start": 30, "end": 46 }], "maxTests": 3
    });
    check(
        &project,
        "find_tests_for_lines",
        ask,
        &expect![[r#"
        {
          "file": "toolz/recipes.py",
          "rule": "exact",
          "ambiguous": [],
          "tests": [
            {
              "name": "test_recipes.test_partitionby",
              "linesRun": 1,
              "ranges": [
                {
                  "start": 46,
                  "end": 46
                }
              ]
            }
          ],
          "cutTests": 0
        }
    "#]],
    );
    check(
        &project,
        "get_overall_coverage",
        json!({ "lcovPath": ".coverage" }),
        &expect![[r"
        Error: Failed to parse LCOV file: a coverage.py database says which lines ran but not which could have run; make a report of it with `coverage lcov` or `coverage json` and use that
    "]],
    );
}

#[test]
fn targets() {
    let project = Project::new();
    project.write("lcov.info", REPORT);
    let ask = json!({ "lcovPath": "lcov.info", "maxTargets": 2 });
    check(
        &project,
        "suggest_test_targets",
        ask,
        &expect![[r#"
            {
              "targets": [
                {
                  "path": "src/a.c",
                  "function": "unused",
                  "span": {
                    "start": 6,
                    "end": 12
                  },
                  "lines": {
                    "hit": 0,
                    "found": 3,
                    "percent": 0
                  },
                  "complexity": 1,
                  "score": 3.0,
                  "reason": "3 of 3 lines never ran; complexity 1 (branches in the report); recent changes unknown"
                },
                {
                  "path": "src/a.c",
                  "function": "used",
                  "span": {
                    "start": 1,
                    "end": 4
                  },
                  "lines": {
                    "hit": 1,
                    "found": 2,
                    "percent": 50
                  },
                  "complexity": 2,
                  "score": 2.0,
                  "reason": "1 of 2 lines never ran; complexity 2 (branches in the report); recent changes unknown"
                }
              ],
              "cutTargets": 1,
              "notInReport": []
            }
            Note: recent changes are unknown: git refused: not a git repository (or any of the parent directories): .git
        "#]],
    );
}
