# The release bundle, made from the debug build: what is in it works where it is unpacked.
set -euo pipefail
cargo xtask dist --profile dev 2>/dev/null
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
(cd target/bundle && sha256sum --quiet --check SHA256SUMS)
tar -xzf target/bundle/proofstone-*.tar.gz -C "$here" --strip-components=1
"$here/proofstone" --version
bash -n "$here/completions/proofstone.bash"
grep -q "compdef" "$here/completions/_proofstone"
grep -q "complete -c proofstone" "$here/completions/proofstone.fish"
test "$(ls "$here/man" | wc -l)" -gt 10
node "$PROOFSTONE_TOOLS/console/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js" validate target/bundle/manifest.json
cp ci/console/bundle.mjs "$PROOFSTONE_TOOLS/console/"
node "$PROOFSTONE_TOOLS/console/bundle.mjs" target/bundle/proofstone-*.mcpb "$PWD/examples/shop"
