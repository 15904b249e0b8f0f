#!/usr/bin/env bash
# The whole way from sources to a model on a small scale, on a CPU: the repository's own crates stand for packages.
# Fails if a step does, or if what was learned is no better than chance on the crate that was held out.
#   training/small_run.sh [PYTHON]     PYTHON needs torch and numpy (Debian: python3-torch, and then /usr/bin/python3)
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
mkdir -p "$data/src/local"
for crate in context coverage gate jail lcov mcptest patterns server; do cp -r "crates/$crate/src" "$data/src/local/$crate"; done
cargo run --quiet -p proofstone-context --example pairs "$data" "$data/pairs.tsv"
"$python" training/prepare.py "$data/pairs.tsv" "$data/prepared"
"$python" training/train.py "$data/prepared" "$data/model" --epochs 12 --batch 128 --neighbours 32 --words 4000
"$python" training/export.py "$data/model" "$data/words.bin" --fixtures "$data/fixtures.json"
"$python" - "$data" <<'CHECK'
import json, math, pathlib, sys
data = pathlib.Path(sys.argv[1])
found = json.loads((data / "model/figures.json").read_text())["held_out"]["all"]
rows = (data / "prepared/manifest.tsv").read_text().splitlines()[1:]
most = max(int(row.split("\t")[-1]) for row in rows)
chance = math.log(most) / most
print(f"held out: mean reciprocal rank {found:.3f}, by chance at most {chance:.3f}")
assert found > 2 * chance, "nothing was learned"
assert (data / "words.bin").read_bytes()[:8] == b"PRFSTVEC"
assert len(json.loads((data / "fixtures.json").read_text())) >= 8
CHECK
echo "1 passed, 0 failed"
