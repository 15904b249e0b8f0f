# A Solidity compiler for properties that are added to a campaign, and Foundry for the tests that repeat a finding.
set -euo pipefail
here=$PROOFSTONE_TOOLS/fuzz
want="solc 0.8.37 forge 1.7.1"
if [[ -f $here/installed && $(cat "$here/installed") == "$want" ]]; then exit 0; fi
mkdir -p "$here"
[[ -f $here/package.json ]] || echo '{"private":true}' > "$here/package.json"
npm install --prefix "$here" --no-audit --no-fund --loglevel=error --no-package-lock \
    solc@0.8.37 @foundry-rs/forge@1.7.1
# Foundry wants a compiler that is one file: this one runs the npm package.
cat > "$here/solc" <<'WRAPPER'
#!/usr/bin/env node
const fs = require("fs"), path = require("path"), solc = require(path.join(__dirname, "node_modules", "solc"));
const args = process.argv.slice(2);
if (args.includes("--version")) {
  console.log("solc, the solidity compiler commandline interface\nVersion: " + solc.version().replace(/\.Emscripten.*/, ".Linux.g++"));
} else if (args.includes("--standard-json")) {
  fs.writeFileSync(1, solc.compile(fs.readFileSync(0, "utf8")));
} else {
  console.error("only --version and --standard-json are known here");
  process.exit(1);
}
WRAPPER
chmod +x "$here/solc"
echo "$want" > "$here/installed"
