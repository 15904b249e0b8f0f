//! What comes from outside is read without harm, whatever it is: event streams, lock files, recordings and
//! schemas. (The challenge's properties stand beside its reader.) `fuzz/` tries the same for longer.

use proofstone_mcptest::diff::diff;
use proofstone_mcptest::lint::lint;
use proofstone_mcptest::recording::Recording;
use proofstone_mcptest::{Cutter, StreamEvent, Surface, mirrored, sample_arguments};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, with the words that readers look for.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        key().prop_map(Value::from),
        Just(json!("#")),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((key(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    let known = [
        "name",
        "description",
        "inputSchema",
        "outputSchema",
        "type",
        "properties",
        "required",
        "$ref",
        "enum",
        "items",
        "anyOf",
        "object",
        "array",
        "string",
        "integer",
        "minimum",
        "minLength",
        "uri",
        "annotations",
        "readOnlyHint",
        "instructions",
        "x-mcp-header",
        "const",
        "additionalProperties",
    ];
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(str::to_owned), ".{0,6}"]
}

fn surface() -> impl Strategy<Value = Value> {
    let list = || proptest::collection::vec(anything(), 0..4);
    (anything(), list(), list(), list(), list()).prop_map(|(opening, tools, resources, templates, prompts)| {
        json!({
            "form": "proofstone-mcp-surface/1", "takenAt": "now", "server": "x", "revision": "2025-11-25",
            "opening": opening, "tools": tools, "resources": resources, "resourceTemplates": templates,
            "prompts": prompts,
        })
    })
}

fn written(event: &StreamEvent) -> String {
    let id = event.id.as_ref().map(|id| format!("id: {id}\n")).unwrap_or_default();
    let data = event.data.replace('\n', "\ndata: ");
    format!("event: {}\n{id}data: {data}\n\n", event.event)
}

fn event() -> impl Strategy<Value = StreamEvent> {
    let id = proptest::option::of("[^\\r\\n\\x00]{0,8}");
    ("[a-z]{1,8}", "[^\\r]{0,40}", id).prop_map(|(event, data, id)| StreamEvent { event, data, id })
}

proptest! {
    #[test]
    fn a_stream_is_the_same_however_it_is_cut(bytes in "(data|id|event|retry|[: \\r\\n\u{feff}a]|.){0,80}", at in any::<prop::sample::Index>()) {
        let bytes = bytes.as_bytes();
        let whole = Cutter::default().push(bytes);
        let (first, second) = bytes.split_at(at.index(bytes.len() + 1));
        let mut cutter = Cutter::default();
        let mut pieces = cutter.push(first).unwrap_or_default();
        pieces.extend(cutter.push(second).unwrap_or_default());
        prop_assert_eq!(whole, Some(pieces));
    }

    #[test]
    fn events_that_were_written_are_read(events in proptest::collection::vec(event(), 0..5)) {
        let text: String = events.iter().map(written).collect();
        prop_assert_eq!(Cutter::default().push(text.as_bytes()), Some(events));
    }

    #[test]
    fn any_bytes_are_a_stream(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Cutter::default().push(&bytes).is_some());
    }

    #[test]
    fn a_lock_file_survives_writing_and_is_its_own_likeness(one in surface(), other in surface()) {
        let one = Surface::read(&one.to_string()).expect("a surface");
        let other = Surface::read(&other.to_string()).expect("a surface");
        prop_assert_eq!(&Surface::read(&one.written()).expect("what was written"), &one);
        prop_assert!(diff(&one, &one).is_empty());
        diff(&one, &other);
        lint(&one);
    }

    #[test]
    fn a_recording_survives_writing(surface in surface(), params in anything(), answer in anything()) {
        let exchange = json!({ "method": "tools/call", "params": params, "answer": answer });
        let recording = json!({
            "form": "proofstone-mcp-session/1", "recordedAt": "now", "surface": surface, "exchanges": [exchange],
        });
        let recording = Recording::read(&recording.to_string()).expect("a recording");
        prop_assert_eq!(Recording::read(&recording.written()).expect("what was written"), recording);
    }

    #[test]
    fn what_is_no_file_of_ours_is_said_to_be_none(text in ".{0,200}", value in anything()) {
        prop_assert!(Surface::read(&text).is_err() && Recording::read(&text).is_err());
        prop_assert!(Surface::read(&value.to_string()).is_err() && Recording::read(&value.to_string()).is_err());
    }

    #[test]
    fn any_schema_gives_arguments(schema in anything()) {
        sample_arguments(&schema);
        let _ = mirrored(&json!({ "name": "x", "inputSchema": schema }));
    }
}
