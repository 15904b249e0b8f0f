#!/usr/bin/env python3
"""Latency of the nine contract tools while all workers run, over MCP on stdio; and what a polling client costs the workers.
Usage: run.py PROGRAM [SECONDS]   (run from the repository root)"""
import json, shutil, statistics, subprocess, sys, tempfile, time

program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 5
root = tempfile.mkdtemp()
shutil.copy("crates/fuzz/tests/artifacts/Lock.json", root)
server = subprocess.Popen([program, "serve", "--root", root, "--toolsets", "fuzz"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
number = 0

def request(method, params):
    global number
    number += 1
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while True:
        answer = json.loads(server.stdout.readline())
        if answer.get("id") == number:
            return answer["result"]

def call(tool, arguments):
    return request("tools/call", {"name": tool, "arguments": arguments})

def calls():
    return call("campaign_status", {})["structuredContent"]["calls"]

request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
call("start_campaign", {"target": "Lock.json", "testLimit": 10**12, "seed": 1})
time.sleep(1)
TOOLS = [("read_logs", {}), ("show_coverage", {}), ("dump_lcov", {}), ("get_corpus_size", {}), ("inspect_corpus_transactions", {}),
         ("find_transaction_in_corpus", {"functionSignature": "drain"}), ("inject_transaction", {"sequence": ["drain(1)"]}),
         ("prioritize_function", {"functionSignature": "drain(uint256)"}), ("clear_priorities", {})]
print("| tool | p50 ms | p95 ms | max ms | timeouts |\n|---|---|---|---|---|")
for tool, arguments in TOOLS:
    times, late = [], 0
    for _ in range(100):
        start = time.perf_counter()
        late += "EXECUTION_TIMEOUT" in json.dumps(call(tool, arguments))
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    print(f"| {tool} | {statistics.median(times):.1f} | {times[94]:.1f} | {times[-1]:.1f} | {late} |")

def rate(poll):
    before, start = calls(), time.perf_counter()
    while time.perf_counter() - start < seconds:
        if poll:
            call("read_logs", {"count": 10}); call("show_coverage", {})
        time.sleep(0.2)
    return (calls() - before) / (time.perf_counter() - start)

idle, polled = zip(*[(rate(False), rate(True)) for _ in range(2)])
loss = 100 * (1 - sum(polled) / sum(idle))
print(f"\nidle {sum(idle)/2:.0f} calls/s, polled five times a second {sum(polled)/2:.0f} calls/s: loss {loss:.1f} %")
call("stop_campaign", {})
server.stdin.close()
server.wait(20)
