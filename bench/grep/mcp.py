#!/usr/bin/env python3
"""grep_codebase over MCP on stdio beside rg on one tree: three queries, taking turns, the shortest of each.

`python3 bench/grep/mcp.py PROGRAM TREE [ROUNDS]`. PROGRAM is a release build. One server answers all calls; a call's time is
from writing the request to having read and parsed the answer. rg's is that of the whole command, its output read too.
"""
import json
import os
import resource
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from served import Server  # noqa: E402

QUERIES = [
    ("literal", "kmalloc_array", True),
    ("alternation", "TODO|FIXME|XXX|HACK", True),
    ("regex", r"static\s+int\s+\w*(parse|resolve)\w*\s*\(", False),
]
# The same scope as the tool: hidden files too, the contract's excluded folders left out.
SCOPE = ["--hidden", "--no-require-git", "--no-messages"]
SCOPE += [part for folder in (".git", "node_modules", "dist", "build", ".next", ".context") for part in ("-g", "!" + folder)]


def grep(server, pattern, case_sensitive):
    arguments = {"pattern": pattern, "caseSensitive": case_sensitive}
    answer = server.call("grep_codebase", arguments)
    if answer.get("isError") or "incomplete" in answer["structuredContent"]:
        sys.exit(f"no whole answer: {json.dumps(answer)[:400]}")
    return answer["structuredContent"]["totalMatches"]


def rg(pattern, case_sensitive, tree):
    command = ["rg", *SCOPE, "-s" if case_sensitive else "-i", "-n", "-C2", "-e", pattern, tree]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def rg_lines(pattern, case_sensitive, tree):
    command = ["rg", *SCOPE, "-s" if case_sensitive else "-i", "-c", "--no-filename", "-e", pattern, tree]
    counts = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    return sum(map(int, counts.split()))


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(call, clock):
    started, used = time.perf_counter(), clock()
    found = call()
    return (time.perf_counter() - started) * 1e3, clock() - used, found


def main():
    program, tree = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    version = subprocess.run(["rg", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    files = sum(len(names) for _, _, names in os.walk(tree))
    print(f"{version}; {files} files; {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}")
    server = Server(program, tree, "context")
    grep(server, "warms the page cache", True)
    for name, pattern, case_sensitive in QUERIES:
        theirs, ours = [], []
        for _ in range(rounds):
            theirs.append(timed(lambda: rg(pattern, case_sensitive, tree), children))
            ours.append(timed(lambda: grep(server, pattern, case_sensitive), server.processor_seconds))
        (their_ms, their_cpu, _), (our_ms, our_cpu, total) = min(theirs), min(ours)
        their_cpu, our_cpu = min(t[1] for t in theirs), min(t[1] for t in ours)
        lines = rg_lines(pattern, case_sensitive, tree)
        print(f"{name:12} rg {their_ms:8.1f} ms {their_cpu:5.2f} CPU-s ({lines} lines)   MCP {our_ms:8.1f} ms {our_cpu:5.2f} CPU-s ({total} lines)"
              f"   ratio {our_ms / their_ms:.2f}, of CPU {our_cpu / their_cpu:.2f}")
    server.process.stdin.close()
    server.process.wait()


main()
