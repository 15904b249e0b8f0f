//! Layers, overriding, reloading, and folders that go away while they are being served.

use std::fs;
use std::path::Path;

use proofstone_patterns::library::Filter;
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::shelf::{Places, Shelf};

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, text).expect("written");
}

fn pattern(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\nsummary: About {title}.\n---\n## Guideline\nDo.\n")
}

struct Setting {
    project: tempfile::TempDir,
    user: tempfile::TempDir,
    shelf: Shelf,
}

fn setting() -> Setting {
    let (project, user) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let places = Places {
        project: Some(project.path().into()),
        user: Some(user.path().join("patterns")),
        without_built_in: false,
    };
    Setting { shelf: Shelf::new(places), project, user }
}

#[test]
fn the_nearest_layer_wins_and_says_what_it_hides() {
    let s = setting();
    write(s.user.path(), "patterns/retry.md", &pattern("retry-with-backoff", "The user's way"));
    write(s.user.path(), "patterns/mine.mdx", &pattern("only-mine", "Mine"));
    let library = s.shelf.library();
    let retry = library.get("retry-with-backoff").expect("it is there");
    assert_eq!(
        (retry.title.as_str(), retry.origin.layer, retry.origin.overrides),
        ("The user's way", Layer::User, Some(Layer::BuiltIn))
    );
    write(
        s.project.path(),
        ".patterns/resilience/retry.md",
        &pattern("retry-with-backoff", "Our way"),
    );
    let library = s.shelf.library();
    let retry = library.get("retry-with-backoff").expect("it is there");
    assert_eq!(
        (retry.title.as_str(), retry.origin.layer, retry.origin.overrides),
        ("Our way", Layer::Project, Some(Layer::User))
    );
    assert_eq!(retry.category, "resilience", "the folder's name");
    assert_eq!(library.get("only-mine").map(|p| p.origin.layer), Some(Layer::User));
}

#[test]
fn one_bad_file_never_hides_the_others() {
    let s = setting();
    let folder = s.project.path().join(".patterns");
    write(&folder, "a.md", &pattern("twin", "First"));
    write(&folder, "b.md", &pattern("twin", "Second"));
    write(&folder, "broken.md", "---\ntitle: \"open\nid: x\n---\n");
    write(&folder, "fence.md", "---\nid: fence\nsummary: s\n---\n## Example\n```ts\nlet a;\n");
    write(&folder, "large.md", &format!("{}{}", pattern("large", "L"), "x".repeat(10 << 20)));
    fs::write(folder.join("latin.md"), b"---\nid: latin\n---\n\xe9").expect("written");
    let library = s.shelf.library();
    assert_eq!(library.get("twin").map(|p| p.title.as_str()), Some("First"));
    assert!(
        library.get("fence").is_some()
            && library.get("large").is_none()
            && library.patterns().len() > 60
    );
    let said: Vec<String> = library.diagnostics().iter().map(ToString::to_string).collect();
    for expected in [
        "b.md:2:1: error[duplicate-id] the id `twin` is taken by a.md",
        "broken.md:3:1: error[front-matter] broken YAML",
        "fence.md:6:1: warning[unclosed-fence]",
        "large.md:1:1: error[too-large] the file has 104",
        "latin.md:1:1: error[unreadable] byte 18 is not UTF-8",
    ] {
        assert!(
            said.iter().any(|line| line.starts_with(expected)),
            "{expected}\n{}",
            said.join("\n")
        );
    }
}

#[test]
fn files_are_read_again_when_they_change_and_a_lost_folder_is_told() {
    let s = setting();
    let folder = s.project.path().join(".patterns");
    write(&folder, "a.md", &pattern("changing", "Before"));
    let title = || s.shelf.library().get("changing").map(|p| p.title.clone());
    assert_eq!(title().as_deref(), Some("Before"));
    assert!(
        std::sync::Arc::ptr_eq(&s.shelf.library(), &s.shelf.library()),
        "nothing changed, nothing is read"
    );
    write(&folder, "a.md", &pattern("changing", "Afterwards"));
    assert_eq!(title().as_deref(), Some("Afterwards"));
    fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(title(), None);
    let library = s.shelf.library();
    assert!(
        library.diagnostics()[0].message.contains("has disappeared"),
        "{:?}",
        library.diagnostics()
    );
    assert!(
        !library.search("retry", &Filter::default()).patterns.is_empty(),
        "the built-in ones are still served"
    );
    write(&folder, "a.md", &pattern("changing", "Back"));
    assert_eq!(title().as_deref(), Some("Back"));
    assert!(s.shelf.library().diagnostics().is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_can_not_lead_out_of_the_folder() {
    let s = setting();
    let outside = tempfile::tempdir().expect("a folder");
    write(outside.path(), "secret.md", &pattern("secret", "Secret"));
    fs::create_dir(s.project.path().join(".patterns")).expect("a folder");
    std::os::unix::fs::symlink(
        outside.path().join("secret.md"),
        s.project.path().join(".patterns/link.md"),
    )
    .expect("a link");
    assert!(s.shelf.library().get("secret").is_none());
}
