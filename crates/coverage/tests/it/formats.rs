//! One real test run, reported in several formats, is the same run whatever the format.
//! `fixtures/regenerate.sh` makes the reports from real packages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use expect_test::{Expect, expect};
use proofstone_coverage::database::Database;
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;
use proofstone_coverage::ratio::Ratio;
use proofstone_coverage::report::{File, Report};

fn read(name: &str) -> std::sync::Arc<Report> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let place = Place::new(fixtures, false);
    Library::default().report(&place, name).expect("a fixture can be read").report
}

/// Every line and whether it ran, by file name.
fn lines(report: &Report) -> BTreeMap<String, Vec<(u32, bool)>> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let ran =
        |file: &File| file.coverage.lines.iter().map(|(line, hits)| (line, hits > 0)).collect();
    report.files.iter().map(|file| (name(&file.path), ran(file))).collect()
}

/// Covered and all, by what is counted, over all classes.
fn jacoco_sums() -> BTreeMap<String, Ratio> {
    let csv = include_str!("../fixtures/jacoco/jacoco.csv");
    let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let heads = rows.next().expect("a row of heads");
    let mut sums: BTreeMap<String, Ratio> = BTreeMap::new();
    for (head, cell) in rows.flat_map(|row| heads.clone().into_iter().zip(row)) {
        let Some((what, which)) = head.rsplit_once('_') else { continue };
        let count: u64 = cell.parse().expect("a number");
        let hit = if which == "COVERED" { count } else { 0 };
        *sums.entry(what.to_owned()).or_default() += Ratio::new(hit, count);
    }
    sums
}

/// All reports say the same about every line; the figures of each are shown.
fn check(names: &[&str], expected: &Expect) {
    let first = lines(&read(names[0]));
    let mut shown = String::new();
    for name in names {
        let report = read(name);
        assert_eq!(lines(&report), first, "{name} and {}", names[0]);
        shown += &figures(name, &report);
    }
    expected.assert_eq(&shown);
}

fn figures(name: &str, report: &Report) -> String {
    let (l, b, f) = (report.lines(), report.branches(), report.functions());
    format!(
        "{name} ({}): lines {}/{} {}%, branches {}/{}, functions {}/{}\n",
        report.format,
        l.hit,
        l.found,
        l.percent(),
        b.hit,
        b.found,
        f.hit,
        f.found
    )
}

#[test]
fn coverage_py() {
    check(
        &["python/coverage.json", "python/coverage.xml", "python/lcov.info"],
        &expect![[r"
            python/coverage.json (coverage.py JSON): lines 113/121 93.4%, branches 40/44, functions 16/17
            python/coverage.xml (Cobertura XML): lines 113/121 93.4%, branches 40/44, functions 0/0
            python/lcov.info (LCOV): lines 113/121 93.4%, branches 40/44, functions 16/17
        "]],
    );
}

#[test]
fn nyc() {
    let names = ["coverage-final.json", "clover.xml", "cobertura.xml", "lcov.info"];
    check(
        &names.map(|name| format!("nyc/{name}")).each_ref().map(String::as_str),
        &expect![[r"
        nyc/coverage-final.json (Istanbul JSON): lines 130/132 98.5%, branches 139/145, functions 21/21
        nyc/clover.xml (Clover XML): lines 130/132 98.5%, branches 118/124, functions 0/0
        nyc/cobertura.xml (Cobertura XML): lines 130/132 98.5%, branches 118/124, functions 21/21
        nyc/lcov.info (LCOV): lines 130/132 98.5%, branches 139/145, functions 21/21
    "]],
    );
}

#[test]
fn c8() {
    let names = ["coverage-final.json", "clover.xml", "cobertura.xml", "lcov.info"];
    check(
        &names.map(|name| format!("c8/{name}")).each_ref().map(String::as_str),
        &expect![[r"
            c8/coverage-final.json (Istanbul JSON): lines 259/263 98.5%, branches 131/136, functions 8/8
            c8/clover.xml (Clover XML): lines 259/263 98.5%, branches 131/136, functions 0/0
            c8/cobertura.xml (Cobertura XML): lines 259/263 98.5%, branches 131/136, functions 8/8
            c8/lcov.info (LCOV): lines 259/263 98.5%, branches 131/136, functions 8/8
        "]],
    );
}

#[test]
fn llvm_cov() {
    check(
        &["c/llvm.json", "c/llvm.info"],
        &expect![[r"
        c/llvm.json (llvm-cov JSON): lines 271/381 71.1%, branches 96/190, functions 10/18
        c/llvm.info (LCOV): lines 271/381 71.1%, branches 96/190, functions 10/18
    "]],
    );
}

#[test]
fn gcc_through_lcov() {
    check(
        &["c/gcc.info"],
        &expect![[r"
        c/gcc.info (LCOV): lines 179/268 66.8%, branches 88/178, functions 9/17
    "]],
    );
}

/// The `.coverage` database of the same run: it knows no lines that could have run, but those that did
/// are the ones of the reports.
#[test]
fn coverage_py_database() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let database = Database::open(&fixtures.join("python/coverage.sqlite")).expect("it opens");
    let files: BTreeMap<String, i64> = database
        .files()
        .expect("it has files")
        .into_iter()
        .map(|(id, path)| (path.rsplit('/').next().unwrap_or(&path).to_owned(), id))
        .collect();
    for (name, lines) in lines(&read("python/lcov.info")) {
        let by_test = database.lines_by_test(files[&name]).expect("it can be asked");
        let ran: BTreeSet<u32> = by_test.into_values().flatten().collect();
        for (line, hit) in lines {
            assert_eq!(ran.contains(&line), hit, "{name}:{line}");
        }
    }
}

/// JaCoCo's own sums of the same run stand in the CSV beside it.
#[test]
fn jacoco() {
    let (report, sums) = (read("jacoco/jacoco.xml"), jacoco_sums());
    let found = [report.lines(), report.branches(), report.functions()];
    assert_eq!(found, ["LINE", "BRANCH", "METHOD"].map(|what| sums[what]));
    check(
        &["jacoco/jacoco.xml"],
        &expect![[r"
        jacoco/jacoco.xml (JaCoCo XML): lines 11/19 57.9%, branches 5/10, functions 3/5
    "]],
    );
}

#[test]
fn go() {
    check(
        &["go/cover.out"],
        &expect![[r"
        go/cover.out (Go cover profile): lines 294/320 91.9%, branches 0/0, functions 0/0
    "]],
    );
}

/// A report written by hand, as its files and figures; or why it is refused.
fn check_text(text: &str, expected: &Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("report"), text).expect("a report");
    let place = Place::new(folder.path(), false);
    let shown = match Library::default().report(&place, "report") {
        Err(error) => format!("{error}\n"),
        Ok(read) => {
            let file = |file: &File| {
                let names = file.coverage.functions.iter().map(|f| f.aliases[0].name.to_string());
                let lines = file.lines();
                format!(
                    "{} {}/{} {:?}\n",
                    file.path,
                    lines.hit,
                    lines.found,
                    names.collect::<Vec<_>>()
                )
            };
            let notes = read.report.notes.iter().map(|note| format!("{note}\n"));
            read.report.files.iter().map(file).chain(notes).collect()
        }
    };
    expected.assert_eq(&shown);
}

const COBERTURA: &str = r#"<coverage lines-covered="1" lines-valid="2">
<sources><source>
  /a &amp; b/src
</source></sources><packages><package><classes><class filename="m&amp;x.php"><methods>
<method name="add" signature="int $a"><lines><line number="1" hits="1"/></lines></method>
<method name="push" signature="(int)"><lines><line number="2" hits="0"/></lines></method>
</methods><lines><line number="1" hits="1"/><line number="2" hits="0"/></lines></class></classes></package></packages></coverage>"#;

#[test]
fn cobertura_folders_and_names() {
    check_text(
        COBERTURA,
        &expect![[r#"
        /a & b/src/m&x.php 1/2 ["add", "push(int)"]
    "#]],
    );
    check_text(
        &format!("\u{feff}{COBERTURA}"),
        &expect![[r#"
        /a & b/src/m&x.php 1/2 ["add", "push(int)"]
    "#]],
    );
}

#[test]
fn cobertura_totals_that_disagree_are_told() {
    check_text(
        &COBERTURA.replace("lines-valid=\"2\"", "lines-valid=\"3\""),
        &expect![[r#"
        /a & b/src/m&x.php 1/2 ["add", "push(int)"]
        the report's own totals say 1 of 3 lines
    "#]],
    );
    check_text(
        &COBERTURA.replace("lines-valid=\"2\"", "lines-valid=\"0\""),
        &expect![[r#"
        /a & b/src/m&x.php 1/2 ["add", "push(int)"]
    "#]],
    );
}

const ISTANBUL: &str = r#"{"a.js": {"path": "a.js", "statementMap": {"0": {"start": {"line": 1}, "end": {"line": 1}}}, "s": {"0": 1}},
"b.js": {"data": {"path": "b.js", "statementMap": {"0": {"start": {"line": 1}, "end": {"line": 1}}}, "s": {"0": 0}}}}"#;

#[test]
fn no_file_of_an_istanbul_report_is_lost() {
    check_text(
        ISTANBUL,
        &expect![[r#"
        a.js 1/1 []
        b.js 0/1 []
    "#]],
    );
    check_text(
        &format!("\u{feff}{ISTANBUL}"),
        &expect![[r#"
        a.js 1/1 []
        b.js 0/1 []
    "#]],
    );
    check_text(
        &ISTANBUL.replace("{\"0\": 0}", "{\"0\": null}"),
        &expect![[r#"
        Failed to parse LCOV file: Istanbul JSON can't be read: invalid type: null, expected f64 at line 2 column 116
    "#]],
    );
    check_text(
        &ISTANBUL.replace("{\"data\"", "{\"date\""),
        &expect![[r#"
        Failed to parse LCOV file: Istanbul JSON can't be read: b.js has no statementMap
    "#]],
    );
}

#[test]
fn jacoco_modules_with_files_of_one_name() {
    let module = |name: &str, file: &str, counts: &str| {
        format!(
            "<group name=\"{name}\"><package name=\"com/x\"><sourcefile name=\"{file}\">\
             <line nr=\"1\" {counts}/></sourcefile></package></group>"
        )
    };
    let (ran, missed) =
        ("mi=\"0\" ci=\"2\" mb=\"0\" cb=\"0\"", "mi=\"2\" ci=\"0\" mb=\"0\" cb=\"0\"");
    let report = [
        "<report name=\"all\">",
        &module("a", "Main.java", ran),
        &module("b", "Main.java", missed),
        &module("b", "Other.java", missed),
        "</report>",
    ];
    check_text(
        &report.concat(),
        &expect![[r#"
        a/com/x/Main.java 1/1 []
        b/com/x/Main.java 0/1 []
        com/x/Other.java 0/1 []
        JaCoCo counts instructions: a line's hits are its instructions that ran
        1 files have the same package and name in several modules (such as com/x/Main.java): their paths begin with the module's name, and they are counted apart
    "#]],
    );
    check_text(
        &report.concat().replace(ran, ""),
        &expect![[r#"
        Failed to parse LCOV file: JaCoCo XML can't be read at byte 101: <line> has neither mi nor ci, so the report does not say which lines ran; use the Cobertura or LCOV output of the same tool
    "#]],
    );
}

#[test]
fn clover_leaves_out_the_tests_themselves() {
    let report = r#"<coverage><project><file name="A.java"><line num="1" type="method" signature="run() : void" count="1"/>
        <line num="2" type="stmt" count="1"/></file></project>
        <testproject><file name="ATest.java"><line num="1" type="stmt" count="1"/></file></testproject></coverage>"#;
    check_text(
        report,
        &expect![[r#"
        A.java 1/1 ["run() : void"]
        the tests' own code is left out, as in Clover's totals
    "#]],
    );
}

#[test]
fn an_empty_go_body_is_no_line() {
    check_text(
        "mode: set\na.go:1.10,3.2 1 1\na.go:5.20,5.22 0 0\n",
        &expect![[r#"
        a.go 3/3 []
        Go profiles count statements; lines were taken from their blocks
    "#]],
    );
}

#[test]
fn branches_of_two_formats_are_said_to_be_counted_apart() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python");
    let place = Place::new(fixtures, false);
    let library = Library::default();
    let united = |other: &str| library.union(&place, "lcov.info", &[other.to_owned()]);
    let two = united("coverage.json").expect("both can be read").report;
    assert!(
        two.notes
            .iter()
            .any(|note| note.starts_with("LCOV and coverage.py JSON name the branches")),
        "{:?}",
        two.notes
    );
    let one = united("lcov.info").expect("it can be read").report;
    assert_eq!(one.notes, Vec::<String>::new());
}

#[test]
fn what_to_use_instead_of_json_that_is_not_read() {
    check_text(
        r#"{"gcovr/format_version": "0.14", "files": []}"#,
        &expect![[r#"
        Failed to parse LCOV file: invalid format: the file is gcovr's own JSON; use its --lcov or --cobertura output
    "#]],
    );
    check_text(
        r#"{"RSpec": {"coverage": {"/p/lib.rb": {"lines": [1, null, 0]}}, "timestamp": 1}}"#,
        &expect![[r#"
            Failed to parse LCOV file: invalid format: the file is a SimpleCov result set; use the LCOV that simplecov-lcov writes
        "#]],
    );
    check_text(
        r#"{"files": [{"path": ["/", "a.rs"], "traces": [], "covered": 0}]}"#,
        &expect![[r#"
            Failed to parse LCOV file: invalid format: the file is tarpaulin's own JSON; use its --out Lcov
        "#]],
    );
    check_text(
        r#"{"hello": 1, "coverage": null}"#,
        &expect![[r#"
        Failed to parse LCOV file: invalid format: the file looks like JSON, but not like a report of Istanbul, coverage.py or llvm-cov
    "#]],
    );
}
