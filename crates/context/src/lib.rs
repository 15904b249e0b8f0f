//! What the code says, and what was learned about it.
