//! One real test run, reported in several formats, is the same run whatever the format.
//! `fixtures/regenerate.sh` makes the reports from real packages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use expect_test::{Expect, expect};
use proofstone_coverage::database::Database;
use proofstone_coverage::library::Library;
use proofstone_coverage::open::Place;
use proofstone_coverage::ratio::Ratio;
use proofstone_coverage::report::Report;

fn read(name: &str) -> std::sync::Arc<Report> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let place = Place::new(fixtures, false);
    Library::default().report(&place, name).expect("a fixture can be read").report
}

/// Every line and whether it ran, by file name.
fn lines(report: &Report) -> BTreeMap<String, Vec<(u32, bool)>> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let ran = |file: &proofstone_coverage::report::File| {
        file.coverage.lines.iter().map(|(line, hits)| (line, hits > 0)).collect()
    };
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
