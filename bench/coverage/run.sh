#!/usr/bin/env bash
# Reads a 30 MB and a 600 MB tracefile with this project and with its peers, one after the other, and
# prints CPU seconds (user + system, the best of N) and peak memory. A reader may use 10 minutes of CPU, and
# node a heap of 12 GB. Needs: cargo, npm, grep, and Debian's time and lcov. `./run.sh` runs all; `./run.sh --small` leaves the 600 MB file out.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd) cache=$root/bench/.cache/coverage
mkdir -p "$cache"
cargo build -q --release --manifest-path "$root/Cargo.toml" -p proofstone-lcov --examples
cargo build -q --release --manifest-path peers/Cargo.toml --target-dir "$cache/target"
command -v grcov >/dev/null || cargo install -q grcov@0.10.7 --no-default-features
if [ ! -d "$cache/node_modules" ]; then
  (cd "$cache" && npm install --silent --no-audit --no-fund --ignore-scripts lcov-parse@1.0.0 @friedemannsommer/lcov-parser@5.0.2 >/dev/null)
fi
cp peers/*.js peers/*.mjs "$cache/"
examples=$root/target/release/examples
[ -f "$cache/big.info" ] || "$examples/generate_lcov" 5000 1 > "$cache/big.info"

best() { # name, times, command...; not to /dev/null, where grep would stop at the first match
  local name=$1 times=$2 best= memory= line cpu; shift 2
  for _ in $(seq "$times"); do
    if ! (ulimit -t 600; command time -o "$cache/time" -f '%U %S %M' "$@" >"$cache/out" 2>"$cache/errors"); then
      printf '| %s | none | none | %s |\n' "$name" "$(grep -m1 -iE 'error|memory|killed|long' "$cache/errors" | cut -c1-120 || echo 'stopped')"
      return
    fi
    line=$(tail -n 1 "$cache/time")
    cpu=$(awk '{print $1 + $2}' <<<"$line")
    if [ -z "$best" ] || awk "BEGIN{exit !($cpu < $best)}"; then best=$cpu memory=$(awk '{printf "%d", $3 / 1024}' <<<"$line"); fi
  done
  printf '| %s | %s | %s | |\n' "$name" "$best" "$memory"
}

measure() { # file, times; the two slowest run once
  local file=$1 times=$2
  printf '\n%s: %s MB\n\n| reader | CPU s | peak MiB | |\n|---|--:|--:|---|\n' "$(basename "$file")" "$(($(stat -c %s "$file") / 1000000))"
  best 'grep -c ^DA: (the floor)' "$times" grep -c ^DA: "$file"
  best 'proofstone, totals' "$times" "$examples/read_lcov" totals "$file"
  best 'proofstone, full model' "$times" "$examples/read_lcov" model "$file"
  best 'crate lcov 0.8.2, streaming' "$times" "$cache/target/release/coverage-peers" stream "$file"
  best 'crate lcov 0.8.2, Report' "$times" "$cache/target/release/coverage-peers" report "$file"
  best 'grcov 0.10.7 (covdir)' "$times" grcov "$file" -t covdir -o "$cache/grcov.out"
  best '@friedemannsommer/lcov-parser 5.0.2' "$times" node --max-old-space-size=12000 "$cache/lcov-parser.mjs" "$file"
  best 'lcov-parse 1.0.0' 1 node --max-old-space-size=12000 "$cache/lcov-parse.js" "$file"
  best "Debian lcov ($(lcov --version | grep -o '[0-9.]*$')) --summary" 1 lcov --summary "$file"
}

echo "$(date -u +%F), $(nproc) cores, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs)"
measure "$cache/big.info" 3
if [ "${1:-}" != --small ]; then
  [ -f "$cache/huge.info" ] || "$examples/generate_lcov" 87000 1 > "$cache/huge.info"
  measure "$cache/huge.info" 2
fi
