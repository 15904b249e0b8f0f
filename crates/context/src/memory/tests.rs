//! Memory, as its users see it.

use proofstone_jail::{Policy, Root};

use super::*;
use crate::search::Question;

fn project() -> (tempfile::TempDir, Root) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path(), Policy::project()).unwrap();
    (folder, root)
}

fn told(content: &str) -> NewDiscovery {
    NewDiscovery {
        kind: DiscoveryKind::Rule,
        content: content.to_owned(),
        module: Some("auth".to_owned()),
        session: None,
        author: None,
        confidence: 1.0,
        anchor: None,
    }
}

fn record(memory: &Memory, root: &Root, new: NewDiscovery) -> Discovery {
    match memory.record(root, new).unwrap() {
        Recorded::New(d) => d,
        Recorded::Known(d) => panic!("known: {d:?}"),
    }
}

#[test]
fn the_same_thing_said_twice_is_recognised() {
    let (_folder, root) = project();
    let memory = Memory::open(&root).unwrap();
    let first = record(&memory, &root, told("Tokens must never be logged."));
    let again = memory.record(&root, told("tokens must  never be LOGGED")).unwrap();
    assert_eq!(again, Recorded::Known(first));
}

#[test]
fn new_words_supersede_and_nothing_is_deleted() {
    let (_folder, root) = project();
    let memory = Memory::open(&root).unwrap();
    let old = record(&memory, &root, told("Tokens live for one hour."));
    let changes =
        Changes { content: Some("Tokens live for ten minutes.".to_owned()), ..Changes::default() };
    let new = memory.update(&root, &old.id, changes).unwrap();
    let old = memory.discovery(&root, &old.id).unwrap();
    assert_eq!(
        (old.status, old.superseded_by.as_deref()),
        (Status::Superseded, Some(new.id.as_str()))
    );
    assert_eq!(memory.discoveries(&root, &Filter::default()).unwrap(), std::slice::from_ref(&new));
    let withdrawn = memory
        .update(&root, &new.id[..8], Changes { withdraw: true, ..Changes::default() })
        .unwrap();
    assert_eq!(withdrawn.status, Status::Withdrawn);
    assert_eq!(
        memory.discoveries(&root, &Filter { any_status: true, ..Filter::default() }).unwrap().len(),
        2
    );
}

#[test]
fn the_database_is_derived_from_the_files() {
    let (folder, root) = project();
    let id = record(&Memory::open(&root).unwrap(), &root, told("Tokens must never be logged.")).id;
    for file in ["context.db", "context.db-wal", "context.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(".context").join(file));
    }
    std::fs::write(
        folder.path().join(".context/discoveries/by-hand.md"),
        "Prefer one query per page.\n",
    )
    .unwrap();
    std::fs::create_dir_all(folder.path().join("docs/adr")).unwrap();
    std::fs::write(
        folder.path().join("docs/adr/1.md"),
        "# Use SQLite\n\n## Decision\n\nSessions are kept in SQLite.\n",
    )
    .unwrap();
    let memory = Memory::open(&root).unwrap();
    let all = memory.discoveries(&root, &Filter::default()).unwrap();
    assert_eq!(all.len(), 3);
    assert!(all.iter().any(|d| d.id == id && d.module.as_deref() == Some("auth")));
    assert!(all.iter().any(|d| d.source == Source::DecisionRecord));
    std::fs::remove_file(folder.path().join(".context/discoveries/by-hand.md")).unwrap();
    memory.import(&root).unwrap();
    assert_eq!(memory.discoveries(&root, &Filter::default()).unwrap().len(), 2);
}

#[test]
fn changed_code_makes_a_discovery_suspect() {
    let (folder, root) = project();
    let file = folder.path().join("a.rs");
    std::fs::write(&file, "fn a() { 1 }\nfn b() { 2 }\n").unwrap();
    let memory = Memory::open(&root).unwrap();
    let anchored = NewDiscovery {
        anchor: Some(("a.rs".to_owned(), Some("a".to_owned()))),
        ..told("a returns one, always.")
    };
    let id = record(&memory, &root, anchored).id;
    let state = || memory.discovery(&root, &id).unwrap().anchor_state;
    assert_eq!(state(), Some(AnchorState::Holds));
    std::fs::write(&file, "fn b() { 3 }\nfn a() { 1 }\n").unwrap();
    assert_eq!(
        state(),
        Some(AnchorState::Holds),
        "moving it or changing its neighbour changes nothing"
    );
    std::fs::write(&file, "fn a() { 7 }\n").unwrap();
    assert_eq!(state(), Some(AnchorState::Suspect));
    let confirmed =
        memory.update(&root, &id, Changes { confirm: true, ..Changes::default() }).unwrap();
    assert_eq!(confirmed.anchor_state, Some(AnchorState::Holds));
    std::fs::write(&file, "fn c() {}\n").unwrap();
    assert_eq!(state(), Some(AnchorState::Gone));
    let nowhere = NewDiscovery {
        anchor: Some(("a.rs".to_owned(), Some("zzz".to_owned()))),
        ..told("there is no such thing")
    };
    assert!(matches!(memory.record(&root, nowhere), Err(MemoryError::NoSuchCode { .. })));
    let secret = NewDiscovery {
        anchor: Some((".env".to_owned(), None)),
        ..told("an anchor is no way around")
    };
    assert!(matches!(memory.record(&root, secret), Err(MemoryError::Folder(_))));
}

#[test]
fn a_database_that_is_not_ours_is_moved_aside() {
    let (folder, root) = project();
    let database = folder.path().join(".context/context.db");
    std::fs::create_dir_all(database.parent().unwrap()).unwrap();
    let aside = || {
        let entries = std::fs::read_dir(folder.path().join(".context")).unwrap();
        entries.flatten().filter(|e| e.file_name().to_string_lossy().contains("set-aside")).count()
    };
    std::fs::write(&database, b"this is a text and no database, but long enough to look at")
        .unwrap();
    let memory = Memory::open(&root).unwrap();
    assert!(memory.notes()[0].contains("is not a database"), "{:?}", memory.notes());
    record(&memory, &root, told("Tokens must never be logged."));
    drop(memory);
    let _ = std::fs::remove_file(&database);
    let foreign = Connection::open(&database).unwrap();
    foreign.execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);").unwrap();
    drop(foreign);
    let memory = Memory::open(&root).unwrap();
    assert!(memory.notes()[0].contains("another program"));
    assert_eq!(
        memory.discoveries(&root, &Filter::default()).unwrap().len(),
        1,
        "made anew from the files"
    );
    assert!(aside() >= 2, "nothing was overwritten");
    drop(memory);
    assert!(Memory::open(&root).unwrap().notes().is_empty());
}

#[test]
fn a_damaged_database_is_moved_aside() {
    let (folder, root) = project();
    record(&Memory::open(&root).unwrap(), &root, told("Tokens must never be logged."));
    let database = folder.path().join(".context/context.db");
    let mut bytes = std::fs::read(&database).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0xA5);
    std::fs::write(&database, bytes).unwrap();
    let memory = Memory::open(&root).unwrap();
    assert_eq!(memory.notes().len(), 1);
    assert_eq!(memory.discoveries(&root, &Filter::default()).unwrap().len(), 1);
}

#[test]
fn sessions_start_and_end_by_themselves() {
    let (_folder, root) = project();
    let memory = Memory::open(&root).unwrap();
    let first = memory.use_session().unwrap();
    assert_eq!(memory.use_session().unwrap(), first);
    memory.note_topic(&first, "how are tokens made").unwrap();
    memory.note_access(&first, "src/a.rs", "src", 400).unwrap();
    memory.note_access(&first, "src/a.rs", "src", 400).unwrap();
    let current = memory.current_session().unwrap().unwrap();
    assert_eq!((current.tool_calls, current.files[0].count, current.topics.len()), (2, 2, 1));
    memory
        .database()
        .execute("UPDATE sessions SET last_active_at = '2020-01-01T00:00:00Z'", [])
        .unwrap();
    let second = memory.use_session().unwrap();
    assert_ne!(second, first);
    let sessions = memory.recent_sessions(10).unwrap();
    assert_eq!(
        sessions.iter().map(|s| s.status.name()).collect::<Vec<_>>(),
        ["active", "archived"]
    );
    assert_eq!(memory.end_session(Some("done")).unwrap().summary.as_deref(), Some("done"));
    assert!(matches!(memory.end_session(None), Err(MemoryError::NoSession)));
}

#[test]
fn the_scorer_archives_and_never_deletes() {
    let (_folder, root) = project();
    let memory = Memory::open(&root).unwrap();
    let session = memory.use_session().unwrap();
    for n in 0..12 {
        memory.note_access(&session, &format!("f{n}.rs"), "m", 40_000).unwrap();
    }
    memory.database().execute("UPDATE context_items SET last_accessed_at = '2020-01-01T00:00:00Z' WHERE path = 'f3.rs'", []).unwrap();
    memory.score_items().unwrap();
    let items = memory.items(100).unwrap();
    assert_eq!(items.len(), 12);
    assert_eq!(
        items.iter().filter(|i| !i.archived).count(),
        6,
        "64 % of 100,000 tokens, 10,000 each"
    );
    assert!(items.iter().any(|i| i.path == "f3.rs" && i.archived && i.recency == 0.0));
    assert!((items[0].score - (0.6 * items[0].recency + 0.4 * items[0].access)).abs() < 1e-9);
}

#[test]
fn recall_ranks_by_words() {
    let (_folder, root) = project();
    let memory = Memory::open(&root).unwrap();
    record(&memory, &root, told("Use JWT tokens in httpOnly cookies for auth"));
    record(&memory, &root, told("Database migrations run in a transaction"));
    let all = memory.discoveries(&root, &Filter::default()).unwrap();
    let found = recall(&Question::parse("JWT authentication cookies"), all.clone(), Vec::new());
    assert!(matches!(&found[0].1, Recalled::Discovery(d) if d.content.contains("JWT")));
    assert!(found[0].0 > 0.5 && found[0].0 <= 1.0, "{}", found[0].0);
    assert!(recall(&Question::parse("zebra"), all, Vec::new()).is_empty());
}
