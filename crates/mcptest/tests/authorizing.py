"""A server that wants a token, and its authorization server, in one program: behaves as the first argument says.

Prints its port. Knows the rules it can check: a code is good once and with its verifier, a token only if given here.
"""

import base64
import hashlib
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

MODE = sys.argv[1]
CODES, TOKENS, COUNTS = {}, {}, {"tokens": 0, "calls": 0}
RESULTS = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "guarded", "version": "1"}},
    "tools/list": {"tools": [{"name": "go", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "went"}]},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    @property
    def here(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, status, body=None, **headers):
        text = b"" if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if isinstance(body, str) else "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        path, query = urlsplit(self.path).path, {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        if path == "/.well-known/oauth-protected-resource/mcp":
            resource = "https://elsewhere.example/mcp" if MODE == "other-resource" else self.here + "/mcp"
            servers = [] if MODE == "no-server" else [self.here]
            return self.answer(200, {"resource": resource, "authorization_servers": servers, "scopes_supported": ["read"]})
        if path == "/.well-known/oauth-authorization-server" and MODE != "no-metadata":
            return self.metadata()
        if path in ("/authorize", "/approve"):
            return self.authorize(path, query)
        self.answer(404, {"error": "not found"})

    def metadata(self):
        if MODE == "huge":
            return self.answer(200, {"issuer": "x" * 2_000_000})
        metadata = {
            "issuer": self.here,
            "authorization_endpoint": self.here + "/authorize",
            "token_endpoint": self.here + "/token",
            "registration_endpoint": self.here + "/register",
            "code_challenge_methods_supported": ["plain"] if MODE == "no-pkce" else ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "scopes_supported": ["read", "offline_access"],
        }
        if MODE == "no-registration":
            del metadata["registration_endpoint"]
        self.answer(200, metadata)

    def authorize(self, path, query):
        if MODE == "person" and path == "/authorize":
            return self.answer(200, "<form>Sign in</form>")
        if MODE == "denied":
            back = {"error": "access_denied", "error_description": "not today", "state": query["state"]}
        else:
            code = f"secret-code-{len(CODES)}"
            CODES[code] = query
            back = {"code": code, "state": "forged" if MODE == "forged-state" else query["state"]}
        self.answer(302, None, Location=query["redirect_uri"] + "?" + urlencode(back))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        path = urlsplit(self.path).path
        if path == "/register":
            return self.answer(201, {"client_id": "registered", "client_secret": "secret-of-client", **json.loads(body)})
        if path == "/token":
            return self.token({k: v[0] for k, v in parse_qs(body).items()})
        self.serve(json.loads(body))

    def token(self, form):
        if MODE == "token-error":
            return self.answer(400, {"error": "invalid_grant", "error_description": "too late", "leak": "secret-leak"})
        if form.get("client_secret") != "secret-of-client" or form.get("resource") != self.here + "/mcp":
            return self.answer(401, {"error": "invalid_client"})
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] != "secret-refresh":
                return self.answer(400, {"error": "invalid_grant"})
        else:
            asked = CODES.pop(form["code"], None)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
            if asked is None or hashed != asked["code_challenge"] or asked["scope"] != "read offline_access":
                return self.answer(400, {"error": "invalid_grant"})
        COUNTS["tokens"] += 1
        token = f"secret-token-{COUNTS['tokens']}-{form['grant_type']}"
        TOKENS[token] = 2 if MODE == "expires" else 1000
        kind = "DPoP" if MODE == "dpop" else "Bearer"
        self.answer(200, {"access_token": token, "token_type": kind, "refresh_token": "secret-refresh"})

    def serve(self, message):
        shown = self.headers.get("Authorization", "").removeprefix("Bearer ")
        left = TOKENS.get(shown, 0)
        if left <= 0 or MODE == "rejects":
            challenge = 'Basic realm="x", Bearer error="invalid_token"'
            return self.answer(401, {"error": "invalid_token"}, WWW_Authenticate=challenge)
        TOKENS[shown] = left - 1
        if "id" not in message:
            return self.answer(202)
        if MODE == "scope-for-ever" and message["method"] == "tools/call":
            challenge = 'Bearer error="insufficient_scope", scope="read"'
            return self.answer(403, {"error": "insufficient_scope"}, WWW_Authenticate=challenge)
        result = RESULTS[message["method"]]
        if message["method"] == "tools/call":
            result = {"content": [{"type": "text", "text": "a token by " + shown.rpartition("-")[2]}]}
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
