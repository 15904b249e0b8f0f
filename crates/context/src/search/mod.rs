//! Finding code by meaning: words, names, definitions and paths, weighed together.
//!
//! A question is cut into words; postings give each chunk and each file a BM25 score over its text and the
//! names it defines; the ranker adds what paths and definitions say and takes away for tests and the like.
//! Every result carries the parts of its score. Knows the index; knows nothing of files on disk or of tools.

mod candidates;
mod features;
mod look;
mod meaning;
mod path_kind;
mod question;
mod rank;
mod score;
mod weights;

pub use candidates::Filter;
pub use features::{Features, PARTS, WITHOUT_VECTORS};
pub use meaning::{Likeness, Vectors};
pub use path_kind::PathKind;
pub use question::{Question, QuestionKind};
pub use rank::{Hit, Looked, Span, search};
pub use score::Bm25;
pub use weights::Weights;
