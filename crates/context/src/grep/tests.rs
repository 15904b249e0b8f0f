//! Searches of small projects.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use expect_test::{Expect, expect};

use super::*;
use proofstone_jail::Policy;

fn project(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let root = Root::open(folder.path(), Policy::project()).unwrap();
    (folder, root)
}

fn request(pattern: &str) -> Request {
    Request { pattern: pattern.to_owned(), file_pattern: None, case_sensitive: false, limit: 50 }
}

fn shown(root: &Root, request: &Request) -> String {
    match grep(root, request, &AtomicBool::new(false), None) {
        Err(error) => error.to_string(),
        Ok(outcome) => {
            let line = |m: &Match| {
                format!(
                    "{}:{}:{} {:?} < {:?} > {:?}",
                    m.file, m.line, m.column, m.text, m.before, m.after
                )
            };
            let mut lines: Vec<String> = outcome.matches.iter().map(line).collect();
            lines.push(format!(
                "total {} in {} of {}, {} binary",
                outcome.total, outcome.files_matched, outcome.files_searched, outcome.binary
            ));
            lines.join("\n")
        }
    }
}

fn check(files: &[(&str, &[u8])], request: &Request, expected: &Expect) {
    let (_folder, root) = project(files);
    expected.assert_eq(&shown(&root, request));
}

#[test]
fn lines_around_neighbouring_matches() {
    let files: &[(&str, &[u8])] = &[
        ("b.txt", b"1\n2\n3 hit\n4 HIT\n5\n6\n7\n"),
        ("a/c.txt", b"a hit"),
        ("d.bin", b"hit\0hit\n"),
    ];
    check(
        files,
        &request("hit"),
        &expect![[r#"
        a/c.txt:1:3 "a hit" < [] > []
        b.txt:3:3 "3 hit" < ["1", "2"] > ["4 HIT", "5"]
        b.txt:4:3 "4 HIT" < ["2", "3 hit"] > ["5", "6"]
        total 3 in 2 of 2, 1 binary"#]],
    );
}

#[test]
fn the_limit_cuts_the_list_and_not_the_count() {
    let files: Vec<(String, Vec<u8>)> =
        (0..50).map(|n| (format!("f{n:02}.txt"), b"x\nx\nx\n".to_vec())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(p, b)| (p.as_str(), b.as_slice())).collect();
    check(
        &files,
        &Request { limit: 4, ..request("x") },
        &expect![[r#"
        f00.txt:1:1 "x" < [] > ["x", "x"]
        f00.txt:2:1 "x" < ["x"] > ["x"]
        f00.txt:3:1 "x" < ["x", "x"] > []
        f01.txt:1:1 "x" < [] > ["x", "x"]
        total 150 in 50 of 50, 0 binary"#]],
    );
}

#[test]
fn odd_bytes() {
    let utf16 =
        "\u{FEFF}first\nhit ü\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    check(
        &[("latin.txt", b"caf\xE9 hit\r\n"), ("utf16.txt", &utf16)],
        &request("hit"),
        &expect![[r#"
        latin.txt:1:6 "caf� hit" < [] > []
        utf16.txt:2:1 "hit ü" < ["first"] > []
        total 2 in 2 of 2, 0 binary"#]],
    );
    let long = format!("{}hit{}", "a".repeat(5000), "b".repeat(5000));
    let (_folder, root) = project(&[("min.js", long.as_bytes())]);
    let outcome = grep(&root, &request("hit"), &AtomicBool::new(false), None).unwrap();
    assert_eq!(outcome.matches[0].column, 5001);
    assert!(
        outcome.matches[0].text.contains("aaahitbbb")
            && outcome.matches[0].text.chars().count() <= 402
    );
}

#[test]
fn secrets_and_excluded_folders_are_not_searched() {
    let files: &[(&str, &[u8])] = &[
        (".env", b"hit"),
        ("node_modules/a.js", b"hit"),
        ("dist/a.js", b"hit"),
        ("src/a.js", b"hit"),
        ("id_rsa", b"hit"),
        (".github/a.yml", b"hit"),
        (".gitignore", b"*.log\n"),
        ("x.log", b"hit"),
    ];
    check(
        files,
        &request("hit"),
        &expect![[r#"
        .github/a.yml:1:1 "hit" < [] > []
        src/a.js:1:1 "hit" < [] > []
        total 2 in 2 of 3, 0 binary"#]],
    );
}

#[test]
fn wrong_patterns_are_explained() {
    check(
        &[],
        &request("[invalid("),
        &expect![[r#"
            invalid regex pattern: regex parse error:
                [invalid(
                ^
            error: unclosed character class"#]],
    );
    check(
        &[],
        &request(r"(\w{1,200}){200}"),
        &expect![
            "pattern too large: it compiles to more than 10485760 bytes; use smaller repetition counts"
        ],
    );
    check(
        &[],
        &Request { file_pattern: Some("src/[".to_owned()), ..request("x") },
        &expect![
            "invalid file pattern: error parsing glob 'src/[': unclosed character class; missing ']'"
        ],
    );
    check(
        &[],
        &request(r"a\nb"),
        &expect![[r#"invalid regex pattern: the literal "\n" is not allowed in a regex"#]],
    );
    check(
        &[("a", b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")],
        &request("(a+)+$"),
        &expect!["total 0 in 0 of 1, 0 binary"],
    );
}

#[test]
fn nothing_found_names_the_wider_question() {
    let (_folder, root) =
        project(&[("a.rs", b"call(x)"), ("b.log", b"secret word"), (".gitignore", b"*.log\n")]);
    let advice = |request: Request| {
        wider(&root, &request, &AtomicBool::new(false)).map(|w| (w.advice, w.total, w.first_file))
    };
    let case = Request { case_sensitive: true, ..request("CALL") };
    assert_eq!(advice(case).unwrap().0, "set caseSensitive to false");
    assert!(advice(request("call(x)")).unwrap().0.contains(r"call\(x\)"));
    assert_eq!(
        advice(Request { file_pattern: Some("*.py".to_owned()), ..request("call") }).unwrap().0,
        "leave out filePattern"
    );
    assert_eq!(advice(request("secret")).unwrap().2, "b.log");
    assert_eq!(advice(request("nowhere")), None);
}

#[test]
fn a_deadline_in_the_past_is_said() {
    let (_folder, root) = project(&[("a", b"x")]);
    let outcome =
        grep(&root, &request("x"), &AtomicBool::new(false), Some(Instant::now())).unwrap();
    assert!(!outcome.complete);
    assert_eq!(outcome.total, 0);
}
