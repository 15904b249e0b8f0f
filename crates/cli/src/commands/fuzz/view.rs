//! The live view of a campaign on a terminal.

use std::time::{Duration, Instant};

use proofstone_evm::campaign::{Campaign, EventKind, EventValue, Snapshot, TestStatus};
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
    let tests = (snapshot.tests.len() as u16 + 2).min(frame.area().height / 2);
    let agents = if server.is_some() { 7 } else { 0 };
    let rows = Layout::vertical([
        Constraint::Length(4),
        Constraint::Length(5),
        Constraint::Length(tests),
        Constraint::Min(3),
        Constraint::Length(agents),
    ])
    .split(frame.area());
    let columns = Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).split(rows[1]);
    frame.render_widget(header(campaign, &snapshot, curves), rows[0]);
    frame.render_widget(curve("calls per second", &curves.rate, Color::Cyan), columns[0]);
    frame.render_widget(curve("edges", &curves.edges, Color::Green), columns[1]);
    frame.render_widget(test_list(campaign, &snapshot), rows[2]);
    frame.render_widget(finds(campaign), rows[3]);
    if let Some(server) = server {
        frame.render_widget(orders(server), rows[4]);
    }
}

fn header<'a>(campaign: &Campaign, snapshot: &Snapshot, curves: &Curves) -> Paragraph<'a> {
    let rate = curves.rate.last().copied().unwrap_or(0);
    let first = format!(
        "{} calls of {}   {rate} per second   {} workers   {:.0} s",
        snapshot.calls,
        campaign.config().test_limit,
        snapshot.workers.len(),
        snapshot.elapsed.as_secs_f64()
    );
    let second = format!(
        "{} edges, last new {:.0} s ago   corpus {} sequences   seed {}",
        snapshot.edges,
        snapshot.since_new_coverage.as_secs_f64(),
        snapshot.corpus_entries,
        campaign.seed()
    );
    let title = format!(" {} (q: stop) ", campaign.target().contract().name);
    Paragraph::new(vec![Line::from(first), Line::from(second)])
        .block(Block::bordered().title(title))
}

fn curve<'a>(title: &'a str, data: &'a [u64], color: Color) -> Sparkline<'a> {
    Sparkline::default()
        .block(Block::bordered().title(title))
        .data(data)
        .style(Style::new().fg(color))
}

fn test_list<'a>(campaign: &Campaign, snapshot: &Snapshot) -> Paragraph<'a> {
    let functions = &campaign.target().functions;
    let lines: Vec<Line<'a>> = snapshot
        .tests
        .iter()
        .map(|test| {
            let calls = test.failure.as_ref().map(|f| {
                let calls: Vec<_> = f.sequence.iter().map(|t| t.render(functions)).collect();
                format!("{}{}", calls.join("; "), if f.shrunk { "" } else { " (shrinking)" })
            });
            let state: Span<'a> = match &test.status {
                TestStatus::Holds => "holds      ".green(),
                TestStatus::Falsified => "falsified  ".red().bold(),
                TestStatus::Best(value) => format!("best {value}  ").yellow(),
            };
            let name = format!("{}  ", test.name);
            Line::from(vec![state, name.into(), calls.unwrap_or_default().dim()])
        })
        .collect();
    Paragraph::new(lines).block(Block::bordered().title(" tests "))
}

fn orders<'a>(server: &Server) -> Paragraph<'a> {
    let lines: Vec<Line<'a>> = server.orders().into_iter().map(Line::from).collect();
    let title = format!(" agents at {} ", server.url());
    Paragraph::new(lines).block(Block::bordered().title(title))
}

fn finds<'a>(campaign: &Campaign) -> Paragraph<'a> {
    let (events, _) = campaign.events(50, Some(EventKind::CoverageIncreased), None);
    let lines: Vec<Line<'a>> = events
        .iter()
        .map(|event| {
            let parts: Vec<String> = event
                .data
                .iter()
                .map(|(name, value)| match value {
                    EventValue::Number(number) => format!("{name} {number}"),
                    EventValue::Text(text) => format!("{name} {text}"),
                    EventValue::List(items) => format!("{name} {}", items.join(" ")),
                    EventValue::Flag(flag) => format!("{name} {flag}"),
                })
                .collect();
            Line::from(format!("worker {}  {}", event.worker, parts.join("  ")))
        })
        .collect();
    Paragraph::new(lines).block(Block::bordered().title(" last finds "))
}
