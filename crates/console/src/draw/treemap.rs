//! A treemap: each file a rectangle as large as its share, as square as can be.

use maud::{Markup, html};

use super::heat;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 360.0;
/// The most rectangles: more can't be told apart.
const MOST: usize = 400;

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) size: u64,
    pub(crate) percent: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// The files, the largest first.
pub(crate) fn treemap(mut leaves: Vec<Leaf>) -> Markup {
    leaves.retain(|leaf| leaf.size > 0);
    leaves.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.name.cmp(&b.name)));
    let left_out = leaves.len().saturating_sub(MOST);
    leaves.truncate(MOST);
    let sizes: Vec<f64> = leaves.iter().map(|leaf| leaf.size as f64).collect();
    let areas = squarify(&sizes, Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT });
    html! {
        svg.treemap viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label="Files by size and coverage" {
            @for (leaf, area) in leaves.iter().zip(areas) { (rectangle(leaf, area)) }
        }
        @if left_out > 0 { p.quiet { (left_out) " smaller files are not drawn." } }
    }
}

fn rectangle(leaf: &Leaf, area: Area) -> Markup {
    let said = format!("{}: {} % of {} lines", leaf.name, leaf.percent, leaf.size);
    let short = leaf.name.rsplit('/').next().unwrap_or_default();
    let fits = area.height > 16.0 && area.width > 8.0 * short.len() as f64;
    html! {
        a href=(leaf.address) aria-label=(said) {
            rect class=(heat(leaf.percent)) x=(shown(area.x)) y=(shown(area.y)) width=(shown(area.width)) height=(shown(area.height)) {
                title { (said) }
            }
            @if fits { text x=(shown(area.x + 5.0)) y=(shown(area.y + 14.0)) { (short) } }
        }
    }
}

fn shown(value: f64) -> String {
    format!("{value:.1}")
}

/// Cuts an area into parts of these shares (in falling order): rows along the shorter side, each as
/// long as keeps its parts nearest to squares.
fn squarify(sizes: &[f64], mut free: Area) -> Vec<Area> {
    let total: f64 = sizes.iter().sum();
    let scale = if total > 0.0 { free.width * free.height / total } else { 0.0 };
    let sizes: Vec<f64> = sizes.iter().map(|size| size * scale).collect();
    let (mut areas, mut rest) = (Vec::with_capacity(sizes.len()), &sizes[..]);
    while !rest.is_empty() {
        let side = free.width.min(free.height).max(1e-9);
        let mut length = 1;
        while length < rest.len() && worst(&rest[..=length], side) <= worst(&rest[..length], side) {
            length += 1;
        }
        let (row, after) = rest.split_at(length);
        free = lay(row, free, &mut areas);
        rest = after;
    }
    areas
}

/// How far from a square the worst part of a row is.
fn worst(row: &[f64], side: f64) -> f64 {
    let sum: f64 = row.iter().sum();
    let thick = sum / side;
    row.iter().map(|size| (size / thick / thick).max(thick * thick / size)).fold(0.0, f64::max)
}

/// Lays a row along the shorter side and gives what is left.
fn lay(row: &[f64], free: Area, areas: &mut Vec<Area>) -> Area {
    let sum: f64 = row.iter().sum();
    let upright = free.width >= free.height;
    let side = if upright { free.height } else { free.width };
    let thick = sum / side.max(1e-9);
    let mut along = 0.0;
    for size in row {
        let length = size / thick.max(1e-9);
        areas.push(match upright {
            true => Area { x: free.x, y: free.y + along, width: thick, height: length },
            false => Area { x: free.x + along, y: free.y, width: length, height: thick },
        });
        along += length;
    }
    match upright {
        true => Area { x: free.x + thick, width: (free.width - thick).max(0.0), ..free },
        false => Area { y: free.y + thick, height: (free.height - thick).max(0.0), ..free },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_file_has_its_share_and_stays_inside(mut sizes in prop::collection::vec(1_u32..10_000, 1..80)) {
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let shares: Vec<f64> = sizes.iter().copied().map(f64::from).collect();
            let whole = Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
            let areas = squarify(&shares, whole);
            let scale = WIDTH * HEIGHT / shares.iter().sum::<f64>();
            for (area, share) in areas.iter().zip(&shares) {
                prop_assert!((area.width * area.height - share * scale).abs() < 1e-3);
                prop_assert!(area.x >= -1e-6 && area.x + area.width <= WIDTH + 1e-3);
                prop_assert!(area.y >= -1e-6 && area.y + area.height <= HEIGHT + 1e-3);
            }
        }
    }

    #[test]
    fn a_map_of_nothing_is_empty() {
        assert!(!treemap(Vec::new()).into_string().contains("rect"));
    }
}
