# Real MCP servers that the tester is tried on.
set -euo pipefail
here=$PROOFSTONE_TOOLS/mcp-servers
want="everything filesystem memory sequential-thinking 2026.8.31 git time fastmcp"
if [[ -f $here/installed && $(cat "$here/installed") == "$want" ]]; then exit 0; fi
mkdir -p "$here"
[[ -f $here/package.json ]] || echo '{"private":true}' > "$here/package.json"
npm install --prefix "$here" --no-audit --no-fund --loglevel=error --no-package-lock \
    @modelcontextprotocol/server-everything@2026.8.31 \
    @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-memory@2026.8.31 \
    @modelcontextprotocol/server-sequential-thinking@2026.8.31
python3 -m venv "$here/venv"
"$here/venv/bin/pip" install --quiet mcp-server-git mcp-server-time fastmcp
echo "$want" > "$here/installed"
