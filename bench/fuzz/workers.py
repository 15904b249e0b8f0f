#!/usr/bin/env python3
"""Two workers beside one on an idle machine: calls per second of wall time, in turns.

`python3 bench/fuzz/workers.py [ROUNDS] [CALLS]` from the root of the repository, after
`cargo build --release -p proofstone`. Each round runs CALLS calls with one worker and twice as many with two; the
ratio of the rates is the speed-up. Each round has a seed of its own: how evenly work falls on two workers depends on it. Other programs on the cores spoil it, so their load is measured and told.
"""
import os
import statistics
import sys
import tempfile
import time

sys.argv, given = sys.argv[:1], sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run  # noqa: E402


def busy(seconds=2.0):
    """The share of all cores that other programs use."""
    def times():
        fields = [int(n) for n in open("/proc/stat").readline().split()[1:]]
        return sum(fields), fields[3] + fields[4]
    (total, idle), _ = times(), time.sleep(seconds)
    now_total, now_idle = times()
    return 1 - (now_idle - idle) / max(1, now_total - total)


def main():
    rounds, calls = int(given[0]) if given else 5, int(given[1]) if len(given) > 1 else 3_000_000
    wrapper = run.install()
    print(f"{os.cpu_count()} cores\n\n| round | others' load | 1 worker, calls/s | 2 workers, calls/s | ratio |\n|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        artifact = os.path.join(work, "Vault.json")
        run.compile_sol(wrapper, os.path.join(run.HERE, "Vault.sol"), artifact)
        for turn in range(rounds):
            load = busy()
            one, two = [], []
            # The order changes, so that a machine that grows slower or faster favours neither.
            for workers in (1, 2) if turn % 2 == 0 else (2, 1):
                summary, _, _ = run.proofstone(artifact, "Vault", "property", calls * workers, workers=workers, seed=turn + 1)
                (one if workers == 1 else two).append(summary["calls"] / summary["wallSeconds"])
            ratios.append(two[0] / one[0])
            print(f"| {turn + 1} | {load:.0%} | {one[0]:,.0f} | {two[0]:,.0f} | {ratios[-1]:.2f} |", flush=True)
    print(f"\nmedian {statistics.median(ratios):.2f}, best {max(ratios):.2f} (goal: 1.8)")


if __name__ == "__main__":
    main()
