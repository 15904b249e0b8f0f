#!/usr/bin/env python3
"""Latency of the nine contract tools while all workers run, over MCP on stdio, what a polling client costs the workers, how
soon an injected sequence can be found, and what prioritizing a function does.

`python3 bench/fuzz-tools/run.py PROGRAM [PAIRS [SECONDS]]` from the root of the repository. The loss is that of calls per
CPU-second of the workers, as campaign_status tells them together, in pairs of stretches that alternate: one without a
client's calls, one with ten a second. Beside it stands the CPU time that serving took.
"""
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from served import Server  # noqa: E402

TOOLS = [("read_logs", {}), ("show_coverage", {}), ("dump_lcov", {}), ("get_corpus_size", {}), ("inspect_corpus_transactions", {}),
         ("find_transaction_in_corpus", {"functionSignature": "drain"}), ("inject_transaction", {"sequence": ["drain(1)"]}),
         ("prioritize_function", {"functionSignature": "drain(uint256)"}), ("clear_priorities", {})]


def serve(program):
    root = tempfile.mkdtemp()
    shutil.copy("crates/fuzz/tests/artifacts/Lock.json", root)
    return Server(program, root, "fuzz")


def figures(server):
    """Calls, CPU seconds of the workers, CPU seconds of the whole process."""
    told = server.call("campaign_status", {})["structuredContent"]
    return told["calls"], told["workerCpuSeconds"], server.processor_seconds()


def latencies(server):
    print("| tool | p50 ms | p95 ms | max ms | timeouts |\n|---|---|---|---|---|")
    for tool, arguments in TOOLS:
        times, late = [], 0
        for _ in range(200):
            start = time.perf_counter()
            late += "EXECUTION_TIMEOUT" in json.dumps(server.call(tool, arguments))
            times.append((time.perf_counter() - start) * 1e3)
            time.sleep(0.005)
        times.sort()
        print(f"| {tool} | {statistics.median(times):.2f} | {times[189]:.2f} | {times[-1]:.2f} | {late} |", flush=True)


def stretch(server, seconds, poll):
    """Calls per CPU-second of the workers, and the share of a core that the rest of the process took."""
    before, start = figures(server), time.perf_counter()
    while time.perf_counter() - start < seconds:
        if poll:
            server.call("read_logs", {"count": 10})
            server.call("show_coverage", {})
        time.sleep(0.2)
    after, wall = figures(server), time.perf_counter() - start
    calls, workers, whole = (late - early for early, late in zip(before, after))
    return calls / workers, (whole - workers) / wall


def loss(server, pairs, seconds):
    stretches = [(stretch(server, seconds, False), stretch(server, seconds, True)) for _ in range(pairs)]
    lost = [100 * (1 - polled[0] / idle[0]) for idle, polled in stretches]
    mean, spread = statistics.mean(lost), statistics.stdev(lost) / len(lost) ** 0.5 * 2
    idle = statistics.mean(pair[0][0] for pair in stretches)
    polled = statistics.mean(pair[1][0] for pair in stretches)
    serving = [100 * statistics.mean(pair[i][1] for pair in stretches) for i in (0, 1)]
    print(f"\n{pairs} pairs of {seconds:g} s: idle {idle:,.0f}, polled ten times a second {polled:,.0f} calls per CPU-second of the workers: "
          f"loss {mean:.2f} % (± {spread:.2f}, median {statistics.median(lost):.2f})")
    print(f"CPU time beside the workers: {serving[0]:.2f} % of a core idle, {serving[1]:.2f} % polled")


def found_again(server, times=20):
    """How long after its injection a sequence can be found in the corpus."""
    waits = []
    for number in range(times):
        call = f"drain({987654321 + number})"
        server.call("inject_transaction", {"sequence": [call]})
        start = time.perf_counter()
        while time.perf_counter() - start < 10:
            found = server.call("find_transaction_in_corpus", {"functionSignature": "drain(uint256)"})["structuredContent"]
            if any(match["call"] == call for match in found["matches"]):
                break
            time.sleep(0.005)
        waits.append((time.perf_counter() - start) * 1e3)
    print(f"\n{times} injected sequences found in the corpus after {statistics.median(waits):.0f} ms at the median, {max(waits):.0f} ms at the most")


def prioritized(server, seconds=5):
    """The share of executed transactions that call a function after it was prioritized, by the counters of each function."""
    def calls():
        functions = server.call("campaign_status", {})["structuredContent"]["functions"]
        return {function["signature"]: function["calls"] for function in functions}
    for signature in calls():
        # The contract's expression has no brackets within brackets: a struct is written `tuple`.
        written = re.sub(r"\([^()]*\)(?=[\[,)])", "tuple", signature)
        answer = server.call("prioritize_function", {"functionSignature": written})["structuredContent"]
        assert answer["prioritizedFunctions"] == [signature], answer
        time.sleep(0.5)
        before = calls()
        time.sleep(seconds)
        more = {name: count - before[name] for name, count in calls().items()}
        server.call("clear_priorities", {})
        print(f"{signature} prioritized: {100 * more[signature] / sum(more.values()):.1f} % of {sum(more.values()):,} executed calls")


def main():
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 3
    server = serve(sys.argv[1])
    server.call("start_campaign", {"target": "Lock.json", "testLimit": 10**12, "seed": 1})
    time.sleep(2)
    latencies(server)
    loss(server, pairs, seconds)
    found_again(server)
    prioritized(server)
    server.call("stop_campaign", {})
    server.process.stdin.close()
    server.process.wait(20)


if __name__ == "__main__":
    main()
