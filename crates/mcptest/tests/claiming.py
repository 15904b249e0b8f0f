"""A server whose tools claim to only read or to be repeatable; some lie. Its state shows in a resource."""

import json
import sys

STATE = {"counter": 0, "reads": 0, "calls": 0}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 1000}}, "required": ["n"]}


def tool(name, **claims):
    return {"name": name, "description": "x", "inputSchema": NUMBER, "annotations": {"openWorldHint": True, **claims}}


TOOLS = [
    tool("reads", readOnlyHint=True),
    tool("writes_over_ten", readOnlyHint=True),
    tool("announces", readOnlyHint=True),
    tool("sets", idempotentHint=True),
    tool("adds", idempotentHint=True),
]


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(name, n):
    if name == "writes_over_ten" and n > 10:
        STATE["counter"] += 1
    if name == "announces":
        say({"method": "notifications/resources/list_changed"})
    if name == "sets":
        STATE["counter"] = n
    if name == "adds":
        STATE["counter"] += n + 1
    return {"content": [{"type": "text", "text": "done"}]}


def read(uri):
    STATE["reads"] += 1
    if uri.removeprefix("state://") not in STATE:
        return None
    text = str(STATE[uri.removeprefix("state://")])
    return {"contents": [{"uri": uri, "text": text}]}


def answer(method, params):
    if method == "initialize":
        about = {"name": "claiming", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "resources/list":
        # The second changes by itself and the third with every call, so they prove nothing.
        return {"resources": [{"uri": "state://" + name, "name": name} for name in STATE]}
    if method == "resources/templates/list":
        return {"resourceTemplates": []}
    if method == "resources/read":
        return read(params["uri"])
    if method == "tools/call":
        STATE["calls"] += 1
        n = params["arguments"].get("n")
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 1000:
            return {"isError": True, "content": [{"type": "text", "text": "n must be from 0 to 1000"}]}
        return call(params["name"], n)
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = answer(message["method"], message.get("params", {}))
    failed = {"error": {"code": -32601, "message": "no such method"}}
    say({"id": message["id"], **(failed if result is None else {"result": result})})
