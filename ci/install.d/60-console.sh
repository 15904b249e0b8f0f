# A browser and what drives it, for the console's pages.
set -euo pipefail
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
browser >/dev/null || ci/apt chromium
here=$PROOFSTONE_TOOLS/console
want=$(sha256sum < ci/console/package.json | cut -d' ' -f1)
if [[ -f $here/installed && $(cat "$here/installed") == "$want" ]]; then exit 0; fi
mkdir -p "$here"
cp ci/console/package.json "$here/package.json"
npm install --prefix "$here" --no-audit --no-fund --loglevel=error --no-package-lock
echo "$want" > "$here/installed"
