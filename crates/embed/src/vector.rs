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
        let largest = i64::from(sums.iter().map(|sum| sum.unsigned_abs()).max()?);
        if largest == 0 {
            return None;
        }
        let mut numbers = [0_i8; SIZE];
        for (number, sum) in numbers.iter_mut().zip(sums) {
            // Rounded to the nearest, halves away from zero, in whole numbers.
            let scaled = i64::from(*sum) * 254;
            let rounded = (scaled.abs() + largest) / (2 * largest) * scaled.signum();
            *number = rounded as i8;
        }
        Some(Self(numbers))
    }

    /// How alike two directions are: 1 for the same, 0 for unrelated ones.
    pub fn likeness(&self, other: &Self) -> f32 {
        let pairs = self.0.iter().zip(&other.0);
        let sum: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        sum as f32 * inverse_length(&self.0) * inverse_length(&other.0)
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[i8; SIZE] {
        &self.0
    }
}

/// One divided by the length of a run of numbers; 0 for none.
pub fn inverse_length(numbers: &[i8]) -> f32 {
    let square: i32 = numbers.iter().map(|number| i32::from(*number).pow(2)).sum();
    if square == 0 { 0.0 } else { 1.0 / (square as f32).sqrt() }
}

/// The sum of products with numbers as the index keeps them, exact. Written so that the compiler makes vector
/// instructions of it.
pub fn dot(numbers: &[i8], kept: &[u8]) -> i32 {
    let products = numbers.iter().zip(kept).map(|(a, b)| i32::from(*a) * i32::from(*b as i8));
    products.sum()
}
