//! The live view of a campaign on a terminal.

use std::time::{Duration, Instant, SystemTime};

use proofstone_evm::campaign::{Campaign, EventKind, EventValue, Snapshot, TestReport, TestStatus};
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Sparkline};

use super::steering::Server;

/// Points of the curves kept.
const HISTORY: usize = 400;

/// Shows the view until the campaign is over; `q` or Ctrl-C ends the campaign.
pub(super) fn show(campaign: &Campaign, server: Option<&Server>) {
    let mut terminal = ratatui::init();
    let mut curves = Curves::default();
    loop {
        let over = campaign.wait_for(Duration::from_millis(100));
        // While agents may still ask, the person decides when to leave.
        if over && server.is_none() {
            break;
        }
        if !over {
            curves.add(&campaign.snapshot());
        }
        if terminal.draw(|frame| draw(frame, campaign, &curves, server)).is_err() {
            break;
        }
        if asked_to_quit() {
            if over {
                break;
            }
            campaign.stop();
        }
        if over {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    ratatui::restore();
}

fn asked_to_quit() -> bool {
    if !event::poll(Duration::ZERO).unwrap_or(false) {
        return false;
    }
    match event::read() {
        Ok(Event::Key(key)) => {
            key.code == KeyCode::Char('q')
                || key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
        }
        _ => false,
    }
}

#[derive(Default)]
struct Curves {
    rate: Vec<u64>,
    edges: Vec<u64>,
    last: Option<(Instant, u64)>,
}

impl Curves {
    fn add(&mut self, snapshot: &Snapshot) {
        let now = Instant::now();
        if let Some((then, calls)) = self.last {
            let seconds = (now - then).as_secs_f64();
            if seconds < 0.5 {
                return;
            }
            self.rate.push((snapshot.calls.saturating_sub(calls) as f64 / seconds) as u64);
            self.edges.push(snapshot.edges as u64);
        }
        self.last = Some((now, snapshot.calls));
        for curve in [&mut self.rate, &mut self.edges] {
            let extra = curve.len().saturating_sub(HISTORY);
            curve.drain(..extra);
        }
    }
}

fn draw(frame: &mut Frame<'_>, campaign: &Campaign, curves: &Curves, server: Option<&Server>) {
    let snapshot = campaign.snapshot();
    let height = frame.area().height;
    let tests = (snapshot.tests.len() as u16 + 2).min(height.saturating_sub(12).max(4));
    let rows = Layout::vertical([
        Constraint::Length(4),
        Constraint::Length(5),
        Constraint::Length(tests),
        Constraint::Min(3),
        Constraint::Length(if server.is_some() { (height / 5).max(3) } else { 0 }),
    ])
    .split(frame.area());
    let columns = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).split(rows[1]);
    let (rate, edges) = (curves.rate.last().copied().unwrap_or(0), snapshot.edges as u64);
    frame.render_widget(header(campaign, &snapshot), rows[0]);
    let title = format!(" {} calls per second ", grouped(rate));
    frame.render_widget(curve(title, &curves.rate, columns[0].width, Color::Cyan), columns[0]);
    let title = format!(" {} edges ", grouped(edges));
    frame.render_widget(curve(title, &curves.edges, columns[1].width, Color::Green), columns[1]);
    frame.render_widget(test_list(campaign, &snapshot, rows[2].height), rows[2]);
    frame.render_widget(finds(campaign), rows[3]);
    if let Some(server) = server {
        frame.render_widget(orders(server), rows[4]);
    }
}

fn header<'a>(campaign: &Campaign, snapshot: &Snapshot) -> Paragraph<'a> {
    let workers = snapshot.workers.len();
    let first = format!(
        "{} of {} calls, {} {}, {:.0} s, seed {}",
        grouped(snapshot.calls),
        grouped(campaign.config().test_limit),
        workers,
        if workers == 1 { "worker" } else { "workers" },
        snapshot.elapsed.as_secs_f64(),
        campaign.seed()
    );
    let second = format!(
        "corpus {} sequences, {} calls; last new edge {:.0} s ago",
        grouped(snapshot.corpus_entries as u64),
        grouped(snapshot.corpus_transactions as u64),
        snapshot.since_new_coverage.as_secs_f64()
    );
    let hint = match (snapshot.finished, campaign.is_finished()) {
        (_, true) => "over; q: leave",
        (true, false) => "making the counterexamples short; q: stop",
        (false, false) => "q: stop",
    };
    let title = format!(" {} ({hint}) ", campaign.target().contract().name);
    Paragraph::new(vec![Line::from(first), Line::from(second)])
        .block(Block::bordered().title(title))
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The last points that there is room for.
fn curve(title: String, data: &[u64], width: u16, color: Color) -> Sparkline<'_> {
    let shown = data.len().saturating_sub(usize::from(width.saturating_sub(2)));
    Sparkline::default()
        .block(Block::bordered().title(title))
        .data(&data[shown..])
        .style(Style::new().fg(color))
}

/// What is broken first; what there is no room for is counted.
fn test_list<'a>(campaign: &Campaign, snapshot: &Snapshot, height: u16) -> Paragraph<'a> {
    let mut tests: Vec<&TestReport> = snapshot.tests.iter().collect();
    tests.sort_by_key(|test| test.status == TestStatus::Holds);
    let room = usize::from(height.saturating_sub(2)).max(1);
    let shown = if tests.len() > room { room - 1 } else { tests.len() };
    let mut lines: Vec<Line<'a>> =
        tests[..shown].iter().map(|test| test_line(campaign, test)).collect();
    if shown < tests.len() {
        lines.push(Line::from(format!("and {} more", tests.len() - shown)).dim());
    }
    let broken = tests.iter().filter(|t| t.status == TestStatus::Falsified).count();
    let title = format!(" {} tests, {broken} falsified ", tests.len());
    Paragraph::new(lines).block(Block::bordered().title(title))
}

fn test_line<'a>(campaign: &Campaign, test: &TestReport) -> Line<'a> {
    let functions = &campaign.target().functions;
    let calls = test.failure.as_ref().map(|f| {
        let calls: Vec<_> = f.sequence.iter().map(|t| t.render(functions)).collect();
        format!("{}{}", if f.shrunk { "" } else { "(shrinking) " }, calls.join("; "))
    });
    let state: Span<'a> = match &test.status {
        TestStatus::Holds => "holds      ".green(),
        TestStatus::Falsified => "falsified  ".red().bold(),
        TestStatus::Best(value) => format!("best {value}  ").yellow(),
    };
    let name = format!("{}  ", test.name);
    Line::from(vec![state, name.into(), calls.unwrap_or_default().dim()])
}

fn orders<'a>(server: &Server) -> Paragraph<'a> {
    let lines: Vec<Line<'a>> = server.orders().into_iter().map(Line::from).collect();
    let title = format!(" agents at {} ", server.url());
    Paragraph::new(lines).block(Block::bordered().title(title))
}

fn finds<'a>(campaign: &Campaign) -> Paragraph<'a> {
    let (events, _) = campaign.events(50, Some(EventKind::CoverageIncreased), None);
    let now = SystemTime::now();
    let lines: Vec<Line<'a>> = events
        .iter()
        .map(|event| {
            let number = |name: &str| {
                let value = event.data.iter().find(|(n, _)| *n == name).map(|(_, v)| v);
                if let Some(EventValue::Number(number)) = value { *number } else { 0 }
            };
            let ago = now.duration_since(event.time).unwrap_or_default().as_secs();
            Line::from(format!(
                "{ago:>5} s ago  worker {}  {:>4} new, {} edges in all, corpus {} calls",
                event.worker,
                number("newEdges"),
                number("edges"),
                number("corpusSize")
            ))
        })
        .collect();
    Paragraph::new(lines).block(Block::bordered().title(" last finds "))
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }
}
