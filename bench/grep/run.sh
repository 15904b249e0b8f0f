#!/usr/bin/env bash
# grep_codebase's library call beside rg on one tree, three queries, in one run.
#   bench/grep/run.sh TREE        (a large tree, such as an unpacked Debian source package)
set -euo pipefail
tree=$1
cd "$(dirname "$0")/../.."
cargo build --quiet --release -p proofstone-context --example grep_bench
bench=target/release/examples/grep_bench
shortest() { for _ in 1 2 3 4 5; do /usr/bin/env bash -c 'TIMEFORMAT=%R; time "$@" >/dev/null' _ "$@" 2>&1; done | sort -n | head -1; }
# The same scope as the tool: hidden files too, the contract's excluded folders left out.
scope=(--hidden --no-require-git -g '!.git' -g '!node_modules' -g '!dist' -g '!build' -g '!.next' -g '!.context' --no-messages)
echo "$(rg --version | head -1); $(find "$tree" -type f | wc -l) files; $(nproc) cores"
row() {
    local name=$1 pattern=$2 flag=$3 case=$4
    local rg_ms ours total lines
    rg_ms=$(shortest rg "${scope[@]}" $flag -n -C2 -e "$pattern" "$tree" | awk '{printf "%.1f", $1*1000}')
    lines=$( (rg "${scope[@]}" $flag -e "$pattern" "$tree" || true) | wc -l)
    read -r total ours < <("$bench" "$tree" "$pattern" $case)
    awk -v n="$name" -v r="$rg_ms" -v o="$ours" -v t="$total" -v l="$lines" 'BEGIN { printf "%-12s rg %8.1f ms (%d lines)   library %8.1f ms (%d lines)   ratio %.2f\n", n, r, l, o, t, o / r }'
}
row literal 'kmalloc_array' -s case
row alternation 'TODO|FIXME|XXX|HACK' -s case
row regex 'static\s+int\s+\w*(parse|resolve)\w*\s*\(' -i ''
