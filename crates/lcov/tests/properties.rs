//! What must hold for every tracefile: it survives writing and reading, merging obeys its laws, and
//! no bytes make a reader panic.

use std::collections::BTreeMap;

use proofstone_lcov::{
    Alias, BString, Branch, BranchId, BranchKind, Condition, Coverage, Function, Section, Taken,
    Totals, Tracefile,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = BString> {
    "[a-z0-9<>(:~][a-z, 0-9]{0,5}[a-z)]".prop_map(BString::from)
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![3 => 0..3_u64, 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn function() -> impl Strategy<Value = Function> {
    let alias = (name(), count()).prop_map(|(name, hits)| Alias { name, hits });
    (0..4_u32, proptest::option::of(4..9_u32), vec(alias, 1..3))
        .prop_map(|(start, end, aliases)| Function { start, end, aliases: aliases.into() })
}

fn branch() -> impl Strategy<Value = Branch> {
    let id = prop_oneof![
        (0..3_u32).prop_map(BranchId::Number),
        name().prop_map(|name| BranchId::Name(Box::new(name)))
    ];
    let kind = prop_oneof![Just(BranchKind::Plain), Just(BranchKind::Exception)];
    let taken = prop_oneof![Just(Taken::NEVER_EVALUATED), count().prop_map(Taken::times)];
    (1..4_u32, 0..3_u32, kind, any::<bool>(), id, taken).prop_map(
        |(line, block, kind, unreachable, id, taken)| Branch {
            line,
            block,
            kind,
            unreachable,
            id,
            taken,
        },
    )
}

fn condition() -> impl Strategy<Value = Condition> {
    (1..3_u32, 0..2_u32, any::<bool>(), name(), count()).prop_map(
        |(line, index, sense, expression, hits)| Condition {
            line,
            group_size: 2,
            index,
            sense,
            unreachable: false,
            expression,
            hits,
        },
    )
}

fn section() -> impl Strategy<Value = Section> {
    let coverage = (
        vec((1..40_u32, count()), 1..12),
        vec(function(), 0..4),
        vec(branch(), 0..6),
        vec(condition(), 0..3),
    )
        .prop_map(|(lines, functions, branches, conditions)| Coverage {
            lines: lines.into_iter().collect(),
            functions,
            branches: branches.into_iter().collect(),
            conditions,
            ..Coverage::default()
        });
    ("[ab]?", "(src/|\\./)?[ab]\\.rs", coverage).prop_map(|(test, path, coverage)| Section {
        test: test.into(),
        path: path.into(),
        version: None,
        coverage,
    })
}

/// Any tracefile, in the form every tracefile has after reading.
fn tracefile() -> impl Strategy<Value = Tracefile> {
    vec(section(), 1..5).prop_map(|sections| {
        let trace = Tracefile { sections, ..Tracefile::default() };
        Tracefile::read(&*written(&trace)).expect("what was written can be read")
    })
}

fn written(trace: &Tracefile) -> Vec<u8> {
    let mut bytes = Vec::new();
    trace.write(&mut bytes).expect("memory takes it");
    bytes
}

fn merged(a: &Tracefile, b: &Tracefile) -> Tracefile {
    let mut a = a.clone();
    a.merge(b.clone());
    a
}

/// Everything that is counted, whatever the order and spelling.
fn counts(trace: &Tracefile) -> BTreeMap<String, (Coverage, Vec<u64>)> {
    let by_path = |section: &Section| {
        let mut coverage = section.coverage.clone();
        // Which number a block has says nothing; which branches it has and their counts do.
        let branches: Vec<Branch> = std::mem::take(&mut coverage.branches).iter().collect();
        let mut taken: Vec<u64> = branches
            .chunk_by(|a, b| (a.line, a.block) == (b.line, b.block))
            .map(|block| block.iter().filter(|branch| branch.taken.is_hit()).count() as u64)
            .collect();
        taken.sort_unstable();
        let path = section.path.to_string();
        (format!("{}|{}", section.test, path.trim_start_matches("./")), (coverage, taken))
    };
    trace.sections.iter().map(by_path).collect()
}

/// What is covered, without how often.
fn covered(trace: &Tracefile) -> Vec<String> {
    let one = |s: &Section| {
        let c = &s.coverage;
        let lines: Vec<_> = c.lines.iter().map(|(line, hits)| (line, hits > 0)).collect();
        let functions: Vec<_> = c.functions.iter().map(|f| (f.start, f.hits() > 0)).collect();
        let branches: Vec<_> = c.branches.iter().map(|b| (b.line, b.taken.is_hit())).collect();
        let conditions = c.conditions_hit_and_found();
        format!("{:?}", (&s.test, &s.path, lines, functions, branches, conditions))
    };
    trace.sections.iter().map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn reading_what_was_written_gives_the_same(trace in tracefile()) {
        let again = Tracefile::read(&*written(&trace)).unwrap();
        prop_assert_eq!(&again.sections, &trace.sections);
    }

    #[test]
    fn merging_is_commutative(a in tracefile(), b in tracefile()) {
        prop_assert_eq!(counts(&merged(&a, &b)), counts(&merged(&b, &a)));
    }

    #[test]
    fn merging_is_associative(a in tracefile(), b in tracefile(), c in tracefile()) {
        let left = merged(&merged(&a, &b), &c);
        let right = merged(&a, &merged(&b, &c));
        prop_assert_eq!(counts(&left), counts(&right));
    }

    #[test]
    fn merging_with_itself_covers_nothing_new(a in tracefile()) {
        prop_assert_eq!(covered(&merged(&a, &a)), covered(&a));
    }

    #[test]
    fn both_readers_count_the_same(a in tracefile()) {
        let totals = Totals::read(&*written(&a)).unwrap();
        let sections = a.without_tests().sections;
        let hit: u64 = sections.iter().map(|s| s.coverage.lines_hit()).sum();
        let found: u64 = sections.iter().map(|s| s.coverage.lines_found()).sum();
        prop_assert_eq!((totals.hit, totals.found), (hit, found));
    }

    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..300)) {
        let totals = Totals::read(&*bytes).is_ok();
        prop_assert_eq!(totals, Tracefile::read(&*bytes).is_ok());
    }

    #[test]
    fn no_lines_panic(lines in vec("(SF|DA|FN|FNDA|FNL|FNA|BRDA|MCDC|LF|LH|TN|VER|end_of_record|X):?[-,e0-9a-zU.]{0,9}", 0..30)) {
        let text = lines.join("\n");
        let totals = Totals::read(text.as_bytes()).map(|totals| (totals.hit, totals.found));
        let model = Tracefile::read(text.as_bytes()).map(|trace| {
            let sections = trace.without_tests().sections;
            let hit: u64 = sections.iter().map(|s| s.coverage.lines_hit()).sum();
            (hit, sections.iter().map(|s| s.coverage.lines_found()).sum::<u64>())
        });
        prop_assert_eq!(totals.map_err(|e| e.to_string()), model.map_err(|e| e.to_string()));
    }
}
