//! The contract's three tools, through the gate, as its examples and error cases say.

mod support;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use support::Session;

const AUTH: &str = "import { TokenManager } from './TokenManager';\nimport express from 'express';\n\n// Generate JWT token\nfunction generateToken(payload) {\n  const token = jwt.sign(payload, SECRET);\n    return token;\n  }\n";

fn project() -> Session {
    Session::new(&[
        ("src/server/auth/AuthService.ts", AUTH),
        (
            "src/server/auth/TokenManager.ts",
            "export class TokenManager {\n  /** Refreshes an expired token. */\n  refresh() {}\n}\n",
        ),
        (
            "src/server/users/UserRepository.ts",
            "export class UserRepository {\n  findUser(id: string) {}\n}\n",
        ),
        (".env", "SECRET=1\n"),
        ("node_modules/x/index.js", "jwt.sign\n"),
    ])
}

/// A failure as a client reads it.
fn check_failure(tool: &str, arguments: Value, expected: &Expect) {
    let failure = project().fail(tool, arguments);
    expected.assert_eq(&format!("{failure:#}"));
}

#[test]
fn grep_finds_lines_with_their_surroundings() {
    let answer = project().call("grep_codebase", json!({ "pattern": "jwt\\.sign" }));
    assert_eq!(answer["matches"][0]["file"], "src/server/auth/AuthService.ts");
    assert_eq!(answer["matches"][0]["line"], 6);
    assert_eq!(answer["matches"][0]["column"], 17);
    assert_eq!(answer["matches"][0]["text"], "  const token = jwt.sign(payload, SECRET);");
    assert_eq!(
        answer["matches"][0]["context"]["before"],
        json!(["// Generate JWT token", "function generateToken(payload) {"])
    );
    assert_eq!(answer["matches"][0]["context"]["after"], json!(["    return token;", "  }"]));
    assert_eq!(
        (answer["totalMatches"].as_u64(), answer["filesSearched"].as_u64()),
        (Some(1), Some(3))
    );
    assert_eq!(answer["pattern"], "jwt\\.sign");
    assert!(answer["searchTime"].is_u64());
}

#[test]
fn grep_with_a_file_pattern_and_case() {
    let session = project();
    let upper = json!({ "pattern": "tokenmanager", "caseSensitive": true });
    assert_eq!(session.call("grep_codebase", upper)["totalMatches"], 0);
    let files = json!({ "pattern": "class", "filePattern": "src/server/users/**/*.ts" });
    assert_eq!(session.call("grep_codebase", files)["totalMatches"], 1);
    let limited = session.call("grep_codebase", json!({ "pattern": "class", "limit": 1 }));
    assert_eq!(
        (limited["totalMatches"].as_u64(), limited["truncated"].as_bool()),
        (Some(2), Some(true))
    );
}

#[test]
fn grep_without_matches_is_no_error() {
    let answer = project().call("grep_codebase", json!({ "pattern": "nonexistent" }));
    assert_eq!(answer["matches"], json!([]));
    assert_eq!(answer["totalMatches"], 0);
    assert_eq!(answer["message"], "No matches found for pattern 'nonexistent'");
}

#[test]
fn grep_failures() {
    check_failure(
        "grep_codebase",
        json!({ "pattern": "[invalid(" }),
        &expect![[r#"
        {
          "error": "Invalid regex pattern",
          "pattern": "[invalid(",
          "details": "regex parse error:\n    [invalid(\n    ^\nerror: unclosed character class",
          "suggestion": "To search for the text as it is, put a backslash before . * + ? ( ) [ ] { } ^ $ |"
        }"#]],
    );
    check_failure(
        "grep_codebase",
        json!({ "pattern": r"(\w{1,200}){200}" }),
        &expect![[r#"
        {
          "error": "Pattern too large",
          "pattern": "(\\w{1,200}){200}",
          "details": "pattern too large: it compiles to more than 10485760 bytes; use smaller repetition counts"
        }"#]],
    );
    check_failure(
        "grep_codebase",
        json!({ "pattern": "", "limit": 101 }),
        &expect![[r#"
        {
          "error": "Invalid parameters",
          "details": [
            {
              "path": [
                "pattern"
              ],
              "message": "`pattern` must be at least 1 character long",
              "allowed": "at least 1 character long"
            },
            {
              "path": [
                "limit"
              ],
              "message": "`limit` must be at most 100",
              "allowed": "at most 100"
            }
          ]
        }"#]],
    );
}

#[test]
fn read_file_with_dependencies() {
    let answer = project().call(
        "read_file",
        json!({ "path": "src/server/auth/AuthService.ts", "includeDeps": true }),
    );
    assert_eq!(answer["file"]["content"], AUTH);
    assert_eq!(answer["file"]["size"], AUTH.len());
    assert_eq!(
        (answer["file"]["lines"].as_u64(), answer["file"]["language"].as_str()),
        (Some(8), Some("typescript"))
    );
    assert_eq!(answer["dependencies"][0]["path"], "src/server/auth/TokenManager.ts");
    assert_eq!(
        (answer["dependencies"][0]["type"].as_str(), answer["dependencies"][0]["level"].as_u64()),
        (Some("import"), Some(1))
    );
    assert!(
        answer["dependencies"][0]["content"].as_str().unwrap_or("").contains("class TokenManager")
    );
    assert_eq!(answer["external"], json!(["express"]));
    assert_eq!(
        (answer["metadata"]["module"].as_str(), answer["metadata"]["role"].as_str()),
        (Some("auth"), Some("core"))
    );
    let modified = answer["metadata"]["lastModified"].as_str().unwrap_or("");
    assert!(modified.ends_with('Z') && modified.len() == 20, "{modified}");
    let alone = project().call("read_file", json!({ "path": "src/server/auth/AuthService.ts" }));
    assert_eq!(alone["dependencies"], json!([]));
}

#[test]
fn read_file_failures() {
    check_failure(
        "read_file",
        json!({ "path": "invalid/path.ts" }),
        &expect![[r#"
        {
          "error": "File not found",
          "path": "invalid/path.ts",
          "details": "file not found: invalid/path.ts",
          "suggestion": "Paths are relative to the project root; grep_codebase and context_search find files"
        }"#]],
    );
    check_failure(
        "read_file",
        json!({ "path": ".env" }),
        &expect![[r#"
        {
          "error": "Permission denied",
          "path": ".env",
          "details": "access to .env is denied: `.env` may hold secrets or is not project source"
        }"#]],
    );
    check_failure(
        "read_file",
        json!({ "path": "../../../etc/passwd" }),
        &expect![[r#"
        {
          "error": "Path traversal not allowed",
          "path": "../../../etc/passwd",
          "details": "../../../etc/passwd leads outside the project root"
        }"#]],
    );
    check_failure(
        "read_file",
        json!({ "path": "/etc/passwd" }),
        &expect![[r#"
        {
          "error": "Absolute paths not allowed",
          "path": "/etc/passwd",
          "details": "absolute path /etc/passwd is not allowed: give it relative to the project root",
          "suggestion": "Give the path relative to the project root"
        }"#]],
    );
    check_failure(
        "read_file",
        json!({ "path": "src" }),
        &expect![[r#"
        {
          "error": "Not a file",
          "path": "src",
          "details": "src is a directory, not a file",
          "suggestion": "Name a file in it; repo_map shows what there is"
        }"#]],
    );
    check_failure(
        "read_file",
        json!({ "path": "a", "startLine": 5, "endLine": 2 }),
        &expect![[r#"
        {
          "error": "Invalid parameters",
          "details": [
            {
              "path": [
                "endLine"
              ],
              "message": "`endLine` (2) must not be smaller than `startLine` (5)"
            }
          ]
        }"#]],
    );
}

#[test]
fn a_file_that_does_not_parse() {
    let session = Session::new(&[
        ("file.ts", "import { a from './b';\nconst x = 1;\n"),
        ("deep.ts", "import './file';\nfunction f() { return (1 + ; }\n"),
    ]);
    let failure = session.fail("read_file", json!({ "path": "file.ts", "includeDeps": true }));
    assert_eq!(
        (failure["error"].as_str(), failure["path"].as_str()),
        (Some("Failed to parse imports"), Some("file.ts"))
    );
    assert_eq!(failure["details"], "Syntax error at line 1");
    assert!(session.call("read_file", json!({ "path": "file.ts" }))["file"]["content"].is_string());
    let deep = session.call("read_file", json!({ "path": "deep.ts", "includeDeps": true }));
    assert_eq!(deep["dependencies"][0]["path"], "file.ts");
    assert!(deep["notes"][0].as_str().unwrap_or("").contains("line 2"));
}

#[test]
fn large_files_are_read_in_parts() {
    let line = "0123456789 0123456789 0123456789\n";
    let session = Session::new(&[("large.txt", &line.repeat(40_000))]);
    let failure = session.fail("read_file", json!({ "path": "large.txt" }));
    assert_eq!(failure["error"], "File too large");
    assert_eq!(
        (failure["limit"].as_u64(), failure["size"].as_u64()),
        (Some(1_048_576), Some(line.len() as u64 * 40_000))
    );
    assert!(failure["suggestion"].as_str().unwrap_or("").contains("startLine"));
    let part = session
        .call("read_file", json!({ "path": "large.txt", "startLine": 39_999, "endLine": 50_000 }));
    assert_eq!(part["file"]["content"], line.repeat(2));
    assert_eq!(
        (
            part["file"]["startLine"].as_u64(),
            part["file"]["endLine"].as_u64(),
            part["file"]["more"].as_bool()
        ),
        (Some(39_999), Some(40_000), Some(false))
    );
}

#[test]
fn a_second_read_returns_only_what_changed() {
    let long = (0..200).fold(String::new(), |text, n| text + &format!("line {n}\n"));
    let session = Session::new(&[("a.txt", &long)]);
    let first = session.call("read_file", json!({ "path": "a.txt" }));
    let again =
        session.call("read_file", json!({ "path": "a.txt", "ifNoneMatch": first["file"]["etag"] }));
    assert_eq!(
        (again["file"]["unchanged"].as_bool(), again["file"].get("content")),
        (Some(true), None)
    );
    session.write("a.txt", &long.replace("line 100\n", "changed\n"));
    let changed =
        session.call("read_file", json!({ "path": "a.txt", "ifNoneMatch": first["file"]["etag"] }));
    let diff = changed["file"]["diff"].as_str().unwrap_or("");
    assert!(diff.contains("-line 100\n+changed\n") && diff.len() < 400, "{diff}");
    assert_ne!(changed["file"]["etag"], first["file"]["etag"]);
    let stranger =
        session.call("read_file", json!({ "path": "a.txt", "ifNoneMatch": "0".repeat(32) }));
    assert!(stranger["file"]["content"].is_string());
}

#[test]
fn search_finds_code_and_says_why() {
    let session = project();
    let rendered =
        session.rendered("context_search", json!({ "query": "how are expired tokens refreshed" }));
    let answer = rendered.structured.expect("structured");
    let first = &answer["results"][0];
    assert_eq!(
        (first["source"].as_str(), first["file"].as_str()),
        (Some("code"), Some("src/server/auth/TokenManager.ts"))
    );
    assert_eq!(
        (first["startLine"].as_u64(), first["type"].as_str(), first["module"].as_str()),
        (Some(1), Some("code"), Some("auth"))
    );
    assert!(first["symbol"].is_string() && first["contentHash"].is_string());
    let score = first["score"].as_f64().unwrap_or(-1.0);
    assert!((0.0..=1.0).contains(&score), "{score}");
    let meta = &rendered.meta["proofstone/context"];
    assert_eq!(meta["ranking"][0]["id"], first["id"]);
    assert!(meta["vectors"].as_str().unwrap_or("").starts_with("by the embedded model"));
    assert_eq!(meta["index"]["complete"], true);
}

#[test]
fn a_module_bounds_what_is_counted_too() {
    let session = project();
    let ask = |module: &str| {
        session.call("context_search", json!({ "query": "class export", "module": module }))
    };
    let users = ask("users");
    assert_eq!(users["totalFound"], users["results"].as_array().map_or(0, Vec::len));
    assert_eq!(users.get("suggestion"), None, "{users:#}");
    // A full page must not bring back what other modules have.
    let page = json!({ "query": "class export", "module": "users", "limit": 1 });
    let page = session.call("context_search", page);
    assert!(page["totalFound"].as_u64() <= users["totalFound"].as_u64(), "{page:#}");
    assert_eq!(page["results"].as_array().map(Vec::len), Some(1));
    let nowhere = ask("nosuch");
    assert_eq!((&nowhere["results"], &nowhere["totalFound"]), (&json!([]), &json!(0)));
    let said = nowhere["suggestion"].as_str().unwrap_or_default();
    assert!(said.starts_with("Nothing was found in the module `nosuch`"), "{nowhere:#}");
}

#[test]
fn search_filters_before_ranking() {
    let session = project();
    session.call("record_discovery", json!({ "type": "issue", "content": "Token refresh race condition fixed with mutex lock", "module": "auth" }));
    session.call("record_discovery", json!({ "type": "pattern", "content": "Use JWT tokens stored in httpOnly cookies for auth", "module": "auth" }));
    let issues = session.call(
        "context_search",
        json!({ "query": "token refresh issue", "type": "issue", "module": "auth", "limit": 3 }),
    );
    assert_eq!(issues["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (issues["results"][0]["type"].as_str(), issues["results"][0]["source"].as_str()),
        (Some("issue"), Some("discovery"))
    );
    assert!(
        issues["results"][0]["date"].is_string() && issues["results"][0]["session"].is_string()
    );
    let users =
        session.call("context_search", json!({ "query": "class export", "module": "users" }));
    assert!(
        users["results"].as_array().expect("results").iter().all(|r| r["module"] == "users"),
        "{users:#}"
    );
    let all = session.call("context_search", json!({ "query": "JWT cookies" }));
    assert_eq!(all["results"][0]["source"], "discovery");
}

#[test]
fn search_failures() {
    check_failure(
        "context_search",
        json!({ "query": "ab" }),
        &expect![[r#"
        {
          "error": "Query must be at least 3 characters",
          "details": [
            {
              "path": [
                "query"
              ],
              "message": "`query` must be at least 3 characters long",
              "allowed": "at least 3 characters long"
            }
          ]
        }"#]],
    );
    check_failure(
        "context_search",
        json!({ "query": "x".repeat(501) }),
        &expect![[r#"
        {
          "error": "Query must be at most 500 characters",
          "details": [
            {
              "path": [
                "query"
              ],
              "message": "`query` must be at most 500 characters long",
              "allowed": "at most 500 characters long"
            }
          ]
        }"#]],
    );
    check_failure(
        "context_search",
        json!({ "query": "abc", "type": "insight", "limit": 21 }),
        &expect![[r#"
            {
              "error": "Invalid parameters",
              "details": [
                {
                  "path": [
                    "type"
                  ],
                  "message": "`type` must be one of \"all\", \"pattern\", \"rule\", \"decision\", \"issue\"",
                  "allowed": "one of \"all\", \"pattern\", \"rule\", \"decision\", \"issue\""
                },
                {
                  "path": [
                    "limit"
                  ],
                  "message": "`limit` must be at most 20",
                  "allowed": "at most 20"
                }
              ]
            }"#]],
    );
}

#[test]
fn an_empty_project_answers() {
    let session = Session::new(&[]);
    let found = session.call("context_search", json!({ "query": "anything at all" }));
    assert_eq!(
        (found["results"].as_array().map(Vec::len), found["totalFound"].as_u64()),
        (Some(0), Some(0))
    );
    assert_eq!(session.call("grep_codebase", json!({ "pattern": "x" }))["filesSearched"], 0);
    assert_eq!(session.call("get_project_overview", json!({}))["files"], 0);
    assert_eq!(session.call("repo_map", json!({}))["files"], 0);
}

#[test]
fn answers_are_true_after_every_change() {
    let session = project();
    let ask = |query: &str| {
        session.call("context_search", json!({ "query": query, "limit": 1 }))["results"][0].clone()
    };
    assert_eq!(ask("TokenManager")["file"], "src/server/auth/TokenManager.ts");
    session.write("src/server/billing/Invoice.ts", "export class InvoiceLedger { settle() {} }\n");
    assert_eq!(ask("InvoiceLedger")["file"], "src/server/billing/Invoice.ts");
    session.write(
        "src/server/billing/Invoice.ts",
        "// nothing\n\n\nexport class InvoiceLedger { settle() {} }\n",
    );
    assert!(ask("InvoiceLedger")["content"].as_str().unwrap_or("").contains("// nothing"));
    std::fs::rename(
        session.folder.path().join("src/server/billing"),
        session.folder.path().join("src/server/money"),
    )
    .expect("renamed");
    assert_eq!(ask("InvoiceLedger")["file"], "src/server/money/Invoice.ts");
    std::fs::remove_dir_all(session.folder.path().join("src/server/money")).expect("removed");
    assert_ne!(ask("InvoiceLedger")["file"], "src/server/money/Invoice.ts");
}

#[test]
fn reading_is_counted_and_sessions_go_on() {
    let session = project();
    session.call("start_session", json!({ "goal": "mend the token refresh" }));
    session.call("read_file", json!({ "path": "src/server/auth/TokenManager.ts" }));
    session.call("read_file", json!({ "path": "src/server/auth/TokenManager.ts" }));
    session.call("context_search", json!({ "query": "token refresh" }));
    session.settle();
    let current = session.resource("context://session/current").expect("a session");
    assert!(
        current.contains("TokenManager.ts (2 times)")
            && current.contains("mend the token refresh")
            && current.contains("token refresh"),
        "{current}"
    );
    let ended = session.call("end_session", json!({ "summary": "the refresh takes a lock now" }));
    assert_eq!(ended["session"]["status"], "completed");
    assert_eq!(session.fail("end_session", json!({}))["error"], "No active session");
    assert_eq!(session.resource("context://session/current"), Err("No active session".to_owned()));
    assert!(
        session
            .resource("context://sessions/recent?limit=1")
            .expect("sessions")
            .contains("takes a lock")
    );
    let found = session.call("context_search", json!({ "query": "what came of the refresh lock" }));
    assert!(
        found["results"].as_array().expect("results").iter().any(|r| r["source"] == "session"),
        "{found:#}"
    );
}

#[test]
fn discoveries_are_kept_and_corrected() {
    let session = project();
    let new = json!({ "type": "rule", "content": "Tokens are refreshed under a lock.", "module": "auth", "anchorPath": "src/server/auth/TokenManager.ts", "anchorSymbol": "refresh" });
    let recorded = session.call("record_discovery", new.clone());
    assert_eq!(
        (recorded["recorded"].as_bool(), recorded["discovery"]["anchor"]["state"].as_str()),
        (Some(true), Some("holds"))
    );
    assert_eq!(session.call("record_discovery", new)["recorded"], false);
    session.write(
        "src/server/auth/TokenManager.ts",
        "export class TokenManager {\n  refresh() { lock(); }\n}\n",
    );
    let suspect = session.call("list_discoveries", json!({ "suspectOnly": true }));
    assert_eq!(
        (suspect["totalFound"].as_u64(), suspect["discoveries"][0]["anchor"]["state"].as_str()),
        (Some(1), Some("suspect"))
    );
    let id = recorded["discovery"]["id"].clone();
    let updated = session.call(
        "update_discovery",
        json!({ "id": id, "content": "Tokens are refreshed under one lock per user." }),
    );
    assert_ne!(updated["discovery"]["id"], id);
    let old = session.call("list_discoveries", json!({ "status": "superseded" }));
    assert_eq!(old["discoveries"][0]["supersededBy"], updated["discovery"]["id"]);
    assert_eq!(
        session.fail("update_discovery", json!({ "id": "unknown-id", "confirm": true }))["error"],
        "Discovery not found"
    );
    let module = session.resource("context://module/auth").expect("the module");
    assert!(module.contains("one lock per user") && module.contains("TokenManager.ts"), "{module}");
    assert_eq!(session.resource("context://module/nowhere"), Err("Module not found".to_owned()));
    assert!(
        session.resource("context://project/overview").expect("the overview").contains("### auth")
    );
}

#[test]
fn names_maps_and_neighbours() {
    let session = project();
    session.write(
        "src/server/users/UserRepository.test.ts",
        "import { UserRepository } from './UserRepository';\nnew UserRepository().findUser('1');\n",
    );
    let symbols = session.call("find_symbol", json!({ "name": "TokenManager.refresh" }));
    assert_eq!(
        (symbols["symbols"][0]["file"].as_str(), symbols["symbols"][0]["container"].as_str()),
        (Some("src/server/auth/TokenManager.ts"), Some("TokenManager"))
    );
    let references = session.call("find_references", json!({ "name": "UserRepository" }));
    let kinds: Vec<&str> = references["references"]
        .as_array()
        .expect("references")
        .iter()
        .filter_map(|r| r["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["import", "call", "definition"]);
    let map = session.call("repo_map", json!({ "budgetTokens": 500 }));
    assert!(map["map"].as_str().unwrap_or("").contains("class TokenManager"), "{map:#}");
    let related =
        session.call("related_files", json!({ "path": "src/server/users/UserRepository.ts" }));
    assert_eq!(related["files"][0]["path"], "src/server/users/UserRepository.test.ts");
    assert_eq!(
        session.fail("related_files", json!({ "path": ".env" }))["error"],
        "Permission denied"
    );
}
