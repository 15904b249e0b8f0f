//! Exact fractions and the one rule by which they become percentages.

use std::fmt;
use std::ops::AddAssign;

/// So many of so many, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// How many were hit.
    pub hit: u64,
    /// How many there are.
    pub found: u64,
}

/// Tenths of a percent: what people are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(i64);

impl Ratio {
    /// `hit` of `found`.
    pub fn new(hit: u64, found: u64) -> Self {
        Self { hit: hit.min(found), found }
    }

    /// The percentage with one decimal, rounded half away from zero; never 100 unless all were hit
    /// and never 0 if any was. Nothing of nothing is 0.
    pub fn percent(self) -> Tenths {
        if self.found == 0 || self.hit == 0 {
            return Tenths(0);
        }
        if self.hit == self.found {
            return Tenths(1000);
        }
        let (hit, found) = (i128::from(self.hit), i128::from(self.found));
        Tenths(rounded(hit * 1000, found).clamp(1, 999))
    }

    /// How the percentage changed from `before` to this: the rounded difference of the exact
    /// fractions, not the difference of rounded ones.
    pub fn change_since(self, before: Self) -> Tenths {
        let (hit, found) = self.parts();
        let (hit_before, found_before) = before.parts();
        let difference = hit * found_before - hit_before * found;
        Tenths(rounded(difference * 1000, found * found_before))
    }

    /// Both parts small enough for the products above. No project has 2^56 lines; a summary may say
    /// so, and then both parts lose the same few last bits.
    fn parts(self) -> (i128, i128) {
        let excess = 8_u32.saturating_sub(self.found.leading_zeros());
        (i128::from(self.hit >> excess), i128::from((self.found >> excess).max(1)))
    }
}

impl AddAssign for Ratio {
    fn add_assign(&mut self, other: Self) {
        self.hit = self.hit.saturating_add(other.hit);
        self.found = self.found.saturating_add(other.found);
    }
}

impl From<(u64, u64)> for Ratio {
    fn from((hit, found): (u64, u64)) -> Self {
        Self::new(hit, found)
    }
}

impl Tenths {
    /// As a number of percent.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 10.0
    }

    /// The whole number, where there is nothing behind the point.
    pub fn as_whole(self) -> Option<i64> {
        (self.0 % 10 == 0).then_some(self.0 / 10)
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.1}", self.as_f64());
        f.pad(&text)
    }
}

/// `n / d` rounded half away from zero.
fn rounded(n: i128, d: i128) -> i64 {
    let half = if n < 0 { -d / 2 } else { d / 2 };
    ((n + half) / d) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages() {
        for (hit, found, expected) in [
            (0, 0, "0.0"),
            (0, 10, "0.0"),
            (10, 10, "100.0"),
            (329, 400, "82.3"),
            (1, 3, "33.3"),
            (2, 3, "66.7"),
            (1, 8, "12.5"),
            (1, 16, "6.3"),
            (9_999, 10_000, "99.9"),
            (1, 10_000, "0.1"),
            (u64::MAX - 1, u64::MAX, "99.9"),
        ] {
            assert_eq!(Ratio::new(hit, found).percent().to_string(), expected, "{hit}/{found}");
        }
    }

    #[test]
    fn changes_are_of_the_exact_fractions() {
        let ratio = |hit| Ratio::new(hit, 10_000);
        for (before, after, expected) in [
            (5_004, 5_005, "0.0"),
            (5_004, 5_014, "0.1"),
            (5_000, 5_005, "0.1"),
            (5_005, 5_000, "-0.1"),
            (0, 10_000, "100.0"),
            (10_000, 0, "-100.0"),
        ] {
            let change = ratio(after).change_since(ratio(before));
            assert_eq!(change.to_string(), expected, "{before} -> {after}");
        }
        let half = Ratio::new(u64::MAX / 2, u64::MAX);
        assert_eq!(Ratio::new(u64::MAX, u64::MAX).change_since(half).to_string(), "50.0");
        assert_eq!(half.change_since(Ratio::new(1, 4)).to_string(), "25.0");
        assert_eq!(Ratio::new(2, 3).change_since(Ratio::new(1, 3)).to_string(), "33.3");
        assert_eq!(Ratio::new(1, 3).change_since(Ratio::new(2, 3)).to_string(), "-33.3");
    }
}
