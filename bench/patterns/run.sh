#!/bin/sh
# Search quality over questions.tsv and the speed of loading, asking and scanning; results are in README.md.
set -eu
cd "$(dirname "$0")/../.."
cargo build --release -q -p proofstone
PROOFSTONE_BIN="$PWD/target/release/proofstone" \
    cargo run --release -q -p proofstone-patterns --example measure -- bench/patterns/questions.tsv "$@"
