//! One package: its files as the index would cut them, and the pairs that can be made of them.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Display, Write};
use std::ops::Range;
use std::path::Path;

use proofstone_context::index::{Analysis, analyse};
use proofstone_context::language::Language as L;
use proofstone_context::search::{PathKind, Question};
use proofstone_context::syntax::{Definition, DefinitionKind};
use proofstone_context::tokens::{each_token, unique_tokens, words};

use crate::comments::{above, as_prose, comment_line, docstring, lines_above};

/// Code beyond this many bytes of a definition is left out, as a chunk would.
const LONGEST: usize = 1800;
/// Files of one package; which ones is decided by their paths alone.
const FILES: usize = 700;
/// Pairs of one kind from one package.
const OF_A_KIND: usize = 1_400;
/// Words of one side.
const WORDS: usize = 160;

/// A text, the code it speaks of, and what they are.
pub(crate) struct Pair {
    kind: &'static str,
    language: &'static str,
    file: usize,
    /// Whether the text speaks of the whole file.
    whole_file: bool,
    text: Vec<String>,
    code: Vec<(String, u32)>,
}

impl Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code: Vec<String> = self
            .code
            .iter()
            .map(|(word, count)| if *count == 1 { word.clone() } else { format!("{word}:{count}") })
            .collect();
        let whole = u8::from(self.whole_file);
        let (text, code) = (self.text.join(" "), code.join(" "));
        write!(f, "{}\t{}\t{}\t{whole}\t{text}\t{code}", self.kind, self.language, self.file)
    }
}

/// A file that pairs are cut from.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) language: L,
    pub(crate) text: String,
    pub(crate) analysis: Analysis,
    pub(crate) kind: PathKind,
}

impl Source {
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    fn chunk_text(&self, chunk: usize) -> String {
        let Some(chunk) = self.analysis.chunks.get(chunk) else { return String::new() };
        let lines = self.text.lines().skip(chunk.start_line as usize - 1);
        let count = (chunk.end_line - chunk.start_line + 1) as usize;
        lines.take(count).collect::<Vec<_>>().join("\n")
    }
}

/// A package's files.
pub(crate) struct Package {
    pub(crate) sources: Vec<Source>,
}

impl Package {
    pub(crate) fn read(folder: &Path) -> Self {
        let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
        let shown =
            |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        let mut paths: Vec<String> = walk.flatten().map(|entry| shown(entry.path())).collect();
        paths.sort_by_cached_key(|path| (L::of(path) != Some(L::Markdown), hash(path)));
        paths.truncate(FILES);
        paths.sort();
        let mut sources = Vec::new();
        for path in paths {
            let (Some(language), Ok(text)) =
                (L::of(&path), std::fs::read_to_string(folder.join(&path)))
            else {
                continue;
            };
            let longest_line = text.lines().take(50).map(str::len).max().unwrap_or(0);
            if longest_line > 600 || text.len() < 120 {
                continue;
            }
            let analysis = analyse(Some(language), &text);
            let kind = PathKind::of(&path);
            sources.push(Source { path, language, text, analysis, kind });
        }
        Self { sources }
    }

    pub(crate) fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Pairs::default();
        let stems = self.stems();
        let definitions = self.unique_definitions();
        for (file, source) in self.sources.iter().enumerate() {
            match source.language {
                L::Markdown => {
                    sections(&mut pairs, file, source);
                    self.mentions(&mut pairs, source, &definitions);
                }
                _ if source.kind == PathKind::Test => self.tests(&mut pairs, source, &stems),
                _ => {
                    of_definitions(&mut pairs, file, source);
                    of_the_file(&mut pairs, file, source);
                }
            }
        }
        pairs.thinned()
    }

    /// Source files by the words of their names.
    fn stems(&self) -> HashMap<Vec<String>, usize> {
        let sources = self.sources.iter().enumerate();
        let sources =
            sources.filter(|(_, s)| s.kind == PathKind::Source && s.language != L::Markdown);
        sources
            .map(|(file, s)| (stem_words(&s.path), file))
            .filter(|(words, _)| !words.is_empty())
            .collect()
    }

    /// Definitions whose name stands only once in the package.
    pub(crate) fn unique_definitions(&self) -> HashMap<&str, Option<(usize, usize)>> {
        let mut found: HashMap<&str, Option<(usize, usize)>> = HashMap::new();
        for (file, source) in self.sources.iter().enumerate() {
            if source.language == L::Markdown || source.kind == PathKind::Test {
                continue;
            }
            for (number, definition) in source.analysis.definitions.iter().enumerate() {
                if definition.kind.is_main() && definition.name.len() > 3 {
                    found
                        .entry(&definition.name)
                        .and_modify(|known| *known = None)
                        .or_insert(Some((file, number)));
                }
            }
        }
        found
    }

    /// Paragraphs of prose that name one definition, without the name, and that definition.
    fn mentions(
        &self,
        pairs: &mut Pairs,
        source: &Source,
        definitions: &HashMap<&str, Option<(usize, usize)>>,
    ) {
        for paragraph in paragraphs(&source.text) {
            let spans: Vec<&str> =
                paragraph.split('`').skip(1).step_by(2).filter(|span| !span.is_empty()).collect();
            let named = spans.iter().take(3).find_map(|span| {
                let name = words(span).last()?;
                definitions.get(name).copied().flatten()
            });
            let Some((file, number)) = named else { continue };
            let prose: String = paragraph.split('`').step_by(2).collect::<Vec<_>>().join(" ");
            let (target, Some(asked)) = (&self.sources[file], as_prose(&prose, true)) else {
                continue;
            };
            let code = definition_text(target, &target.analysis.definitions[number]);
            pairs.add("mention", file, target, false, &asked, &code);
        }
    }

    /// What tests say they test, and the file they test by its name, or else the test itself.
    fn tests(&self, pairs: &mut Pairs, source: &Source, stems: &HashMap<Vec<String>, usize>) {
        let mut tested = stem_words(&source.path);
        tested.retain(|word| !matches!(word.as_str(), "test" | "tests" | "spec" | "it"));
        let tested = stems.get(&tested).map(|file| (*file, &self.sources[*file]));
        let lines = source.lines();
        for (at, line) in lines.iter().enumerate() {
            let Some(said) = test_name(line) else { continue };
            let Some((file, target)) = tested else { continue };
            let asked: HashSet<String> = unique_tokens(&said).into_iter().collect();
            // The chunk that shares most words with the test, so that the pair is about something in the file.
            let body = lines[at..lines.len().min(at + 20)].join("\n");
            let body: HashSet<String> = unique_tokens(&body).into_iter().collect();
            let shared = |chunk: &usize| {
                unique_tokens(&target.chunk_text(*chunk))
                    .iter()
                    .filter(|w| body.contains(*w) && !asked.contains(*w))
                    .count()
            };
            let Some(chunk) = (0..target.analysis.chunks.len().min(60)).max_by_key(shared) else {
                continue;
            };
            pairs.add("test", file, target, true, &said, &target.chunk_text(chunk));
            if pairs.count("test") > OF_A_KIND {
                return;
            }
        }
    }
}

#[derive(Default)]
struct Pairs {
    made: Vec<Pair>,
    seen: HashSet<u64>,
    counts: HashMap<&'static str, usize>,
}

impl Pairs {
    fn count(&self, kind: &str) -> usize {
        self.counts.get(kind).copied().unwrap_or(0)
    }

    fn add(
        &mut self,
        kind: &'static str,
        file: usize,
        source: &Source,
        whole_file: bool,
        text: &str,
        code: &str,
    ) {
        let text = Question::parse(text).terms;
        // A path is a few words; code that short says nothing.
        let (bytes, words) = if kind == "place" { (1, 1) } else { (40, 6) };
        if text.is_empty() || text.len() > 40 || code.len() < bytes {
            return;
        }
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut order = Vec::new();
        each_token(code, |token| {
            let count = counts.entry(token.to_owned()).or_insert_with(|| {
                order.push(token.to_owned());
                0
            });
            *count += 1;
        });
        order.truncate(WORDS);
        if order.len() < words || !self.is_new(&text, &order) {
            return;
        }
        let code = order
            .into_iter()
            .map(|word| (counts[&word], word))
            .map(|(count, word)| (word, count))
            .collect();
        *self.counts.entry(kind).or_default() += 1;
        self.made.push(Pair {
            kind,
            language: source.language.name(),
            file,
            whole_file,
            text,
            code,
        });
    }

    fn is_new(&mut self, text: &[String], code: &[String]) -> bool {
        let mut shown = String::new();
        let _ = write!(shown, "{text:?}{:?}", &code[..code.len().min(40)]);
        self.seen.insert(hash(&shown))
    }

    /// Not too many of a kind; which ones is decided by their words alone.
    fn thinned(self) -> Vec<Pair> {
        let counts = self.counts;
        let keep = |pair: &Pair| {
            let count = counts[pair.kind];
            count <= OF_A_KIND || hash(&pair.to_string()) % (count as u64) < OF_A_KIND as u64
        };
        self.made.into_iter().filter(keep).collect()
    }
}

pub(crate) fn hash(text: &str) -> u64 {
    u64::from_le_bytes(blake3::hash(text.as_bytes()).as_bytes()[..8].try_into().unwrap_or_default())
}

fn of_definitions(pairs: &mut Pairs, file: usize, source: &Source) {
    let lines = source.lines();
    for definition in &source.analysis.definitions {
        let start = definition.start_line as usize - 1;
        let end = (definition.end_line as usize).min(lines.len());
        if start >= end {
            continue;
        }
        let mut body: Vec<&str> = lines[start..end].to_vec();
        let mut doc = above(source.language, &lines, start);
        if source.language == L::Python
            && matches!(definition.kind, DefinitionKind::Function | DefinitionKind::Class)
            && let Some((text, place)) = docstring(&body[1..])
        {
            body.drain(place.start + 1..=place.end);
            doc = Some(text);
        }
        let code = cut(&body.join("\n")).to_owned();
        let whole = hash(&definition.name).is_multiple_of(3);
        if let Some(asked) = doc.as_deref().and_then(|doc| as_prose(doc, whole)) {
            pairs.add("doc", file, source, false, &without_names(&asked), &code);
            if hash(&asked).is_multiple_of(8) {
                pairs.add("place", file, source, true, &without_names(&asked), &source.path);
            }
        }
        let is_large = definition.kind.is_main() && end - start >= 4;
        if is_large && unique_tokens(&definition.name).len() >= 3 && hash(&code).is_multiple_of(3) {
            let nameless = code.replace(&definition.name, " ");
            pairs.add("name", file, source, false, &definition.name, &nameless);
        }
        if is_large && !matches!(definition.kind, DefinitionKind::Class | DefinitionKind::Module) {
            inside(pairs, file, source, &code);
        }
    }
}

/// Comments and messages inside a body, and the body without them.
fn inside(pairs: &mut Pairs, file: usize, source: &Source, code: &str) {
    let lines: Vec<&str> = code.lines().collect();
    let bare: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| comment_line(source.language, line).is_none())
        .collect();
    let bare = bare.join("\n");
    let mut said = lines.iter().skip(1).filter_map(|line| comment_line(source.language, line));
    let said = said
        .find(|text| text.split_whitespace().count() >= 5)
        .and_then(|text| as_prose(text, true));
    if let Some(asked) = said {
        pairs.add("inline", file, source, false, &without_names(&asked), &bare);
    }
    let strings = code.split('"').skip(1).step_by(2);
    let message = strings
        .into_iter()
        .find(|s| s.len() < 120 && s.split(' ').count() >= 4 && !s.contains('\n'));
    if let Some(message) = message.filter(|message| as_prose(message, true).is_some()) {
        pairs.add("message", file, source, false, message, &bare.replace(message, " "));
    }
}

/// What a file says of itself at its head, and what its path says, with one of its chunks.
fn of_the_file(pairs: &mut Pairs, file: usize, source: &Source) {
    let chunks = source.analysis.chunks.len();
    if chunks == 0 {
        return;
    }
    let head = head(source).map(|(text, _)| text);
    let pick = |salt: u64| ((hash(&source.path) >> salt) % chunks as u64) as usize;
    if let Some(asked) = head.as_deref().and_then(|head| as_prose(head, false)) {
        for salt in [3, 17] {
            pairs.add("file", file, source, true, &asked, &source.chunk_text(pick(salt)));
        }
        pairs.add("place", file, source, true, &without_names(&asked), &source.path);
    }
    if source.kind == PathKind::Source {
        let mut folders = source.path.rsplit('/');
        let stem = folders.next().unwrap_or("").split('.').next().unwrap_or("");
        let asked = format!("{} {stem}", folders.next().unwrap_or(""));
        pairs.add("path", file, source, true, &asked, &source.chunk_text(pick(9)));
    }
}

/// What a file says of itself before anything else, and the lines of it.
pub(crate) fn head(source: &Source) -> Option<(String, Range<usize>)> {
    let lines = source.lines();
    if source.language == L::Python {
        return docstring(&lines);
    }
    let is_comment = |at: usize| comment_line(source.language, lines[at]).is_some();
    let end = (1..lines.len().min(60)).find(|at| !is_comment(*at) && is_comment(at - 1))?;
    let text = above(source.language, &lines, end)?;
    Some((text, lines_above(source.language, &lines, end)?))
}

/// Headings and what stands under them.
fn sections(pairs: &mut Pairs, file: usize, source: &Source) {
    let lines = source.lines();
    for section in &source.analysis.definitions {
        let body =
            lines.get(section.start_line as usize..(section.end_line as usize).min(lines.len()));
        let body = body.unwrap_or(&[]).join("\n");
        if section.name.split_whitespace().count() >= 2 {
            pairs.add("heading", file, source, false, &section.name, cut(&body));
        }
    }
}

/// Paragraphs and list items.
fn paragraphs(text: &str) -> impl Iterator<Item = String> {
    let mut found = vec![String::new()];
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['-', '*', '#']) {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut() {
            last.push_str(line.trim_start_matches(['-', '*', ' ']));
            last.push(' ');
        }
    }
    found.into_iter().filter(|paragraph| paragraph.contains('`') && paragraph.len() < 1_000)
}

/// What a test says: the string of `it("…")`, or the words of `test_…`.
fn test_name(line: &str) -> Option<String> {
    let line = line.trim();
    let call = [
        "it(",
        "it ",
        "test(",
        "test ",
        "describe ",
        "describe(",
        "context ",
        "should ",
        "specify ",
    ];
    if call.iter().any(|start| line.starts_with(start)) {
        let quote = line.find(['"', '\'', '`'])?;
        let said = &line[quote + 1..];
        let said = &said[..said.find(['"', '\'', '`'])?];
        return (said.split(' ').count() >= 3).then(|| said.to_owned());
    }
    let name = words(line).find(|word| {
        let lower = word.to_lowercase();
        lower.starts_with("test") && lower.len() > 12 && unique_tokens(word).len() >= 4
    })?;
    let is_definition = ["def ", "fn ", "func ", "public ", "void ", "function ", "fun "]
        .iter()
        .any(|word| line.contains(word));
    is_definition.then(|| name[4..].to_owned())
}

fn definition_text(source: &Source, definition: &Definition) -> String {
    let lines = source.text.lines().skip(definition.start_line as usize - 1);
    let text: Vec<&str> =
        lines.take((definition.end_line - definition.start_line + 1) as usize).collect();
    cut(&text.join("\n")).to_owned()
}

/// Without the words that only code has: they would be found by their letters anyway.
pub(crate) fn without_names(text: &str) -> String {
    let is_name = |word: &&str| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        inner.contains('_')
            || inner.contains("::")
            || inner.contains('.')
            || inner.chars().skip(1).any(char::is_uppercase)
    };
    let kept: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !is_name(word) || hash(word).is_multiple_of(4))
        .collect();
    kept.join(" ")
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn stem_words(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut words = unique_tokens(name.split('.').next().unwrap_or(name));
    words.sort();
    words
}
