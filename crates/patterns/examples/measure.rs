//! Measures the starter library's search and the speed of loading, asking and scanning. `bench/patterns/run.sh`
//! runs it; `bench/patterns/README.md` has the results. `--missed` lists the questions that were not answered
//! well, `--quality` leaves speed out; a folder after the questions is searched in place of the starter library.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proofstone_patterns::analysis;
use proofstone_patterns::library::Library;
use proofstone_patterns::pattern::Layer;
use proofstone_patterns::reading::PatternFile;
use proofstone_patterns::scan::Scanner;
use proofstone_patterns::shelf::{built_in, read_folder};

struct Question<'a> {
    text: String,
    expected: &'a str,
    also: Vec<&'a str>,
}

#[derive(Default)]
struct Figures {
    asked: f64,
    first: f64,
    five: f64,
    reciprocal: f64,
    strict_first: f64,
    strict_five: f64,
    strict_reciprocal: f64,
    missed: Vec<String>,
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let table = std::fs::read_to_string(
        std::env::args().nth(1).unwrap_or("bench/patterns/questions.tsv".into()),
    )?;
    let show_missed = std::env::args().any(|argument| argument == "--missed");
    let library = Library::of(files());
    let questions: Vec<Question<'_>> = table.lines().filter_map(question).collect();
    writeln!(out, "{} patterns, {} questions", library.patterns().len(), questions.len())?;
    let plain = judge(&library, &questions);
    report(&mut out, "as asked", &plain, show_missed)?;
    let misspelt: Vec<Question<'_>> = questions
        .iter()
        .map(|q| Question { text: misspell(&q.text), expected: q.expected, also: q.also.clone() })
        .collect();
    report(&mut out, "one typo", &judge(&library, &misspelt), show_missed)?;
    let aliases = judge(&library, &aliases(&library));
    writeln!(out, "own id and title first: {}", named(&library))?;
    writeln!(
        out,
        "alias finds its pattern, recall@5: {:.3} of {}",
        aliases.five / aliases.asked,
        aliases.asked
    )?;
    if std::env::args().any(|argument| argument == "--quality") {
        return Ok(());
    }
    speed(&mut out, &questions)
}

/// The starter library, or the folder that is named after the questions.
fn files() -> Vec<PatternFile> {
    let folder = std::env::args().nth(2).filter(|argument| !argument.starts_with("--"));
    folder.map_or_else(built_in, |folder| read_folder(folder.as_ref(), Layer::Project).0)
}

fn question(line: &str) -> Option<Question<'_>> {
    let mut columns = line.split('\t');
    let (text, expected) = (columns.next()?.to_owned(), columns.next()?);
    let also = columns.next().map(|ids| ids.split(',').collect()).unwrap_or_default();
    Some(Question { text, expected, also })
}

fn aliases(library: &Library) -> Vec<Question<'_>> {
    let patterns = library.patterns().iter();
    patterns
        .flat_map(|p| {
            p.aliases.iter().map(move |alias| Question {
                text: alias.clone(),
                expected: p.id.as_str(),
                also: Vec::new(),
            })
        })
        .collect()
}

fn named(library: &Library) -> bool {
    let first = |text: &str, id: &str| {
        library.hits(text).first().is_some_and(|hit| library.patterns()[hit.document].id == id)
    };
    library.patterns().iter().all(|p| first(&p.id, &p.id) && first(&p.title, &p.id))
}

fn judge(library: &Library, questions: &[Question<'_>]) -> Figures {
    let mut figures = Figures::default();
    for question in questions {
        let ids: Vec<&str> = library
            .hits(&question.text)
            .iter()
            .map(|hit| library.patterns()[hit.document].id.as_str())
            .collect();
        let rank = |fits: &dyn Fn(&str) -> bool| {
            ids.iter().position(|id| fits(id)).map_or(f64::INFINITY, |r| r as f64 + 1.0)
        };
        let strict = rank(&|id| id == question.expected);
        let lenient = rank(&|id| id == question.expected || question.also.contains(&id));
        let one = |holds: bool| f64::from(u8::from(holds));
        figures.asked += 1.0;
        figures.first += one(lenient <= 1.0);
        figures.five += one(lenient <= 5.0);
        figures.reciprocal += 1.0 / lenient;
        figures.strict_first += one(strict <= 1.0);
        figures.strict_five += one(strict <= 5.0);
        figures.strict_reciprocal += 1.0 / strict;
        if lenient > 3.0 {
            figures.missed.push(format!(
                "{lenient:>4} {} | {} | got {:?}",
                question.expected,
                question.text,
                &ids[..ids.len().min(3)]
            ));
        }
    }
    figures
}

fn report(out: &mut impl Write, name: &str, f: &Figures, missed: bool) -> std::io::Result<()> {
    let n = f.asked;
    writeln!(
        out,
        "{name:<10} recall@1 {:.3}  recall@5 {:.3}  MRR {:.3}   (strict {:.3} {:.3} {:.3})",
        f.first / n,
        f.five / n,
        f.reciprocal / n,
        f.strict_first / n,
        f.strict_five / n,
        f.strict_reciprocal / n
    )?;
    for line in f.missed.iter().filter(|_| missed) {
        writeln!(out, "    {line}")?;
    }
    Ok(())
}

/// Swaps two letters in the middle of the longest word.
fn misspell(text: &str) -> String {
    let longest = text
        .split(' ')
        .filter(|w| w.chars().all(|c| c.is_ascii_alphabetic()))
        .max_by_key(|w| w.len());
    let Some(word) = longest.filter(|word| word.len() >= 4) else { return text.to_owned() };
    let mut letters: Vec<char> = word.chars().collect();
    let middle = letters.len() / 2;
    letters.swap(middle - 1, middle);
    text.replacen(word, &letters.into_iter().collect::<String>(), 1)
}

fn speed(out: &mut impl Write, questions: &[Question<'_>]) -> std::io::Result<()> {
    let starter = built_in();
    let many: Vec<PatternFile> = (0..300)
        .map(|n| {
            let file = &starter[n % starter.len()];
            let text = file.text.replacen("id: ", &format!("id: n{n}-"), 1);
            PatternFile { layer: Layer::Project, path: format!("{n}/{}", file.path), text }
        })
        .collect();
    let mut loads: Vec<Duration> = Vec::new();
    let mut library = Library::default();
    for _ in 0..9 {
        let files = many.clone();
        let started = Instant::now();
        library = Library::of(files);
        loads.push(started.elapsed());
    }
    loads.sort();
    writeln!(out, "load and index 300 files: median {:?}", loads[4])?;
    // The first question makes what is made once.
    library.hits("warm");
    let (mut times, mut busy): (Vec<Duration>, Vec<Duration>) = Default::default();
    let mut shortest = vec![Duration::MAX; questions.len()];
    for _ in 0..20 {
        for (question, shortest) in questions.iter().zip(&mut shortest) {
            let (started, used) = (Instant::now(), processor_time());
            std::hint::black_box(library.hits(&question.text));
            busy.push(processor_time().saturating_sub(used));
            times.push(started.elapsed());
            *shortest = started.elapsed().min(*shortest);
        }
    }
    let ways = [
        ("the clock", times),
        ("processor time", busy),
        ("the shortest of each question's 20", shortest),
    ];
    for (what, mut times) in ways {
        times.sort();
        let (p50, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        writeln!(out, "query over 300 patterns, by {what}: p50 {p50:?}, p99 {p99:?}")?;
    }
    let function = "export async function step(input: Item[], index: number): Promise<number> {\n  const found = input.find((item) => item.index === index);\n  if (!found) { throw new Error(`no item ${index}`); }\n  await store.save(found).catch((error) => log.warn(\"not saved\", { error }));\n  return found.values.map((value) => value * 2).filter((value) => value > 3).length;\n}\n";
    let code = function.repeat((1 << 20) / function.len());
    let library = Library::of(built_in());
    library.rules();
    let scanner = std::env::var_os("PROOFSTONE_BIN")
        .map_or(Scanner::Here, |bin| Scanner::ChildOf(PathBuf::from(bin)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut scans: Vec<Duration> = Vec::new();
    for _ in 0..5 {
        let unit = analysis::unit(code.clone(), Some("typescript"), None)
            .map_err(std::io::Error::other)?;
        let started = Instant::now();
        let deadline = started + Duration::from_mins(1);
        let report =
            runtime.block_on(analysis::scan(&library, &scanner, vec![unit], &[], deadline));
        report.map_err(std::io::Error::other)?;
        scans.push(started.elapsed());
    }
    scans.sort();
    writeln!(out, "scan {} bytes of TypeScript ({scanner:?}): median {:?}", code.len(), scans[2])
}

/// What this thread has used: on a busy machine the clock also counts the work of others.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
