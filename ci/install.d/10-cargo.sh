# The cargo subcommands that the checks use.
set -euo pipefail
cargo nextest --version >/dev/null 2>&1 || cargo install --locked cargo-nextest
cargo deny --version >/dev/null 2>&1 || cargo install --locked cargo-deny@0.20.2
