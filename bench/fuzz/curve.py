#!/usr/bin/env python3
"""Rate and memory of one long campaign on the vault: `python3 bench/fuzz/curve.py SECONDS`."""
import os
import subprocess
import sys
import tempfile
import time

import run


def sample(pid):
    with open(f"/proc/{pid}/status") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return resident / 1024, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 1800
    wrapper = run.install()
    with tempfile.TemporaryDirectory() as work:
        artifact = os.path.join(work, "Vault.json")
        run.compile_sol(wrapper, os.path.join(run.HERE, "Vault.sol"), artifact)
        binary = os.path.join(run.ROOT, "target", "release", "proofstone")
        command = [binary, "fuzz", artifact, "--test-limit", str(10**12), "--timeout", str(seconds), "--workers", "1", "--seed", "1", "--plain"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        print("| wall s | calls | CPU s | calls per CPU-second since the line before | resident MiB |\n|---|---|---|---|---|")
        last, due = (0, 0.0), 1.0
        start = time.time()
        for line in process.stderr:
            words = line.split()
            if "calls" not in words or time.time() - start < due:
                continue
            calls = int(words[words.index("calls") - 1])
            resident, used = sample(process.pid)
            rate = (calls - last[0]) / max(used - last[1], 1e-9)
            print(f"| {time.time() - start:.0f} | {calls} | {used:.1f} | {rate:,.0f} | {resident:.1f} |", flush=True)
            last, due = (calls, used), due * 2
        process.wait()


if __name__ == "__main__":
    main()
