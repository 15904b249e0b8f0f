"""A server with many tools that say they only read and never answer a call that fits their schema."""

import json
import sys

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TOOLS = [
    {"name": f"waits_{at}", "description": "x", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
    for at in range(30)
]

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"error": {"code": -32601, "message": "no such method"}}
    method, params = request.get("method"), request.get("params") or {}
    if method == "initialize":
        about = {"name": "silent", "version": "1"}
        answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}}
    elif method == "ping":
        answer = {"result": {}}
    elif method == "tools/list":
        answer = {"result": {"tools": TOOLS}}
    elif method == "tools/call":
        if isinstance((params.get("arguments") or {}).get("n"), int):
            continue
        answer = {"error": {"code": -32602, "message": "n is missing"}}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
