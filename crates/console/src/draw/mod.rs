//! Small drawings: bars, charts, treemaps, JSON, times. Attributes only, no inline styles, so that
//! the pages' policy can forbid them.

pub(crate) mod chart;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod treemap;

use std::time::{Duration, SystemTime};

use maud::{Markup, html};

/// A bar of `percent`, in the colour of good or bad coverage.
pub(crate) fn bar(percent: f64) -> Markup {
    let width = format!("{:.1}", percent.clamp(0.0, 100.0));
    html! {
        svg.bar viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="8" {}
            rect class=(heat(percent)) width=(width) height="8" {}
        }
    }
}

/// The class of a percentage's colour.
pub(crate) fn heat(percent: f64) -> &'static str {
    match percent {
        p if p >= 90.0 => "heat5",
        p if p >= 75.0 => "heat4",
        p if p >= 50.0 => "heat3",
        p if p >= 25.0 => "heat2",
        p if p > 0.0 => "heat1",
        _ => "heat0",
    }
}

/// How long ago.
pub(crate) fn ago(then: SystemTime) -> String {
    let seconds = SystemTime::now().duration_since(then).unwrap_or_default().as_secs();
    match seconds {
        0..=1 => "now".to_owned(),
        2..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        7200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// A moment in full, in UTC.
pub(crate) fn moment(at: SystemTime) -> String {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    jiff::Timestamp::from_millisecond(since.as_millis() as i64)
        .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// A time span as people write it.
pub(crate) fn span(elapsed: Duration) -> String {
    milliseconds(elapsed.as_secs_f64() * 1e3)
}

/// Milliseconds with a sensible number of digits.
pub(crate) fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1e3),
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 1.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.2} ms"),
    }
}

/// A whole number with thin groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn only_full_coverage_of_nothing_is_cold() {
        assert_eq!([heat(0.0), heat(0.1), heat(100.0)], ["heat0", "heat1", "heat5"]);
        assert_eq!([milliseconds(0.041), milliseconds(12.3)], ["0.04 ms", "12.3 ms"]);
    }
}
