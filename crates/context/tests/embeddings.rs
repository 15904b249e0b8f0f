//! An embeddings endpoint that works, and every way in which one does not: the search is answered either
//! way, and the answer says which way it was.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proofstone_context::embed::EndpointOptions;
use proofstone_context::{Context, Options};
use serde_json::{Value, json};

/// An endpoint on a port of its own. It likes texts that name the moon.
struct Endpoint {
    url: String,
    asked: Arc<AtomicUsize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Works,
    Limits,
    Fails,
    Talks,
    Hangs,
    LimitsOnce,
}

impl Endpoint {
    fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let asked = counter.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || serve(stream, mood, asked));
            }
        });
        Self { url, asked }
    }
}

fn serve(mut stream: TcpStream, mood: Mood, asked: usize) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let (status, answer) = match mood {
        Mood::Works => ("200 OK", vectors(&body)),
        Mood::LimitsOnce if asked > 0 => ("200 OK", vectors(&body)),
        Mood::Limits | Mood::LimitsOnce => ("429 Too Many Requests", "{}".to_owned()),
        Mood::Fails => ("500 Internal Server Error", "oh dear".to_owned()),
        Mood::Talks => ("200 OK", "<html>hello</html>".to_owned()),
        Mood::Hangs => {
            std::thread::sleep(std::time::Duration::from_mins(1));
            return;
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    let _ = stream.write_all((head + &answer).as_bytes());
}

fn vectors(body: &[u8]) -> String {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let texts = request["input"].as_array().cloned().unwrap_or_default();
    let one = |text: &Value| {
        let moon = text.as_str().is_some_and(|text| text.contains("moon"));
        json!({ "embedding": if moon { [1.0, 0.0] } else { [0.0, 1.0] } })
    };
    json!({ "data": texts.iter().map(one).collect::<Vec<_>>() }).to_string()
}

/// Searches a small project with an endpoint in some mood: the files found, and what is said of vectors.
fn search(root: &Path, cache: &Path, url: &str, key: Option<&str>) -> (Vec<String>, String) {
    let embeddings = EndpointOptions {
        base_url: url.to_owned(),
        model: "test".to_owned(),
        api_key_env: key.map(str::to_owned),
    };
    let options = Options { cache: cache.to_owned(), embeddings: Some(embeddings) };
    let context = Arc::new(Context::open(root, options).expect("the project opens"));
    let arguments = json!({ "query": "where does the moon rise over lunar tides", "limit": 5 });
    let outcome = proofstone_testkit::call(context, root, "context_search", arguments);
    assert!(!outcome.rendered.is_error, "{}", outcome.rendered.text());
    let answer = outcome.rendered.structured.expect("an answer");
    let results = answer["results"].as_array().expect("results").clone();
    let files = results.iter().map(|r| r["file"].as_str().unwrap_or_default().to_owned()).collect();
    let vectors =
        outcome.rendered.meta["proofstone/context"]["vectors"].as_str().expect("said").to_owned();
    (files, vectors)
}

fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let tides =
        "/// Tides rise where they rise; lunar tides rise, tides over tides.\nfn tides() {}\n";
    std::fs::write(root.path().join("tides.rs"), tides).expect("written");
    std::fs::write(root.path().join("sky.rs"), "/// About the moon.\nfn sky() {}\n")
        .expect("written");
    root
}

#[test]
fn vectors_change_the_order_and_are_not_asked_for_twice() {
    let (root, cache) = (project(), tempfile::tempdir().expect("a folder"));
    let endpoint = Endpoint::start(Mood::Works);
    let (files, said) = search(root.path(), cache.path(), &endpoint.url, None);
    assert_eq!(files.first().map(String::as_str), Some("sky.rs"), "{files:?} {said}");
    assert!(said.contains("test"), "{said}");
    let asked = endpoint.asked.load(Ordering::SeqCst);
    search(root.path(), cache.path(), &endpoint.url, None);
    assert_eq!(endpoint.asked.load(Ordering::SeqCst), asked, "known texts are not sent again");
}

#[test]
fn an_endpoint_that_fails_is_said_and_the_search_is_answered() {
    for (mood, words) in [
        (Mood::Limits, "API rate limit exceeded"),
        (Mood::Fails, "HTTP 500"),
        (Mood::Talks, "can't be used"),
        (Mood::Hangs, "can't be reached"),
    ] {
        let (root, cache) = (project(), tempfile::tempdir().expect("a folder"));
        let endpoint = Endpoint::start(mood);
        let (files, said) = search(root.path(), cache.path(), &endpoint.url, None);
        assert_eq!(files.first().map(String::as_str), Some("tides.rs"), "{files:?}");
        assert!(
            said.contains("Failed to generate query embedding") && said.contains(words),
            "{said}"
        );
    }
}

#[test]
fn a_passing_limit_is_waited_out_and_a_missing_key_is_named() {
    let (root, cache) = (project(), tempfile::tempdir().expect("a folder"));
    let endpoint = Endpoint::start(Mood::LimitsOnce);
    let (files, _) = search(root.path(), cache.path(), &endpoint.url, None);
    assert_eq!(files.first().map(String::as_str), Some("sky.rs"));
    let cache = tempfile::tempdir().expect("a folder");
    let (_, said) =
        search(root.path(), cache.path(), &endpoint.url, Some("PROOFSTONE_NO_SUCH_KEY"));
    assert!(said.contains("PROOFSTONE_NO_SUCH_KEY"), "{said}");
}
