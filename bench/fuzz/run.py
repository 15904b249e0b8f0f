#!/usr/bin/env python3
"""Proofstone beside forge, echidna and bare revm: calls and bugs per CPU-second, in one run.

`python3 bench/fuzz/run.py [--quick] [--without=PART,…]` from the root of the repository; the parts are vault, maze-1, maze-2,
maze-3, and in the mazes forge, echidna, proofstone. Peers are installed once into
bench/.cache (npm and PyPI). CPU time is that of the whole process tree of each program.
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "bench", "fuzz")
CACHE = os.environ.get("BENCH_CACHE", os.path.join(ROOT, "bench", ".cache", "fuzz"))
QUICK = "--quick" in sys.argv
# Parts to leave out, by name: --without=vault,echidna,maze-1
LEFT_OUT = [name for word in sys.argv for name in word.removeprefix("--without=").split(",") if word.startswith("--without=")]
PEERS = os.path.join(CACHE, "peers")
# Peers that ask for a compiler find this one: it answers what forge and crytic-compile ask, from the npm package.
SOLC = """#!/usr/bin/env node
const fs = require("fs"), path = require("path"), solc = require(path.join(__dirname, "..", "node_modules", "solc"));
const args = process.argv.slice(2);
if (args.includes("--version")) { console.log("solc, the solidity compiler commandline interface\\nVersion: " + solc.version().replace(/\\.Emscripten.*/, ".Linux.g++")); process.exit(0); }
if (args.includes("--standard-json")) { fs.writeFileSync(1, solc.compile(fs.readFileSync(0, "utf8"))); process.exit(0); }
const file = args.find((a) => a.endsWith(".sol"));
const optimizer = args.includes("--optimize") ? { enabled: true, runs: 200 } : { enabled: false };
const outputs = ["abi", "evm.bytecode", "evm.deployedBytecode", "evm.methodIdentifiers", "userdoc", "devdoc"];
const input = { language: "Solidity", sources: { [file]: { content: fs.readFileSync(file, "utf8") } }, settings: { evmVersion: "london", optimizer, outputSelection: { "*": { "*": outputs, "": ["ast"] } } } };
const out = JSON.parse(solc.compile(JSON.stringify(input)));
for (const e of (out.errors || []).filter((e) => e.severity === "error")) { console.error(e.formattedMessage); process.exitCode = 1; }
const all = { contracts: {}, sourceList: Object.keys(out.sources || {}), sources: {}, version: solc.version() };
for (const [f, s] of Object.entries(out.sources || {})) all.sources[f] = { AST: s.ast };
for (const [f, cs] of Object.entries(out.contracts || {})) for (const [n, c] of Object.entries(cs)) all.contracts[f + ":" + n] = { abi: c.abi, bin: c.evm.bytecode.object, "bin-runtime": c.evm.deployedBytecode.object, srcmap: c.evm.bytecode.sourceMap, "srcmap-runtime": c.evm.deployedBytecode.sourceMap, userdoc: c.userdoc, devdoc: c.devdoc, hashes: c.evm.methodIdentifiers };
fs.writeFileSync(1, JSON.stringify(all));
"""
# echidna 2.0.2 expects the shape that this printer had in its day: a list of functions for each contract.
SLITHER = """#!/bin/sh
here=$(dirname "$0")
"$here/../venv/bin/slither" "$@" | "$here/../venv/bin/python" -c '
import json, sys
answer = json.load(sys.stdin)
for printer in answer.get("results", {}).get("printers", []):
    told = json.loads(printer["description"])
    for contract, found in told.get("assert", {}).items():
        told["assert"][contract] = list(found)
    printer["description"] = json.dumps(told)
print(json.dumps(answer))'
"""


def install():
    """Peers from npm and PyPI, in a folder of their own; the path of the compiler."""
    os.makedirs(PEERS, exist_ok=True)
    if not os.path.exists(os.path.join(CACHE, "node_modules", "solc")):
        subprocess.run(["npm", "init", "-y"], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
        packages = ["solc@0.8.37", "@foundry-rs/forge@1.7.1", "@crytic/echidna@0.0.6"]
        subprocess.run(["npm", "install", *packages], cwd=CACHE, check=True, stdout=subprocess.DEVNULL)
    if not os.path.exists(os.path.join(CACHE, "venv", "bin", "slither")):
        # In an environment of its own: the `solc` that comes with slither has no compiler behind it.
        subprocess.run([sys.executable, "-m", "venv", os.path.join(CACHE, "venv")], check=True)
        pip = os.path.join(CACHE, "venv", "bin", "pip")
        subprocess.run([pip, "install", "--quiet", "crytic-compile", "slither-analyzer"], check=True)
    for name, text in (("solc", SOLC), ("slither", SLITHER)):
        path = os.path.join(PEERS, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)
    return os.path.join(PEERS, "solc")


def wanted(part):
    return part not in LEFT_OUT


def cpu(command, **options):
    """Runs a command; its output, CPU seconds and wall seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done, used, time.time() - start


def compile_sol(wrapper, source, out):
    name = os.path.basename(source)
    settings = {"optimizer": {"enabled": True, "runs": 200}, "outputSelection": {"*": {"*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object", "evm.deployedBytecode.immutableReferences"]}}}
    request = {"language": "Solidity", "sources": {name: {"content": open(source).read()}}, "settings": settings}
    done = subprocess.run([wrapper, "--standard-json"], input=json.dumps(request), capture_output=True, text=True, check=True)
    with open(out, "w") as file:
        file.write(done.stdout)


def proofstone(artifact, contract, mode, calls, workers=1, seed=1):
    binary = os.environ.get("PROOFSTONE", os.path.join(ROOT, "target", "release", "proofstone"))
    command = [binary, "fuzz", artifact, "--contract", contract, "--test-mode", mode, "--test-limit", str(calls), "--workers", str(workers), "--seed", str(seed), "--shrink-limit", "0", "--json"]
    done, used, wall = cpu(command)
    summary = json.loads(done.stdout.strip().splitlines()[-1])
    return summary, used, wall


def forge_project(folder, wrapper, files, invariant):
    os.makedirs(os.path.join(folder, "src"), exist_ok=True)
    os.makedirs(os.path.join(folder, "test"), exist_ok=True)
    for path, text in files.items():
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)
    with open(os.path.join(folder, "foundry.toml"), "w") as file:
        file.write(f'[profile.default]\nsolc = "{wrapper}"\noffline = true\noptimizer = true\noptimizer_runs = 200\nlibs = []\n[invariant]\n{invariant}\n')


def forge(folder):
    binary = os.path.join(CACHE, "node_modules", "@foundry-rs", "forge-linux-amd64", "bin", "forge")
    subprocess.run([binary, "build"], cwd=folder, capture_output=True, text=True)
    return cpu([binary, "test", "--json", "-j", "1"], cwd=folder)


VAULT_TEST = """pragma solidity >=0.7.0;
import "../src/Vault.sol";
contract VaultTest { Vault v; function setUp() public { v = new Vault(); } function targetContracts() public view returns (address[] memory t) { t = new address[](1); t[0] = address(v); } function invariant_total() public view { require(v.total() >= v.balanceOf(address(0x10000))); } }
"""


def bench_vault(wrapper, work):
    artifact = os.path.join(work, "Vault.json")
    compile_sol(wrapper, os.path.join(HERE, "Vault.sol"), artifact)
    calls = 300_000 if QUICK else 1_000_000
    rows = []
    raw = os.path.join(ROOT, "target", "release", "examples", "raw_revm")
    done = subprocess.run([raw, artifact, str(calls)], capture_output=True, text=True)
    limit = json.loads(done.stdout)
    rows.append(("revm, no fuzzer, property call after each call", calls, limit["cpuSeconds"]))
    summary, used, wall = proofstone(artifact, "Vault", "property", calls)
    rows.append(("proofstone, 1 worker", summary["calls"], used))
    summary2, used2, wall2 = proofstone(artifact, "Vault", "property", calls * 2, workers=2)
    rows.append((f"proofstone, 2 workers ({wall2:.1f} s wall for twice the calls, 1 worker {wall:.1f} s)", summary2["calls"], used2))
    for corpus in (False, True):
        folder = os.path.join(work, f"forge-{corpus}")
        runs = 300 if QUICK else 1000
        setting = f"runs = {runs}\ndepth = 100" + ('\ncorpus_dir = "corpus"' if corpus else "")
        forge_project(folder, wrapper, {"src/Vault.sol": open(os.path.join(HERE, "Vault.sol")).read(), "test/Vault.t.sol": VAULT_TEST}, setting)
        done, used, _ = forge(folder)
        match = re.search(r'"calls":\s*(\d+)', done.stdout)
        made = int(match.group(1)) if match else 0
        rows.append((f"forge 1.7.1 invariant, {'with' if corpus else 'no'} corpus", made, used))
    rows.append(bench_echidna(os.path.join(HERE, "Vault.sol"), "Vault", work, 20_000))
    print("\n## Vault: calls per CPU-second\n\n| program | calls | CPU s | calls per CPU-second |\n|---|---|---|---|")
    for name, made, used in rows:
        rate = f"{made / used:,.0f}" if used else "-"
        print(f"| {name} | {made} | {used:.2f} | {rate} |")


def echidna(source, contract, work, calls, mode):
    """Runs echidna; its output and CPU seconds. The code is optimised as for the others."""
    binary = os.path.join(CACHE, "node_modules", "@crytic", "echidna", "bin", "echidna", "2.0.2", "Ubuntu-18.04", "echidna-test")
    config = os.path.join(work, f"echidna-{mode}.yaml")
    with open(config, "w") as file:
        file.write(f'testMode: {mode}\ntestLimit: {calls}\nshrinkLimit: 0\nseed: 1\nformat: text\ncoverage: true\ncryticArgs: ["--solc-args=--optimize"]\n')
    path = os.pathsep.join([PEERS, os.path.join(CACHE, "venv", "bin"), os.environ["PATH"]])
    done, used, _ = cpu([binary, source, "--contract", contract, "--config", config], cwd=work, env={**os.environ, "PATH": path})
    return done.stdout + done.stderr, used


def bench_echidna(source, contract, work, calls):
    told, used = echidna(source, contract, work, calls, "property")
    if "passed" not in told:
        return (f"echidna 2.0.2 (did not run: {told[-80:].strip()!r})", 0, used)
    return ("echidna 2.0.2", calls, used)


def bench_maze(wrapper, work):
    functions = 96
    print(f"\n## Mazes: distinct bugs of {functions}\n\n| maze | program | calls | CPU s | bugs |\n|---|---|---|---|---|")
    for seed in (1,) if QUICK else (1, 2, 3):
        if not wanted(f"maze-{seed}"):
            continue
        source = os.path.join(work, f"Maze{seed}.sol")
        with open(source, "w") as file:
            file.write(maze(seed, functions))
        for corpus in (False, True):
            if wanted("forge"):
                row(seed, *forge_maze(wrapper, work, seed, functions, corpus))
        if wanted("echidna"):
            row(seed, *echidna_maze(source, work))
        if wanted("proofstone"):
            artifact = source.replace(".sol", ".json")
            compile_sol(wrapper, source, artifact)
            for limit in (30_000, 100_000) if QUICK else (30_000, 100_000, 1_000_000):
                summary, used, _ = proofstone(artifact, "Maze", "assertion", limit)
                found = sum(t["status"] == "falsified" and t["name"].startswith("f") for t in summary["tests"])
                row(seed, "proofstone", summary["calls"], used, found)


def row(seed, program, calls, used, found):
    print(f"| {seed} | {program} | {calls} | {used:.1f} | {found} |", flush=True)


def maze(*arguments):
    command = [sys.executable, os.path.join(HERE, "maze.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def forge_maze(wrapper, work, seed, functions, corpus):
    """One invariant for each bug: forge gives each of them runs of its own."""
    invariants = "".join(f"function invariant_{i}() public view {{ require(!m.bugs({i})); }} " for i in range(functions))
    test = f'pragma solidity >=0.7.0;\nimport "../src/Maze.sol";\ncontract MazeTest {{ Maze m; function setUp() public {{ m = new Maze(); }} function targetContracts() public view returns (address[] memory t) {{ t = new address[](1); t[0] = address(m); }} {invariants} }}\n'
    folder = os.path.join(work, f"forge-maze-{seed}-{corpus}")
    setting = "runs = 40\ndepth = 100" + ('\ncorpus_dir = "corpus"' if corpus else "")
    forge_project(folder, wrapper, {"src/Maze.sol": maze(seed, functions, "flags"), "test/Maze.t.sol": test}, setting)
    done, used, _ = forge(folder)
    results = re.findall(r'"invariant_\d+\(\)":\s*\{\s*"status":\s*"(\w+)"', done.stdout)
    if len(results) != functions:
        return f"forge 1.7.1 (told of {len(results)} invariants)", 0, used, "-"
    name = f"forge 1.7.1, {'with' if corpus else 'no'} corpus, {functions} invariants"
    return name, functions * 4000, used, results.count("Failure")


def echidna_maze(source, work):
    told, used = echidna(source, "Maze", work, 30_000, "assertion")
    found = len(re.findall(r"^f\d+\(.*failed", told, re.M))
    return "echidna 2.0.2", 30_000, used, found if "Unique instructions" in told else "did not run: " + repr(told[-80:])


def main():
    wrapper = install()
    with tempfile.TemporaryDirectory() as work:
        if wanted("vault"):
            bench_vault(wrapper, work)
        bench_maze(wrapper, work)


if __name__ == "__main__":
    main()
