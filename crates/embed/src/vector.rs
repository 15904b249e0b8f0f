//! Vectors of bytes, and how alike two of them are.

/// Numbers in a vector.
pub const SIZE: usize = 256;
/// Numbers at its beginning that say nearly as much alone: the model was trained so.
pub const HEAD: usize = 64;

/// A direction: only the relations between its numbers count.
#[derive(Clone, PartialEq, Eq)]
pub struct Vector(pub [i8; SIZE]);

impl std::fmt::Debug for Vector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Vector({:?}…)", &self.0[..4])
    }
}

impl Vector {
    /// The direction of some sums; `None` where there is none.
    pub(crate) fn of(sums: &[i32; SIZE]) -> Option<Self> {
        let largest = sums.iter().map(|sum| sum.unsigned_abs()).max()?;
        if largest == 0 {
            return None;
        }
        // One multiplication and one addition of doubles for each number: the same on every machine.
        let scale = 127.0 / f64::from(largest);
        let mut numbers = [0_i8; SIZE];
        for (number, sum) in numbers.iter_mut().zip(sums) {
            let scaled = f64::from(*sum) * scale;
            *number = (scaled + 0.5_f64.copysign(scaled)) as i8;
        }
        Some(Self(numbers))
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[i8; SIZE] {
        &self.0
    }

    /// How alike two directions are, -1 to 1.
    pub fn likeness(&self, other: &Self) -> f32 {
        let products = self.0.iter().zip(&other.0).map(|(a, b)| i32::from(*a) * i32::from(*b));
        products.sum::<i32>() as f32 * inverse_length(&other.0) * inverse_length(&self.0)
    }

    /// This direction with a share of what it has in common with another taken away; `None` where nothing is left.
    #[must_use]
    pub fn less(&self, other: &Self, share: f32) -> Option<Self> {
        let (ours, theirs) = (inverse_length(&self.0), inverse_length(&other.0));
        let common = other.likeness(self) * share;
        let mut sums = [0_i32; SIZE];
        for ((sum, a), b) in sums.iter_mut().zip(&self.0).zip(&other.0) {
            *sum = ((f32::from(*a) * ours - f32::from(*b) * theirs * common) * FINE) as i32;
        }
        Self::of(&sums)
    }
}

/// Parts of the length of a vector in which sums of several are kept as whole numbers.
pub(crate) const FINE: f32 = 1_000_000.0;

/// One divided by the length of a run of numbers; 0 for none.
pub fn inverse_length(numbers: &[i8]) -> f32 {
    let square: i32 = numbers.iter().map(|number| i32::from(*number).pow(2)).sum();
    if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() }
}

/// The sum of products with numbers as the index keeps them, exact.
pub fn dot(numbers: &[i8], kept: &[u8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has AVX2")]
        // SAFETY: AVX2 is there, and the function needs nothing else.
        return unsafe { dot_avx2(numbers, kept) };
    }
    any_dot(numbers, kept)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(numbers: &[i8], kept: &[u8]) -> i32 {
    any_dot(numbers, kept)
}

/// Written so that the compiler makes vector instructions of it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew for the instructions of its caller")]
fn any_dot(numbers: &[i8], kept: &[u8]) -> i32 {
    let products =
        numbers.iter().zip(kept).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b as i8)));
    products.sum()
}

/// The sum of products of `head` with each run of its length, times that run's number in `scales`: what a search reads
/// through first. Whole numbers up to the one multiplication, so it is the same however the machine does it.
// Not generic, so that it is compiled here and not with whatever care the caller's crate is.
pub fn products(head: &[i8; HEAD], runs: &[u8], scales: &[f32]) -> Vec<f32> {
    any_products(head, runs, scales)
}

/// The same with whole vectors.
pub fn whole_products(vector: &[i8; SIZE], runs: &[u8], scales: &[f32]) -> Vec<f32> {
    any_products(vector, runs, scales)
}

fn any_products<const N: usize>(numbers: &[i8; N], runs: &[u8], scales: &[f32]) -> Vec<f32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has AVX2")]
        // SAFETY: AVX2 is there, and the function needs nothing else.
        return unsafe { products_avx2(numbers, runs, scales) };
    }
    each_product(numbers, runs, scales)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2<const N: usize>(numbers: &[i8; N], runs: &[u8], scales: &[f32]) -> Vec<f32> {
    each_product(numbers, runs, scales)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew for the instructions of its caller")]
fn each_product<const N: usize>(numbers: &[i8; N], runs: &[u8], scales: &[f32]) -> Vec<f32> {
    let (runs, _) = runs.as_chunks::<N>();
    // A loop, not `collect`: that would be compiled apart, without the caller's instructions.
    let mut products = vec![0.0; runs.len().min(scales.len())];
    for ((product, run), scale) in products.iter_mut().zip(runs).zip(scales) {
        // Sixteen sums side by side, which is what vector instructions have.
        let mut sums = [0_i32; 16];
        let (ours, _) = numbers.as_chunks::<16>();
        let (theirs, _) = run.as_chunks::<16>();
        for (ours, theirs) in ours.iter().zip(theirs) {
            for ((sum, a), b) in sums.iter_mut().zip(ours).zip(theirs) {
                *sum += i32::from(i16::from(*a) * i16::from(*b as i8));
            }
        }
        *product = sums.iter().sum::<i32>() as f32 * scale;
    }
    products
}

/// The sum of rows of numbers, each times its weight.
pub(crate) fn weighted_sum(rows: &[u8], weights: &[(u16, i16)]) -> [i32; SIZE] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the processor was just asked whether it has AVX2")]
        // SAFETY: AVX2 is there, and the function needs nothing else.
        return unsafe { weighted_sum_avx2(rows, weights) };
    }
    sum_rows(rows, weights)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn weighted_sum_avx2(rows: &[u8], weights: &[(u16, i16)]) -> [i32; SIZE] {
    sum_rows(rows, weights)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled anew for the instructions of its caller")]
fn sum_rows(rows: &[u8], weights: &[(u16, i16)]) -> [i32; SIZE] {
    let (rows, _) = rows.as_chunks::<SIZE>();
    let mut sums = [0_i32; SIZE];
    for (row, weight) in weights {
        let Some(row) = rows.get(usize::from(*row)) else { continue };
        for (sum, part) in sums.iter_mut().zip(row) {
            *sum += i32::from(*weight) * i32::from(i16::from(*part as i8));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_two_have_in_common_is_taken_away() {
        let (mut one, mut other) = ([0; SIZE], [0; SIZE]);
        (one[0], one[1], other[0]) = (100, 100, 127);
        let (one, other) = (Vector(one), Vector(other));
        let first_two = |v: Option<Vector>| v.map(|v| (v.0[0], v.0[1]));
        assert_eq!(first_two(one.less(&other, 0.0)), Some((127, 127)));
        assert_eq!(first_two(one.less(&other, 0.5)), Some((64, 127)));
        assert_eq!(first_two(one.less(&other, 1.0)), Some((0, 127)));
        assert_eq!(other.less(&other, 1.0), None);
        assert_eq!(one.less(&Vector([0; SIZE]), 1.0), one.less(&other, 0.0));
    }

    proptest! {
        #[test]
        fn fast_and_plain_products_are_the_same(
            head in prop::collection::vec(any::<i8>(), HEAD),
            runs in prop::collection::vec(any::<u8>(), 0..HEAD * 9),
            scales in prop::collection::vec(0.0_f32..1.0, 0..9),
        ) {
            let head: [i8; HEAD] = head.try_into().unwrap();
            let sum = |run: &[u8]| head.iter().zip(run).map(|(a, b)| i32::from(*a) * i32::from(*b as i8)).sum::<i32>();
            prop_assert!(runs.chunks(HEAD).all(|run| dot(&head, run) == sum(run)));
            let plain = runs.chunks_exact(HEAD).zip(&scales).map(|(run, scale)| sum(run) as f32 * scale);
            prop_assert_eq!(products(&head, &runs, &scales), plain.collect::<Vec<_>>());
        }

        #[test]
        fn fast_and_plain_sums_are_the_same(
            rows in prop::collection::vec(any::<u8>(), SIZE * 3),
            weights in prop::collection::vec((0_u16..5, any::<i16>()), 0..9),
        ) {
            prop_assert_eq!(weighted_sum(&rows, &weights), sum_rows(&rows, &weights));
        }

        #[test]
        fn a_direction_has_a_largest_number(sums in prop::collection::vec(-2_000_000_000_i32..2_000_000_000, SIZE)) {
            let sums: [i32; SIZE] = sums.try_into().unwrap();
            let largest = Vector::of(&sums).map(|v| v.0.iter().map(|n| n.unsigned_abs()).max());
            prop_assert!(largest.is_none_or(|largest| largest == Some(127)));
        }
    }
}
