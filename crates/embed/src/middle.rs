//! The middle of several vectors. Knows nothing of what they are vectors of.

use crate::vector::{FINE, SIZE, Vector};

/// The middle of several vectors, each counting as much as another.
#[derive(Debug, Clone)]
pub struct Middle([f32; SIZE]);

impl Default for Middle {
    fn default() -> Self {
        Self([0.0; SIZE])
    }
}

impl Middle {
    /// Adds a vector as the index keeps it, where `inverse` is one divided by its length.
    pub fn add<'k>(&mut self, kept: impl Iterator<Item = &'k [u8]>, inverse: f32) {
        let mut sums = self.0.as_mut_slice();
        for part in kept {
            let (here, after) = sums.split_at_mut(part.len().min(sums.len()));
            for (sum, number) in here.iter_mut().zip(part) {
                *sum += f32::from(*number as i8) * inverse;
            }
            sums = after;
        }
    }

    /// Where it lies; `None` where there was nothing to add.
    pub fn vector(&self) -> Option<Vector> {
        let largest = self.0.iter().fold(0.0, |largest: f32, sum| largest.max(sum.abs()));
        let scale = if largest > 0.0 { FINE / largest } else { 0.0 };
        Vector::of(&self.0.map(|sum| (sum * scale) as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{HEAD, inverse_length};

    fn middle(vectors: &[[i8; SIZE]]) -> Option<Vector> {
        let mut middle = Middle::default();
        for vector in vectors {
            let kept = vector.map(|number| number as u8);
            let (head, tail) = kept.split_at(HEAD);
            middle.add([head, tail].into_iter(), inverse_length(vector));
        }
        middle.vector()
    }

    fn pointing(places: &[(usize, i8)]) -> [i8; SIZE] {
        let mut numbers = [0; SIZE];
        for (place, number) in places {
            numbers[*place] = *number;
        }
        numbers
    }

    #[test]
    fn each_counts_as_much_as_another() {
        let (short, long) = (pointing(&[(0, 3)]), pointing(&[(200, -127)]));
        assert_eq!(middle(&[short]).unwrap().0, pointing(&[(0, 127)]));
        assert_eq!(middle(&[short, long]).unwrap().0, pointing(&[(0, 127), (200, -127)]));
        assert_eq!(middle(&[short, short, long]), middle(&[long, short, short]));
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!(middle(&[]), None);
        assert_eq!(middle(&[[0; SIZE]]), None);
        assert_eq!(middle(&[pointing(&[(1, 5)]), pointing(&[(1, -5)])]), None);
    }
}
