//! A line over time.

use maud::{Markup, html};

use super::grouped;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 160.0;

/// A chart of points (seconds, value), the vertical axis from zero.
pub(crate) fn chart(title: &str, points: &[(f64, f64)]) -> Markup {
    let top = points.iter().map(|point| point.1).fold(1.0, f64::max);
    let end = points.last().map_or(1.0, |point| point.0).max(1e-9);
    let last = points.last().map_or(0.0, |point| point.1);
    let place = |(x, y): &(f64, f64)| {
        format!("{:.1},{:.1}", x / end * WIDTH, HEIGHT - y / top * (HEIGHT - 12.0))
    };
    let line = points.iter().map(place).collect::<Vec<_>>().join(" ");
    let said = format!("{title}: {} now, at most {}", whole(last), whole(top));
    html! {
        figure.chart {
            figcaption { (title) " " strong { (whole(last)) } }
            @if points.len() < 2 {
                p.quiet { "Nothing to draw yet." }
            } @else {
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(said) {
                    line.axis x1="0" y1=(HEIGHT) x2=(WIDTH) y2=(HEIGHT) {}
                    line.grid x1="0" y1="12" x2=(WIDTH) y2="12" {}
                    polyline.line points=(line) {}
                    text.label x="4" y="10" { (whole(top)) }
                    text.label.right x=(WIDTH - 4.0) y=(HEIGHT - 4.0) { (format!("{end:.0} s")) }
                }
            }
        }
    }
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}
