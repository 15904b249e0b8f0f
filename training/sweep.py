"""Trains many models side by side and says what each is worth, to choose by.

    python training/sweep.py PREPARED OUT RUNS.txt [--workers 4] [--search 'target/release/examples/retrieval learn UNSEEN,UNSEEN,UNSEEN/questions.tsv']

Each line of RUNS.txt is a name and options of train.py. OUT/results.tsv gets a line for each: how it does on held-out packages (mean reciprocal
rank, also with 64 numbers alone) and, with --search, in the search itself on packages that no model has seen: the ranker with the model's vectors,
its weights learned from one half of the packages and measured on the other. `{size}` in the command stands for the numbers of a vector, which
the program is compiled for (SIZE in crates/embed/src/vector.rs). A name that begins with `!` keeps its files in OUT.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
COLUMNS = ["name", "mrr", "mrr_64", "ndcg", "first", "within_5", "seconds"]


def search_figures(output):
    """What the ranker with vectors reaches, as `retrieval … learn` prints it."""
    part = output.rsplit("\nwith vectors\n", 1)[1]
    ndcg, first, five = re.search(r"NDCG@10 ([\d.]+) of \d+, functions within 1 (\d+), within 5 (\d+)", part).groups()
    weights = re.findall(r"^  ([a-z ]+): ([\d.]+)$", part, re.M)
    return {"ndcg": float(ndcg), "first": int(first), "within_5": int(five), "languages": re.search(r"by language: (.*)", part)[1], "weights": dict(weights)}


def search(command, prepared, folder, given):
    """The model as a file, searched with."""
    subprocess.run([sys.executable, HERE / "export.py", folder, folder / "words.bin"], check=True, capture_output=True)
    words = shlex.split(command.replace("{size}", str(given.size)))
    done = subprocess.run([*words, "model", folder / "words.bin"], check=True, capture_output=True, text=True)
    (folder / "search.txt").write_text(done.stdout)
    return search_figures(done.stdout)


def work(queue, results, prepared_folder, out, command):
    """Trains what is next in the queue; a model is searched with while the next one trains."""
    sys.path.insert(0, str(HERE))
    import torch
    from arrays import Prepared
    from train import parser, train

    torch.backends.cuda.matmul.allow_tf32 = True
    prepared = Prepared(prepared_folder)

    def measure(name, given, figures):
        row = {"name": name, "mrr": figures["held_out"]["all"], "mrr_64": figures["held_out_64"], "seconds": figures["seconds"], "held_out": figures["held_out"]}
        if command:
            row |= search(command, prepared_folder, given.out, given)
        if not name.startswith("!"):
            shutil.rmtree(given.out)
        results.put(row)

    with ThreadPoolExecutor(8) as pool:
        while (line := queue.get()) is not None:
            name, *options = shlex.split(line)
            given = parser().parse_args([str(prepared_folder), str(out / name.lstrip("!")), *options])
            try:
                pool.submit(measure, name, given, train(given, prepared)).add_done_callback(lambda done: say(done.exception(), results))
            except Exception as error:
                say(error, results)


def say(error, results):
    if error is not None:
        results.put({"name": f"failed: {error!r} {getattr(error, 'stderr', '')}"})


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("prepared", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("runs", type=pathlib.Path)
    arguments.add_argument("--workers", type=int, default=4)
    arguments.add_argument("--search", default="")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    lines = [line for line in given.runs.read_text().splitlines() if line.strip() and not line.startswith("#")]
    context = multiprocessing.get_context("spawn")
    queue, results = context.Queue(), context.Queue()
    for line in [*lines, *[None] * given.workers]:
        queue.put(line)
    for _ in range(given.workers):
        context.Process(target=work, args=(queue, results, given.prepared, given.out, given.search), daemon=False).start()
    started = time.time()
    with open(given.out / "results.tsv", "a") as table, open(given.out / "results.jsonl", "a") as log:
        for _ in lines:
            row = results.get()
            table.write("\t".join(f"{row.get(c):.4f}" if isinstance(row.get(c), float) else str(row.get(c, "")) for c in COLUMNS) + "\n")
            table.flush()
            log.write(json.dumps(row) + "\n")
            log.flush()
            print(f"{time.time() - started:.0f} s", *(row.get(c) for c in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
