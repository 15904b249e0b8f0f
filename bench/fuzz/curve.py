#!/usr/bin/env python3
"""Rate and memory of one long campaign on the vault.

`python3 bench/fuzz/curve.py [SECONDS] [CSV]` from the root of the repository, after `cargo build --release -p
proofstone`. One worker, no limit of calls. A line is printed each time the wall time has doubled and, at the end,
the two ratios that the long run is held to; the CSV gets a line every two seconds.
"""
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


def samples(binary, artifact, seconds):
    """(wall seconds, calls, CPU seconds, resident MiB), about every two seconds."""
    command = [binary, "fuzz", artifact, "--test-limit", str(10**12), "--timeout", str(seconds), "--workers", "1", "--seed", "1", "--plain"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    start = time.time()
    for line in process.stderr:
        words = line.split()
        if "calls" in words:
            resident, used = sample(process.pid)
            yield time.time() - start, int(words[words.index("calls") - 1]), used, resident
    process.wait()


def rate(taken, low, high):
    """Calls per CPU-second between two numbers of calls, by the samples around them."""
    (_, first, before, _) = [point for point in taken if point[1] <= low][-1]
    (_, last, after, _) = next((point for point in taken if point[1] >= high), taken[-1])
    return (last - first) / max(after - before, 1e-9)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 1800
    csv = open(sys.argv[2], "w") if len(sys.argv) > 2 else None
    binary = os.environ.get("PROOFSTONE", os.path.join(run.ROOT, "target", "release", "proofstone"))
    wrapper = run.install()
    taken = [(0.0, 0, 0.0, 0.0)]
    with tempfile.TemporaryDirectory() as work:
        artifact = os.path.join(work, "Vault.json")
        run.compile_sol(wrapper, os.path.join(run.HERE, "Vault.sol"), artifact)
        print("| wall s | calls | CPU s | calls per CPU-second since the line before | resident MiB |\n|---|---|---|---|---|")
        last, due = (0, 0.0), 2.0
        for point in samples(binary, artifact, seconds):
            taken.append(point)
            wall, calls, used, resident = point
            if csv:
                csv.write(f"{wall:.1f},{calls},{used:.2f},{resident:.1f}\n")
                csv.flush()
            if wall >= due or wall > seconds - 3:
                print(f"| {wall:.0f} | {calls} | {used:.1f} | {(calls - last[0]) / max(used - last[1], 1e-9):,.0f} | {resident:.1f} |", flush=True)
                last, due = (calls, used), due * 2
    early, later = rate(taken, 0, 300_000), rate(taken, 1_000_000, 2_000_000)
    print(f"\nbetween 1 and 2 million calls: {later / early:.2f} of the rate of the first 300,000")
    half = [point for point in taken if point[0] >= seconds / 2]
    print(f"resident memory in the second half: {min(p[3] for p in half):.1f} to {max(p[3] for p in half):.1f} MiB")


if __name__ == "__main__":
    main()
