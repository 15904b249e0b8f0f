# The console's pages in a real browser.
set -euo pipefail
cp ci/console/*.mjs "$PROOFSTONE_TOOLS/console/"
node "$PROOFSTONE_TOOLS/console/pages.mjs" "$PWD" "$PROOFSTONE_TOOLS/console/pictures"
