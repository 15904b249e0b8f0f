# Fuzzes the fuzzer's readers of outside text. They need revm and its curves built once more with a nightly compiler,
# which takes longer than all else here, so this is done when asked for: PROOFSTONE_FUZZ=1 ./ci/test 60-fuzz.
# The same readers meet the same kinds of text in crates/evm/tests/outside, on every run.
set -euo pipefail
if [[ -z ${PROOFSTONE_FUZZ:-} ]]; then
    echo "PROOFSTONE_FUZZ is not set: only the property tests of the readers ran"
    exit 0
fi
cargo +nightly fuzz --version >/dev/null || { echo "install a nightly compiler and cargo-fuzz first"; exit 1; }
for target in artifact call corpus settings; do
    log=$(mktemp)
    seeds=$(mktemp -d)
    case $target in
        artifact) find crates/evm/tests -path '*/artifacts/*.json' -size -60k -exec cp {} "$seeds" \; ;;
    esac
    if ! (cd crates/evm && cargo +nightly fuzz run "$target" "$seeds" -- -seed=1 -runs=20000 -max_total_time=60 -rss_limit_mb=4096) > "$log" 2>&1; then
        tail -n 40 "$log"
        exit 1
    fi
    echo "$target: $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log")s, no crash"
    rm -rf "$seeds" "$log"
done
