"""A server that misbehaves: one mode for each fault. `misbehaving.py stdio MODE` or `misbehaving.py http MODE`."""

import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TRANSPORT, MODE = sys.argv[1], sys.argv[2]
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "misbehaving", "version": "1"},
}
TOOL = {"name": "go", "inputSchema": {"type": "object"}}
DONE = {"content": [{"type": "text", "text": "done"}]}


def result_of(method, params):
    if method == "initialize":
        return {**OPENING, "protocolVersion": "1999-12-31"} if MODE == "unknown-revision" else OPENING
    if method == "tools/list":
        return listed(params)
    return DONE


def listed(params):
    if MODE == "malformed-entries":
        return {"tools": [TOOL, {"name": "bare"}, {"name": "text", "inputSchema": "any"}, "not a tool", None]}
    if MODE == "stuck-cursor":
        return {"tools": [TOOL], "nextCursor": "again"}
    if MODE == "endless-cursor":
        return {"tools": [TOOL], "nextCursor": str(int(params.get("cursor", "0")) + 1)}
    if MODE == "list-of-another-kind":
        return {"tools": {"go": TOOL}}
    return {"tools": [TOOL]}


def say(value):
    sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\n")
    sys.stdout.flush()


def die(code):
    sys.stderr.write("Traceback: the database is gone\n")
    sys.stderr.flush()
    os._exit(code)


def close_stdout():
    os.close(1)
    time.sleep(60)


def flood():
    note = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 50}})
    for _ in range(300):
        sys.stdout.write((note + "\n") * 100)
    sys.stdout.flush()


def call(id):
    answer = {"jsonrpc": "2.0", "id": id, "result": DONE}
    acts = {
        "noise": lambda: (say("INFO starting the tool"), say(answer)),
        "bytes": lambda: (os.write(1, b"\xff\xfe\x00\n"), say(answer)),
        "scalars": lambda: (say("42"), say("null"), say('"text"'), say(answer)),
        "id-as-text": lambda: say({**answer, "id": str(id)}),
        "id-null": lambda: say({**answer, "id": None}),
        "wrong-id": lambda: say({**answer, "id": id + 1000}),
        "no-jsonrpc": lambda: say({"id": id, "result": DONE}),
        "old-jsonrpc": lambda: say({**answer, "jsonrpc": "1.0"}),
        "silence": lambda: None,
        "progress-for-ever": lambda: [
            (say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": n}}), time.sleep(0.02))
            for n in range(500)
        ],
        "dies": lambda: die(3),
        "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "closes-stdout": close_stdout,
        "result-and-error": lambda: say({**answer, "error": {"code": -32000, "message": "both"}}),
        "neither": lambda: say({"jsonrpc": "2.0", "id": id}),
        "error-as-text": lambda: say({"jsonrpc": "2.0", "id": id, "error": "boom"}),
        "error-without-id": lambda: say({"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}}),
        "result-as-number": lambda: say({**answer, "result": 7}),
        "batch": lambda: say([answer]),
        "answers-again": lambda: (say({**answer, "id": id - 1}), say(answer)),
        "giant-line": lambda: (say('{"x":"' + "y" * (65 * 1024 * 1024) + '"}'), say(answer)),
        "half-a-line": lambda: (sys.stdout.write(json.dumps(answer)[:40]), sys.stdout.flush(), die(1)),
        "flood": lambda: (flood(), say(answer)),
        "ping-flood": lambda: ([say({"jsonrpc": "2.0", "id": f"p{n}", "method": "ping"}) for n in range(3000)], say(answer)),
    }
    acts.get(MODE, lambda: say(answer))()


def stdio():
    if MODE == "grandchild":
        stubborn = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", stubborn, "stubborn-" + sys.argv[3]])
    if MODE == "slow-start":
        time.sleep(1.5)
    if MODE == "slow-and-modern":
        time.sleep(4)
    if MODE == "dies-at-once":
        die(4)
    if MODE == "banner":
        say("Welcome to the server!")
    for line in sys.stdin:
        message = json.loads(line)
        id, method = message.get("id"), message.get("method")
        if id is None or method is None:
            continue
        if MODE == "slow-and-modern" and method == "initialize":
            supported = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32022, "message": "serving 2026-07-28", "data": supported}})
        elif MODE == "slow-and-modern" and method == "server/discover":
            say({"jsonrpc": "2.0", "id": id, "result": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}})
        elif method == "server/discover":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
        elif method == "initialize" and MODE == "refuses":
            say({"jsonrpc": "2.0", "id": id, "error": {"code": -32600, "message": "not today"}})
        elif method == "tools/call":
            call(id)
        else:
            say({"jsonrpc": "2.0", "id": id, "result": result_of(method, message.get("params", {}))})
    if MODE == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, kind, body, **headers):
        body = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *pieces):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece.encode())
            self.wfile.flush()
        self.close_connection = True

    def do_GET(self):
        self.answer(405, None, "")

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        id, method = message.get("id"), message.get("method")
        good = {"jsonrpc": "2.0", "id": id, "result": result_of(method, message.get("params", {}))}
        if id is None:
            return self.answer(202, None, "")
        if MODE.startswith("always-"):
            return self.misbehave(MODE.removeprefix("always-"), id, good)
        if method == "tools/call":
            return self.misbehave(MODE, id, good)
        self.answer(200, "application/json", json.dumps(good), Mcp_Session_Id="s1")

    def misbehave(self, mode, id, good):
        text = json.dumps(good)
        json_type = "application/json"
        acts = {
            "html": lambda: self.answer(200, "text/html", "<h1>It works!</h1>"),
            "login": lambda: self.answer(401, "text/plain", "who are you?", WWW_Authenticate='Bearer resource_metadata="http://x/meta"'),
            "forbidden": lambda: self.answer(403, json_type, '{"error": "wrong origin"}'),
            "not-found": lambda: self.answer(404, "text/plain", "404 page not found"),
            "crash": lambda: self.answer(500, "text/plain", "Internal Server Error"),
            "redirect": lambda: self.answer(307, None, "", Location="http://127.0.0.1:1/elsewhere"),
            "broken-json": lambda: self.answer(200, json_type, text[:30]),
            "empty": lambda: self.answer(200, json_type, ""),
            "accepted": lambda: self.answer(202, None, ""),
            "rpc-error-in-400": lambda: self.answer(400, json_type, json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "no session"}})),
            "stream-ends": lambda: self.stream(": hello\n\n"),
            "stream-cut": lambda: self.stream("data: " + text[:30]),
            "stream-noise": lambda: self.stream("data: hello\n\n", f"data: {text}\n\n"),
            "wrong-id": lambda: self.answer(200, json_type, json.dumps({**good, "id": 4711})),
            "hangs": lambda: time.sleep(30),
            "cut": self.cut,
            "stream-hangs": lambda: (self.stream(": hello\n\n"), time.sleep(30)),
        }
        acts[mode]()

    def cut(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"jsonrpc"')
        self.wfile.flush()
        self.close_connection = True


def http():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


stdio() if TRANSPORT == "stdio" else http()
