# Fuzzes the readers for a bounded time where cargo-fuzz and a nightly compiler are installed (the property
# tests run everywhere), and fills a real file system while a snapshot is written.
set -euo pipefail
if cargo +nightly fuzz --version >/dev/null 2>&1; then
    for target in lcov:20000 coverage:8000; do
        crate=${target%:*} runs=${target#*:}
        log=$(mktemp)
        seeds=$(mktemp -d)
        find crates/coverage/tests/fixtures -type f -size -60k ! -name '*.sqlite' -exec cp --backup=numbered {} "$seeds" \;
        if ! (cd crates/$crate && cargo +nightly fuzz run read "$seeds" -- -seed=1 -runs="$runs" -max_total_time=60 -rss_limit_mb=4096) > "$log" 2>&1; then
            tail -n 40 "$log"
            exit 1
        fi
        echo "$crate: $(grep -o 'Done [0-9]* runs in [0-9]* second' "$log")s, no crash"
        rm -rf "$seeds" "$log"
    done
else
    echo "cargo-fuzz or a nightly compiler is missing: only the property tests ran"
fi

full=$(mktemp -d)
project=$(mktemp -d)
trap 'umount "$full" 2>/dev/null || true; rm -rf "$full" "$project"' EXIT
if mount -t tmpfs -o size=64k,mode=1777 tmpfs "$full" 2>/dev/null; then
    { echo SF:a.c; seq 1 60000 | sed 's/.*/DA:&,1/'; echo end_of_record; } > "$project/lcov.info"
    answer=$(TMPDIR=$full target/debug/proofstone --root "$project" call start_coverage_snapshot '{"lcovPath": "lcov.info"}' 2>/dev/null || true)
    case $answer in
        "Error: Cannot create snapshot: no space left"*) ;;
        *) echo "a full disk was answered with: $answer"; exit 1 ;;
    esac
    left=$(find "$full" -name '*.json' -o -name '.new-*' | wc -l)
    [ "$left" = 0 ] || { echo "a full disk left half a snapshot behind"; exit 1; }
    echo "a full disk is a storage error and leaves nothing behind"
else
    echo "no right to mount a small file system: the full disk was not tried"
fi
