# Real MCP clients and the official conformance suite, from their registries.
set -euo pipefail
here=$PROOFSTONE_TOOLS/interop
want=$(cat ci/interop/package.json ci/interop/requirements.txt | sha256sum | cut -d' ' -f1)
if [[ -f $here/installed && $(cat "$here/installed") == "$want" ]]; then exit 0; fi
mkdir -p "$here"
cp ci/interop/package.json "$here/package.json"
npm install --prefix "$here" --no-audit --no-fund --loglevel=error --no-package-lock
python3 -m venv "$here/venv"
"$here/venv/bin/pip" install --quiet --requirement ci/interop/requirements.txt
echo "$want" > "$here/installed"
