"""Times our index and semble's on the same trees with the same questions, and scores semble's answers as ours are.

    python3 -m venv VENV && VENV/bin/pip install semble
    cargo build --release -p proofstone-context --example index_bench
    VENV/bin/python bench/retrieval/compare_semble.py QUESTIONS CORPUS target/release/examples/index_bench TREE...

semble downloads its model when first used. Where it cannot, it runs here without vectors: its own walker, chunker,
BM25 and ranking, with nothing embedded and the semantic half of its search left out, which is less work than it does
otherwise. Ours always runs with vectors. The two take turns, ROUNDS times; the shortest of each is printed.
"""

import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import semble.search
from semble.index.create import create_index_from_path
from semble.index.dense import load_model
from semble.types import ContentType

ROUNDS = 3


class NoModel:
    """Stands where the model would: embeds nothing, at no cost."""

    dim = 1

    def encode(self, texts, **_):
        return np.ones((len(texts), 1), dtype=np.float32)


def model_or_none():
    try:
        return load_model()[0], None
    except Exception as error:  # whatever the download client raises: it is not there
        semble.search._search_semantic = lambda *_: []
        return NoModel(), f"{type(error).__name__}: no model, BM25 and ranking alone"


def ask(index, model, alpha, question):
    bm25, vectors, chunks, _ = index
    return semble.search.search(question, model, vectors, bm25, chunks, 10, alpha=alpha)


def time_semble(tree, model, alpha, questions):
    wall, processor = time.perf_counter(), time.process_time()
    everything = (ContentType.CODE, ContentType.DOCS, ContentType.CONFIG)
    index = create_index_from_path(tree, model, everything, tree)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    times = []
    for question in questions:
        start = time.perf_counter()
        ask(index, model, alpha, question)
        times.append((time.perf_counter() - start) * 1e3)
    return len(index[3]), len(index[2]), wall, processor, statistics.median(times)


def time_ours(tree, program, questions):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(questions))
        file.flush()
        command = [program, str(tree), str(len(questions)), file.name]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    files, wall, processor = re.search(r"build: (\d+) of .* in ([\d.]+) s, ([\d.]+) proc", printed).groups()
    chunks = re.search(r"(\d+) chunks", printed).group(1)
    median = re.search(r"p50 ([\d.]+) ms", printed).group(1)
    return int(files), int(chunks), float(wall), float(processor), float(median)


def compare(tree, program, model, alpha, questions):
    rounds = [(time_ours(tree, program, questions), time_semble(tree, model, alpha, questions)) for _ in range(ROUNDS)]
    ours, theirs = ([min(column) for column in zip(*side)] for side in zip(*rounds))
    for name, (files, chunks, wall, processor, median) in (("ours", ours), ("semble", theirs)):
        print(f"  {name}: {files} files, {chunks} chunks, index {wall:.2f} s ({processor:.2f} processor seconds), "
              f"query p50 {median:.2f} ms")
    ratios = [b / a for a, b in zip(ours[2:], theirs[2:])]
    print("  semble / ours: index {:.1f} (processor {:.1f}), query {:.1f}".format(*ratios), flush=True)


def asked_about(questions, name):
    """Each question about a project with the files that answer it: from a file of the project's own, or from a table of all."""
    if (questions / "questions.tsv").is_file():
        with open(questions / "questions.tsv") as table:
            for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["project"] == name:
                    yield row["question"], [row["file"], *filter(None, row["also"].split("|"))]
        return
    for asked in json.loads((questions / f"{name}.json").read_text()):
        targets = asked["relevant"] + asked.get("secondary", [])
        yield asked["query"], [target if isinstance(target, str) else target["path"] for target in targets]


def score(questions, corpus, model, alpha):
    """NDCG@10 over files of semble's answers, for the questions whose files are there."""
    scores = []
    for repo in json.loads((questions / "repos.json").read_text()):
        root = (corpus / repo["name"] / repo["root"]).resolve()
        if not root.is_dir():
            print(f"  {repo['name']}: not found")
            continue
        index = create_index_from_path(root, model, display_root=root)
        # Paths in a table are those within the folder that is searched.
        begin = root if (questions / "questions.tsv").is_file() else corpus / repo["name"]
        for question, paths in asked_about(questions, repo["name"]):
            there = (begin / path for path in paths)
            wanted = {str(p.resolve().relative_to(root)) for p in there if p.is_file() and p.resolve().is_relative_to(root)}
            if not wanted:
                continue
            gain, seen = 0.0, set()
            for rank, result in enumerate(ask(index, model, alpha, question)):
                if result.chunk.file_path in wanted - seen:
                    seen.add(result.chunk.file_path)
                    gain += 1 / math.log2(rank + 2)
            scores.append(gain / sum(1 / math.log2(rank + 2) for rank in range(min(10, len(wanted)))))
    print(f"semble NDCG@10 over {len(scores)} questions: {statistics.mean(scores):.4f}")


def main():
    questions, corpus, program, *trees = sys.argv[1:]
    questions, corpus = Path(questions), Path(corpus)
    projects = [repo["name"] for repo in json.loads((questions / "repos.json").read_text())]
    asked = [question for name in projects for question, _ in asked_about(questions, name)]
    model, why = model_or_none()
    print(f"semble: {why or 'with its model'}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    alpha = 0.0 if why else None
    for tree in trees:
        print(Path(tree).name)
        compare(Path(tree).resolve(), program, model, alpha, asked)
    score(questions, corpus, model, alpha)


if __name__ == "__main__":
    main()
