//! The contract's behaviours through the gate, as every transport sees them: an answer that breaks its declared
//! union fails the call.

use std::path::Path;
use std::sync::Arc;

use proofstone_contract::{CallCx, Content, Rendered, Toolset};
use proofstone_gate::{Gate, OutputPolicy};
use proofstone_patterns::cards::{CARD_MARKER, INDEX_MARKER};
use proofstone_patterns::scan::Scanner;
use proofstone_patterns::{Options, Patterns, Surroundings};
use serde_json::{Value, json};

fn options() -> Options {
    Options { scanner: Scanner::Here, ..Options::default() }
}

fn call_in(root: &Path, options: Options, tool: &str, arguments: Value) -> Rendered {
    let toolset: Arc<dyn Toolset> = Arc::new(Patterns::new(options));
    let gate = Gate::new(vec![toolset], OutputPolicy::Fail).expect("names are unique");
    let cx = CallCx::builder(root).build();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let outcome = runtime.block_on(gate.call(tool, arguments, &cx)).expect("the tool is there");
    assert!(outcome.answer_violations.is_empty(), "{:?}", outcome.answer_violations);
    outcome.rendered
}

fn call(tool: &str, arguments: Value) -> Rendered {
    let empty = tempfile::tempdir().expect("a folder");
    call_in(empty.path(), options(), tool, arguments)
}

fn structured(rendered: &Rendered) -> &Value {
    rendered.structured.as_ref().expect("structured content")
}

fn texts(rendered: &Rendered) -> Vec<&str> {
    let mut texts = Vec::new();
    for content in &rendered.content {
        match content {
            Content::Text(text) => texts.push(text.as_str()),
            other => panic!("not text: {other:?}"),
        }
    }
    texts
}

fn json_block(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok().filter(|value| value.get("kind").is_some())
}

#[test]
fn markers_cards_and_ids_agree_in_every_format() {
    for (format, limit, cards) in
        [("markdown", 5, 2), ("both", 4, 10), ("json", 3, 3), ("markdown", 1, 1)]
    {
        let rendered = call(
            "search_patterns",
            json!({ "q": "promise rejection", "format": format, "limit": limit, "limitCards": cards }),
        );
        let answer = structured(&rendered);
        assert_eq!(answer["kind"], "patternSearchResults:v1");
        let metadata = &answer["metadata"];
        let markdown: Vec<&str> =
            texts(&rendered).into_iter().filter(|text| json_block(text).is_none()).collect();
        let markers = markdown.join("\n").matches(CARD_MARKER).count();
        let index = markdown.join("\n").matches(INDEX_MARKER).count();
        let ids: Vec<&Value> =
            metadata["renderedCardIds"].as_array().expect("ids").iter().collect();
        assert_eq!(metadata["contractMarkers"]["cards"], markers);
        assert_eq!(metadata["contractMarkers"]["index"], index);
        assert_eq!(metadata["contractMarkers"]["version"], "v1");
        assert_eq!(metadata["renderedCards"], markers);
        assert_eq!(ids.len(), markers);
        let patterns = answer["patterns"].as_array().expect("patterns");
        let first: Vec<&Value> =
            patterns.iter().take(markers).map(|pattern| &pattern["id"]).collect();
        assert_eq!(ids, first, "the first K in order");
        assert_eq!(markers, if format == "json" { 0 } else { limit.min(cards) });
    }
}

#[test]
fn formats_gate_the_blocks_and_json_stands_last() {
    let ask = |format: &str| call("search_patterns", json!({ "q": "retry", "format": format }));
    assert!(texts(&ask("markdown")).iter().all(|text| json_block(text).is_none()));
    let json = ask("json");
    assert_eq!(texts(&json).len(), 1);
    assert_eq!(json_block(texts(&json)[0]).as_ref(), json.structured.as_ref());
    let both = ask("both");
    let blocks = texts(&both);
    assert!(blocks.len() >= 2);
    assert_eq!(json_block(blocks[blocks.len() - 1]).as_ref(), both.structured.as_ref());
    assert!(
        blocks[..blocks.len() - 1]
            .iter()
            .all(|text| json_block(text).is_none() && !text.trim().is_empty())
    );
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let ask = || {
        call(
            "search_patterns",
            json!({ "q": "slow database", "format": "both", "limit": 10, "includeProvenancePanel": true }),
        )
    };
    assert_eq!(ask(), ask());
}

#[test]
fn total_and_facets_count_all_matches_whatever_the_limit() {
    let ask = |arguments: Value| structured(&call("search_patterns", arguments)).clone();
    let few = ask(json!({ "q": "errors", "limit": 1 }));
    let total = few["metadata"]["totalCount"].as_u64().expect("a total");
    assert!(total > 1);
    let sum = |facet: &str| -> u64 {
        few["metadata"][facet].as_object().expect("facets").values().filter_map(Value::as_u64).sum()
    };
    assert_eq!((sum("categories"), sum("difficulties")), (total, total));
    for (category, count) in few["metadata"]["categories"].as_object().expect("facets") {
        let narrowed = ask(json!({ "q": "errors", "category": category, "limit": 100 }));
        assert_eq!(narrowed["metadata"]["totalCount"], *count, "{category}");
        assert_eq!(
            narrowed["patterns"].as_array().map(Vec::len),
            count.as_u64().map(|n| n as usize)
        );
    }
}

#[test]
fn every_category_of_the_library_can_be_asked_for_and_an_unknown_one_names_them() {
    let rendered = call("search_patterns", json!({ "q": "x", "category": "eror-handling" }));
    let answer = structured(&rendered);
    assert_eq!(answer["kind"], "needsInput:v1");
    assert_eq!(answer["needsInput"]["fields"], json!(["category"]));
    let known = answer["needsInput"]["suggestions"]["category"].as_array().expect("suggestions");
    assert_eq!(known[0], "error-handling", "the likeliest first");
    for category in known {
        let found = call("search_patterns", json!({ "category": category, "limit": 100 }));
        assert!(structured(&found)["metadata"]["totalCount"].as_u64() > Some(0), "{category}");
    }
    assert!(!rendered.is_error);
}

#[test]
fn a_blank_question_is_asked_back() {
    for arguments in [json!({}), json!({ "q": "" }), json!({ "q": "  \n" })] {
        let rendered = call("search_patterns", arguments);
        let answer = structured(&rendered);
        assert_eq!(
            (&answer["kind"], &answer["type"]),
            (&json!("needsInput:v1"), &json!("elicitation"))
        );
        assert_eq!(answer["needsInput"]["fields"], json!(["q"]));
        assert!(
            !answer["needsInput"]["suggestions"]["q"].as_array().expect("suggestions").is_empty()
        );
        assert!(texts(&rendered)[0].contains("Search Query Needed"));
        assert_eq!((texts(&rendered).len(), rendered.is_error), (1, false));
    }
}

#[test]
fn too_broad_is_more_than_twenty_without_a_filter() {
    let kind = |arguments: Value| structured(&call("search_patterns", arguments))["kind"].clone();
    let broad = json!({ "q": "error test code value", "limit": 21 });
    assert_eq!(kind(broad.clone()), "needsInput:v1");
    assert!(texts(&call("search_patterns", broad))[0].contains("Narrow Your Search"));
    assert_eq!(
        kind(json!({ "q": "error test code value", "limit": 20 })),
        "patternSearchResults:v1"
    );
    assert_eq!(
        kind(json!({ "q": "error test code value", "limit": 100, "difficulty": "beginner" })),
        "patternSearchResults:v1"
    );
}

#[test]
fn nothing_found_names_ids_that_exist() {
    let rendered = call("search_patterns", json!({ "q": "qqqqzzzz xxyyxx" }));
    assert_eq!(structured(&rendered)["metadata"]["totalCount"], 0);
    let text = texts(&rendered).join("\n");
    assert!(text.contains("No Patterns Found"));
    let line = text
        .lines()
        .find(|line| line.starts_with("**Patterns to start from:**"))
        .expect("suggestions");
    let ids: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    assert!(!ids.is_empty());
    for id in ids {
        assert_eq!(
            structured(&call("get_pattern", json!({ "id": id })))["kind"],
            "patternDetails:v1"
        );
    }
}

#[test]
fn an_unknown_or_blank_id_is_answered_with_real_ones() {
    for (id, first) in [
        ("retry-with-backof", Some("retry-with-backoff")),
        ("", None),
        ("Retry-With-Backoff", Some("retry-with-backoff")),
        ("swallowed promise", Some("ts-no-swallowed-rejection")),
        ("zzzzqqq", None),
    ] {
        let rendered = call("get_pattern", json!({ "id": id }));
        let answer = structured(&rendered);
        assert_eq!(answer["kind"], "needsInput:v1", "{id}");
        assert_eq!(answer["needsInput"]["fields"], json!(["id"]));
        let suggested = answer["needsInput"]["suggestions"]["id"].as_array().expect("never empty");
        if let Some(first) = first {
            assert_eq!(suggested[0], first, "{id}");
        }
        assert!(
            texts(&rendered)[0].contains("Pattern Not Found")
                && texts(&rendered)[0].contains("Did you mean")
        );
    }
}

#[test]
fn a_pattern_in_full_has_one_card_a_heading_and_its_api_names() {
    let rendered = call("get_pattern", json!({ "id": "retry-with-backoff", "format": "both" }));
    let text = texts(&rendered).join("\n");
    let (markdown, _) = text.rsplit_once("{\n  \"kind\"").expect("JSON at the end");
    assert!(markdown.lines().any(|line| line.starts_with("# ")));
    assert_eq!(markdown.matches(CARD_MARKER).count(), 1);
    assert!(markdown.contains("**API:** `") && markdown.contains("Math.random"));
    let answer = structured(&rendered);
    assert!(answer["sections"].as_array().expect("sections").len() >= 4);
    assert!(
        answer["useGuidance"]["useWhen"].is_string() && answer["examples"][0]["code"].is_string()
    );
    let short = call(
        "get_pattern",
        json!({ "id": "retry-with-backoff", "includeStructuredDetails": false }),
    );
    assert!(structured(&short).get("sections").is_none());
    assert!(structured(&short)["description"].as_str().expect("a text").chars().count() <= 403);
}

#[test]
fn bad_arguments_are_tool_errors_inside_the_union() {
    for arguments in [
        json!({ "q": 7 }),
        json!({ "q": "x", "limit": "not-a-number" }),
        json!({ "q": null, "limit": 0 }),
        json!({ "q": "x", "limit": 101 }),
        json!({ "q": "x", "format": "xml" }),
        json!({ "query": "x" }),
    ] {
        let rendered = call("search_patterns", arguments);
        let answer = structured(&rendered);
        assert!(rendered.is_error);
        assert_eq!(
            (&answer["kind"], &answer["code"]),
            (&json!("toolError:v1"), &json!("VALIDATION_ERROR"))
        );
        assert_eq!(answer["retryable"], false);
        assert!(texts(&rendered).iter().all(|text| json_block(text).is_none()));
    }
    assert_eq!(structured(&call("get_pattern", json!({})))["kind"], "toolError:v1");
}

#[test]
fn strange_questions_are_questions() {
    for q in [
        "'; DROP TABLE patterns;--",
        "\"\"\"",
        "{}",
        "<script>",
        "a\nb",
        &"word ".repeat(2048),
        "日本語",
        "\u{0}",
    ] {
        let rendered = call("search_patterns", json!({ "q": q, "format": "both" }));
        assert!(!rendered.is_error, "{q}");
        assert_eq!(structured(&rendered)["kind"], "patternSearchResults:v1");
    }
}

#[test]
fn the_debug_tool_is_there_exactly_when_it_should_be() {
    let names = |debug: Option<&str>, env: Option<&str>| -> Vec<&'static str> {
        let surroundings =
            Surroundings { debug: debug.map(str::to_owned), env: env.map(str::to_owned) };
        Patterns::new(Options { surroundings, ..options() })
            .tools()
            .iter()
            .map(|tool| tool.descriptor.name)
            .collect()
    };
    for (debug, env, there) in [
        (None, None, false),
        (Some("true"), None, true),
        (Some("TRUE"), None, false),
        (Some("1"), None, false),
        (None, Some("local"), true),
        (None, Some("production"), false),
        (Some("false"), Some("production"), false),
        (Some("true"), Some("production"), true),
    ] {
        assert_eq!(names(debug, env).contains(&"get_mcp_config"), there, "{debug:?} {env:?}");
    }
    let surroundings = Surroundings { debug: None, env: Some("local".to_owned()) };
    let empty = tempfile::tempdir().expect("a folder");
    let rendered = call_in(
        empty.path(),
        Options { surroundings, ..options() },
        "get_mcp_config",
        json!({ "format": "json" }),
    );
    assert_eq!(
        (&structured(&rendered)["kind"], &structured(&rendered)["mcpEnv"]),
        (&json!("mcpConfig:v1"), &json!("local"))
    );
}

#[test]
fn rules_are_listed_with_their_self_tests_and_dead_ones_are_not_counted() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join(".patterns");
    std::fs::create_dir(&folder).expect("a new folder");
    let file = "---\nid: mine\nsummary: s\nrules:\n  - id: dead-one\n    ast-grep: { language: Python, rule: { pattern: never_there($A) } }\n  - id: broken\n    ast-grep: { language: Python, rule: { patern: x } }\n---\n## Anti-Pattern\n```python\nx = 1\n```\n";
    std::fs::write(folder.join("mine.md"), file).expect("written");
    let rendered = call_in(project.path(), options(), "list_analysis_rules", json!({}));
    let answer = structured(&rendered);
    assert_eq!((&answer["kind"], &answer["deadCount"]), (&json!("analysisRules:v1"), &json!(1)));
    let rules = answer["rules"].as_array().expect("rules");
    let ids: std::collections::BTreeSet<&str> =
        rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids.len(), rules.len(), "ids are unique");
    assert_eq!(answer["count"], rules.len() - 1);
    let dead = rules.iter().find(|rule| rule["id"] == "dead-one").expect("it is listed");
    assert_eq!(
        (&dead["selfTest"]["status"], &dead["defaultLevel"]),
        (&json!("dead"), &json!("off"))
    );
    let scan = call_in(
        project.path(),
        options(),
        "analyze_code",
        json!({ "code": "x", "language": "python", "rules": ["dead-one"] }),
    );
    assert_eq!(structured(&scan)["code"], "DEAD_RULE");
    let shelf = proofstone_patterns::shelf::Shelf::new(proofstone_patterns::shelf::Places {
        project: Some(project.path().into()),
        ..Default::default()
    });
    let library = shelf.library();
    let broken: Vec<String> = library
        .rules()
        .diagnostics()
        .iter()
        .filter(|d| d.code == "rule-compile")
        .map(ToString::to_string)
        .collect();
    assert!(broken[0].starts_with("mine.md:8:43: error[rule-compile] rule `broken` does not compile: unknown field `patern`"), "{broken:?}");
}

#[test]
fn a_pattern_applies_to_the_packages_and_files_it_names() {
    let project = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = project.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        std::fs::write(path, text).expect("written");
    };
    write(
        ".patterns/no-print.md",
        "---\nid: no-print\ntitle: No quuxing prints\nsummary: s\nappliesTo: { packages: [\"structlog@>=24\"], paths: [\"src/**\"] }\n\
         rules:\n  - id: print-call\n    ast-grep: { language: Python, rule: { pattern: print($A) } }\n---\n\
         ## Anti-Pattern\n```python\nprint(1)\n```\n",
    );
    write("src/a.py", "print(1)\n");
    write("tools/a.py", "print(1)\n");
    let options = || Options { without_built_in: true, ..options() };
    let call = |tool: &str, arguments: Value| call_in(project.path(), options(), tool, arguments);
    let found = || {
        let scan = call("analyze_code", json!({ "paths": ["."] }));
        let findings = structured(&scan)["findings"].as_array().expect("findings").clone();
        findings.iter().map(|finding| finding["file"].to_string()).collect::<Vec<_>>().join(" ")
    };
    expect_test::expect!["\"src/a.py\""].assert_eq(&found());
    let refused = call("apply_fix", json!({ "rule": "print-call", "path": "tools/a.py" }));
    assert_eq!(structured(&refused)["code"], "NO_FIX", "{refused:?}");

    write("requirements.txt", "structlog==23.1\n");
    expect_test::expect![""].assert_eq(&found());
    let search = call("search_patterns", json!({ "q": "quuxing prints" }));
    assert_eq!(structured(&search)["metadata"]["totalCount"], 0, "{search:?}");
    let status = &search.meta["proofstone/library"];
    expect_test::expect![
        "it is for structlog@>=24; the project has structlog 23.1.0 (requirements.txt)"
    ]
    .assert_eq(status["excluded"][0]["reason"].as_str().unwrap_or_default());
    let asked = call("get_pattern", json!({ "id": "no-print" }));
    assert_eq!(structured(&asked)["id"], "no-print");

    write("requirements.txt", "structlog==24.2.0\n");
    expect_test::expect!["\"src/a.py\""].assert_eq(&found());
}
