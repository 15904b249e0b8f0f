//! Edits applied to code, and the difference they make. It knows bytes and lines, and no rules.

use similar::TextDiff;

use crate::engine::Edit;

/// Applies edits from the front; one that overlaps an earlier one is left out. Returns the new text and how many
/// were applied.
pub fn apply(code: &str, edits: &[Edit]) -> (String, usize) {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let (mut text, mut at, mut applied) = (String::with_capacity(code.len()), 0, 0);
    for edit in edits {
        let sound =
            edit.start >= at && edit.end >= edit.start && code.get(edit.start..edit.end).is_some();
        if !sound {
            continue;
        }
        text.push_str(&code[at..edit.start]);
        text.push_str(&edit.text);
        at = edit.end;
        applied += 1;
    }
    text.push_str(&code[at..]);
    (text, applied)
}

/// The difference as a unified diff; empty where there is none.
pub fn unified_diff(path: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff()
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn overlapping_edits_are_left_out() {
        let edit = |start, end, text: &str| Edit { start, end, text: text.into() };
        let (text, applied) = apply("abcdef", &[edit(1, 3, "X"), edit(2, 4, "Y"), edit(5, 6, "")]);
        assert_eq!((text.as_str(), applied), ("aXde", 2));
    }

    proptest! {
        #[test]
        fn no_edit_breaks_the_text(code in "\\PC{0,40}", edits in prop::collection::vec((0usize..60, 0usize..60), 0..6)) {
            let edits: Vec<Edit> =
                edits.into_iter().map(|(start, end)| Edit { start, end, text: "é".into() }).collect();
            let (_, applied) = apply(&code, &edits);
            prop_assert!(applied <= edits.len());
        }
    }
}
