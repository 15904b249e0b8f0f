//! The `proofstone` command line.

fn main() {}
