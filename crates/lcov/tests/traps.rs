//! Every odd thing seen in real tracefiles: the right numbers, or a refusal that says why.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proofstone_lcov::{Totals, Tracefile};

/// Reads with both readers, which must agree, and shows lines, functions, branches and notes.
fn check(input: impl AsRef<[u8]>, expected: &Expect) {
    expected.assert_eq(&shown(input.as_ref()));
}

fn shown(input: &[u8]) -> String {
    let totals = Totals::read(input);
    let trace = match Tracefile::read(input) {
        Ok(trace) => trace,
        Err(error) => {
            assert_eq!(totals.expect_err("both refuse").to_string(), error.to_string());
            return format!("error: {error}\n");
        }
    };
    let totals = totals.expect("both accept");
    let mut text = String::new();
    for note in trace.notes.iter() {
        writeln!(text, "note: {note}").expect("a string takes it");
    }
    let declared = trace.declared;
    let sections = trace.without_tests().sections;
    let sum = sections.iter().map(|s| s.coverage.lines_found()).sum::<u64>();
    assert_eq!(
        (totals.found, totals.files.len(), totals.declared),
        (sum, sections.len(), declared)
    );
    for (section, file) in sections.iter().zip(&totals.files) {
        let c = &section.coverage;
        assert_eq!((file.found, file.hit), (c.lines_found(), c.lines_hit()), "{}", section.path);
        assert_eq!(file.last_line, c.lines.last().unwrap_or(0));
        let (functions, branches) = (c.functions_hit_and_found(), c.branches_hit_and_found());
        writeln!(
            text,
            "{} lines {}/{} functions {}/{} branches {}/{}",
            section.path, file.hit, file.found, functions.0, functions.1, branches.0, branches.1
        )
        .expect("a string takes it");
    }
    text
}

#[test]
fn plain() {
    check(
        "TN:t\nSF:src/a.c\nFN:1,main\nFNDA:3,main\nFNF:1\nFNH:1\nBRDA:2,0,0,1\nBRDA:2,0,1,-\n\
         BRF:2\nBRH:1\nDA:1,3\nDA:2,0\nLF:2\nLH:1\nend_of_record\n",
        &expect![[r"
            src/a.c lines 1/2 functions 1/1 branches 1/2
        "]],
    );
}

#[test]
fn no_summary() {
    check(
        "SF:a\nDA:1,1\nDA:2,0\nend_of_record\n",
        &expect![[r"
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn summary_only() {
    check(
        "SF:a\nLF:10\nLH:7\nend_of_record\n",
        &expect![[r"
        note: sections with LF/LH only: the summary was used (line 4)
        a lines 7/10 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nLF:10\nLH:11\nend_of_record\n",
        &expect![[r#"
        error: line 4: the section has no DA records and its LH exceeds its LF: "end_of_record"
    "#]],
    );
    check(
        "SF:a\nLF:10\nend_of_record\n",
        &expect![[r#"
        error: line 3: the section has no DA records and only one of LF and LH: "end_of_record"
    "#]],
    );
    check(
        "SF:a\nLF:4\nLH:1\nend_of_record\nSF:a\nLF:4\nLH:2\nend_of_record\n",
        &expect![[r"
        note: sections with LF/LH only can't be united with others; the line records, or else the largest, were used
        note: sections with LF/LH only: the summary was used (2 times, first at line 4)
        a lines 2/4 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nLF:4\nLH:1\nend_of_record\nSF:a\nDA:1,1\nend_of_record\n",
        &expect![[r"
        note: sections with LF/LH only can't be united with others; the line records, or else the largest, were used
        note: sections with LF/LH only: the summary was used (line 4)
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn summary_contradicts_lines() {
    check(
        "SF:a\nDA:1,1\nDA:2,0\nLF:9\nLH:9\nend_of_record\n",
        &expect![[r"
        note: LF/LH contradict the DA records; the DA records were used (line 6)
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn one_file_in_many_sections() {
    check(
        "SF:a\nDA:1,1\nDA:2,0\nend_of_record\nSF:a\nDA:2,5\nDA:3,0\nend_of_record\n",
        &expect![[r"
            a lines 2/3 functions 0/0 branches 0/0
        "]],
    );
    check(
        "SF:./src/a\nDA:1,1\nend_of_record\nSF:src/a\nDA:2,0\nend_of_record\n",
        &expect![[r"
        ./src/a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        "TN:x\nSF:a\nDA:1,1\nend_of_record\nTN:y\nSF:a\nDA:1,0\nDA:2,0\nend_of_record\n",
        &expect![[r"
            a lines 1/2 functions 0/0 branches 0/0
        "]],
    );
}

#[test]
fn a_line_listed_twice_and_out_of_order() {
    check(
        "SF:a\nDA:9,0\nDA:2,1\nDA:9,4\nDA:2,0\nend_of_record\n",
        &expect![[r"
        a lines 2/2 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn line_ends_and_encodings() {
    check(
        "\u{feff}SF:a\r\nDA:1,1\r\nDA:2,0\r\nend_of_record\r\n",
        &expect![[r"
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        b"SF:caf\xe9.c\nDA:1,1\nend_of_record\n",
        &expect![[r"
        caf�.c lines 1/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "\n\n# made by hand\nSF:a b.c\n\nDA:1,1   \n# more\nend_of_record  \n\n",
        &expect![[r"
            a b.c lines 1/1 functions 0/0 branches 0/0
        "]],
    );
    check(
        b"\xff\xfeS\0F\0:\0a\0\n\0",
        &expect![[r#"
        error: line 1 is not an LCOV record: "\xff\xfeS\x00F\x00:\x00a\x00"
    "#]],
    );
    check(
        "SF:a\rDA:1,1\rend_of_record\r",
        &expect![[r"
        error: no coverage data (no line of any file is executable)
    "]],
    );
}

#[test]
fn odd_counts() {
    check(
        "SF:a\nDA:1,-3\nDA:2,1\nend_of_record\n",
        &expect![[r"
        note: negative execution counts were read as 0 (line 2)
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,1.5e+06\nDA:2,0.3\nDA:3,0.0\nend_of_record\n",
        &expect![[r"
        note: fractional execution counts were rounded (2 times, first at line 2)
        a lines 2/3 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,99999999999999999999999\nDA:2,0\nend_of_record\n",
        &expect![[r"
        note: execution counts past 2^64-1 were read as 2^64-1 (line 2)
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,=====\nend_of_record\n",
        &expect![[r#"
        error: line 2: DA needs a line number and a count: "DA:1,====="
    "#]],
    );
    check(
        "SF:a\nDA:1\nend_of_record\n",
        &expect![[r#"
        error: line 2: DA needs a line number and a count: "DA:1"
    "#]],
    );
    check(
        "SF:a\nDA:1,\nend_of_record\n",
        &expect![[r#"
        error: line 2: DA needs a line number and a count: "DA:1,"
    "#]],
    );
    check(
        "SF:a\nDA:x,1\nend_of_record\n",
        &expect![[r#"
        error: line 2: DA needs a line number and a count: "DA:x,1"
    "#]],
    );
    check(
        "SF:a\nDA:99999999999,1\nend_of_record\n",
        &expect![[r#"
        error: line 2: DA needs a line number and a count: "DA:99999999999,1"
    "#]],
    );
    check(
        "SF:a\nDA:0,1\nDA:1,0\nend_of_record\n",
        &expect![[r"
        note: records for line 0 were left out (line 2)
        a lines 0/1 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn checksums() {
    check(
        "SF:a\nDA:1,1,kbIrHYmN1UEBZcPcPgbsSw\nDA:2,0,Q\nend_of_record\n",
        &expect![[r"
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,1,Q\nend_of_record\nSF:a\nDA:1,1,R\nend_of_record\n",
        &expect![[r"
        note: line checksums differ between sections: the source changed between runs
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
}

#[test]
fn sections_without_an_end() {
    check(
        "SF:a\nDA:1,1\nSF:b\nDA:1,0\nend_of_record\n",
        &expect![[r"
        note: sections without end_of_record were closed at the next SF (line 3)
        a lines 1/1 functions 0/0 branches 0/0
        b lines 0/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,1\nDA:2,0",
        &expect![[r"
        note: the report ends inside a section and may be cut off (line 3)
        a lines 1/2 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,1\nDA:2",
        &expect![[r#"
        error: line 3: DA needs a line number and a count: "DA:2"
    "#]],
    );
    check(
        "SF:a\nDA:1,1\nend_of_record\nend_of_record\n",
        &expect![[r"
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nDA:1,1\nend_of_rec",
        &expect![[r#"
        error: line 3 is not an LCOV record: "end_of_rec"
    "#]],
    );
}

#[test]
fn outside_any_section() {
    check(
        "DA:1,1\nSF:a\nend_of_record\n",
        &expect![[r#"
        error: line 1 belongs to no file (no SF: before it): "DA:1,1"
    "#]],
    );
    check(
        "SF:a\nDA:1,1\nend_of_record\nDA:2,1\n",
        &expect![[r#"
        error: line 4 belongs to no file (no SF: before it): "DA:2,1"
    "#]],
    );
    check(
        "end_of_record\n",
        &expect![[r#"
        error: line 1 belongs to no file (no SF: before it): "end_of_record"
    "#]],
    );
}

#[test]
fn functions_in_both_styles() {
    check(
        "SF:a\nFN:1,9,f\nFNDA:1,f\nFN:11,g(int, char)\nFNDA:0,g(int, char)\nDA:1,1\nend_of_record\n",
        &expect![[r"
            a lines 1/1 functions 1/2 branches 0/0
        "]],
    );
    check(
        "SF:a\nFNL:0,1,9\nFNA:0,0,f<int>\nFNA:0,2,f<a, b>\nFNL:1,12\nFNA:1,0,g\nFNF:2\nFNH:1\nDA:1,2\nend_of_record\n",
        &expect![[r"
            a lines 1/1 functions 1/2 branches 0/0
        "]],
    );
    check(
        "SF:a\nFNL:0,1\nDA:1,2\nend_of_record\n",
        &expect![[r"
        note: FNL and FNA records that do not fit together were left out (line 4)
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nFNDA:2,lost\nDA:1,2\nend_of_record\n",
        &expect![[r"
        note: counts for functions that are declared nowhere (line 4)
        a lines 1/1 functions 1/1 branches 0/0
    "]],
    );
    check(
        "SF:a\nFN:1,f\nFN:5,f\nFNDA:3,f\nFNDA:0,f\nDA:1,2\nend_of_record\n",
        &expect![[r"
        a lines 1/1 functions 1/2 branches 0/0
    "]],
    );
}

#[test]
fn branches_of_every_kind() {
    check(
        "SF:a\nBRDA:1,0,jump to line 3, or 4,1\nBRDA:1,0,0,-\nBRDA:2,e0,0,1\nBRDA:2,fU1,0,0\nDA:1,1\nend_of_record\n",
        &expect![[r"
            a lines 1/1 functions 0/0 branches 2/3
        "]],
    );
    check(
        "SF:a\nBRDA:0,0,0,1\nBRDA:1,0,0,0\nDA:1,1\nend_of_record\n",
        &expect![[r"
        note: records for line 0 were left out (line 2)
        a lines 1/1 functions 0/0 branches 0/1
    "]],
    );
    check(
        "SF:a\nBRDA:1,0,1\nDA:1,1\nend_of_record\n",
        &expect![[r#"
        error: line 2: BRDA needs line,block,branch,taken: "BRDA:1,0,1"
    "#]],
    );
    check(
        "SF:a\nBRDA:None,0,0,1\nDA:1,1\nend_of_record\n",
        &expect![[r#"
        error: line 2: BRDA needs line,block,branch,taken: "BRDA:None,0,0,1"
    "#]],
    );
}

#[test]
fn blocks_are_matched_by_shape_not_by_number() {
    check(
        "SF:a\nBRDA:1,0,0,1\nBRDA:1,0,1,0\nDA:1,1\nend_of_record\n\
         SF:a\nBRDA:1,7,0,0\nBRDA:1,7,1,1\nBRDA:1,8,0,0\nDA:1,1\nend_of_record\n",
        &expect![[r"
            a lines 1/1 functions 0/0 branches 2/3
        "]],
    );
}

#[test]
fn conditions_and_versions() {
    check(
        "SF:a\nVER:1\nMCDC:1,2,t,1,0,a\nMCDC:1,2,f,0,0,a\nMCF:2\nMCH:1\nDA:1,1\nend_of_record\nSF:a\nVER:2\nDA:1,1\nend_of_record\n",
        &expect![[r"
            note: sections of one file carry different versions (VER)
            a lines 1/1 functions 0/0 branches 0/0
        "]],
    );
    check(
        "SF:a\nMCDC:1,2,x,1,0,a\nDA:1,1\nend_of_record\n",
        &expect![[r#"
        error: line 2: MCDC needs line,size,sense,taken,index,expression: "MCDC:1,2,x,1,0,a"
    "#]],
    );
}

#[test]
fn records_of_other_kinds() {
    check(
        "KF:a\nDA:1,1\nend_of_record\n",
        &expect![[r"
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:a\nXYZ:1\nDA:1,1\nend_of_record\n",
        &expect![[r"
        note: records of an unknown kind were left out (line 2)
        a lines 1/1 functions 0/0 branches 0/0
    "]],
    );
    check(
        "SF:\nDA:1,1\nend_of_record\n",
        &expect![[r#"
        error: line 1: SF names no file: "SF:"
    "#]],
    );
}

#[test]
fn not_a_tracefile() {
    check(
        "",
        &expect![[r"
        error: no coverage data (the file is empty)
    "]],
    );
    check(
        "\n",
        &expect![[r"
        error: no coverage data (it names no source file)
    "]],
    );
    check(
        "TN:\n",
        &expect![[r"
        error: no coverage data (it names no source file)
    "]],
    );
    check(
        "SF:a\nend_of_record\n",
        &expect![[r"
        error: no coverage data (no line of any file is executable)
    "]],
    );
    check(
        "{\"total\": {\"lines\": 1}}",
        &expect![[r#"
        error: line 1 is not an LCOV record: "{\"total\": {\"lines\": 1}}"
    "#]],
    );
    check(
        "<!doctype html>\n<p>",
        &expect![[r#"
        error: line 1 is not an LCOV record: "<!doctype html>"
    "#]],
    );
    check(
        "ERROR: no data\n",
        &expect![[r#"
        error: line 1 belongs to no file (no SF: before it): "ERROR: no data"
    "#]],
    );
    check(
        [0; 4000],
        &expect![[r#"
        error: line 1 is not an LCOV record: "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00…"
    "#]],
    );
    check(
        vec![b'x'; 2 << 20],
        &expect![[r"
        error: line 1 is longer than 1048576 bytes, which no LCOV record is
    "]],
    );
}

#[test]
fn a_carriage_return_inside_a_name_survives_writing() {
    let text = b"SF:a.js\nFN:3,odd\rname\nFNDA:2,odd\rname\nDA:3,2\nend_of_record\n";
    let trace = Tracefile::read(&text[..]).expect("it can be read");
    let mut written = Vec::new();
    trace.write(&mut written).expect("it can be written");
    let again = Tracefile::read(&written[..]).expect("it can be read again");
    assert_eq!(again.sections, trace.sections);
}
