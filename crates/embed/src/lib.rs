//! Words of code and English ([`tokens`]), and vectors of what a text means ([`Model`]).
//!
//! The model is part of the binary: a bag of word vectors that `training/` made. It opens no file and no
//! connection, and knows nothing of who asks.

mod bytes;
mod middle;
mod model;
pub mod tokens;
mod vector;
mod vocabulary;

pub use middle::Middle;
pub use model::{Bag, Model};
pub use vector::{HEAD, SIZE, Vector, dot, inverse_length, products, whole_products};
