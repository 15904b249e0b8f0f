"""Pairs of words to arrays of numbers.

    python training/prepare.py PAIRS OUT [--pairs 1040000]

PAIRS is what `cargo run --release -p proofstone-context --example pairs DATA PAIRS` writes. OUT is a folder: words.txt, pairs.npz.xz, and
manifest.tsv with the pairs of each package (its version and licence come from DATA/packages.jsonl, given with --packages).
Words stand in the order in which a vocabulary takes them, so that a vocabulary of any size is the beginning of words.txt: train.py cuts it
there. After those that a vocabulary may have come those that can only be cut into pieces of others.
"""

import argparse
import array
import collections
import io
import json
import lzma
import pathlib
import random

import numpy

from vocabulary import LONGEST

# No language and no package may drown the others.
OF_A_LANGUAGE = 0.16
OF_A_PACKAGE = 4_000
# What a word of a vocabulary must have: so many packages, and no more letters than this.
FEWEST_PACKAGES = 3
LONGEST_OF_A_VOCABULARY = 24
# A word of the text counts more than one of the code: there are fewer.
IN_TEXT = 4
# Code with fewer words says nothing, but a path does.
FEWEST_WORDS = 5


def read(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            parts = line.rstrip("\n").split("\t")
            if len(parts) == 7:
                yield parts


def chosen(path, count, seed):
    """Which lines are kept: few of each package, and no more of a language than its share."""
    random.seed(seed)
    places = collections.defaultdict(lambda: collections.defaultdict(list))
    for place, (package, _, language, *_) in enumerate(read(path)):
        places[language][package].append(place)
    kept = set()
    for language, packages in sorted(places.items()):
        mine = []
        for _, lines in sorted(packages.items()):
            random.shuffle(lines)
            mine.extend(lines[:OF_A_PACKAGE])
        random.shuffle(mine)
        kept.update(mine[: int(count * OF_A_LANGUAGE)])
        print(f"{language}: {len(mine)} pairs of {len(packages)} packages")
    kept = sorted(kept)
    return set(random.sample(kept, count)) if len(kept) > count else set(kept)


class Numbers:
    """Numbers of names, in the order in which they came."""

    def __init__(self):
        self.known = {}

    def of(self, name):
        return self.known.setdefault(name, len(self.known))


def encoded(path, kept):
    """The kept lines as columns of numbers, and what the numbers stand for."""
    columns = {name: array.array("L") for name in ("text", "text_length", "code", "count", "code_length", "package", "kind", "language", "place", "whole")}
    words, names = Numbers(), {name: Numbers() for name in ("package", "kind", "language", "place")}
    for line, (package, kind, language, file, whole, text, code) in enumerate(read(path)):
        entries = code.split(" ")
        if line not in kept or (len(entries) < FEWEST_WORDS and kind != "place"):
            continue
        asked = text.split(" ")
        columns["text"].extend(words.of(word) for word in asked)
        columns["text_length"].append(len(asked))
        for word, _, times in (entry.partition(":") for entry in entries):
            columns["code"].append(words.of(word))
            columns["count"].append(min(int(times or 1), 255))
        columns["code_length"].append(len(entries))
        for column, name in (("package", package), ("kind", kind), ("language", language), ("place", f"{package}\t{file}")):
            columns[column].append(names[column].of(name))
        columns["whole"].append(int(whole))
    made = {name: numpy.frombuffer(values, dtype=values.typecode).astype("int64") for name, values in columns.items()}
    return made, list(words.known), {name: list(numbers.known) for name, numbers in names.items()}


def vocabulary_order(made, words):
    """The numbers of words in the order in which a vocabulary takes them, then of those that are only cut into pieces; and how many may be in one."""
    count = numpy.bincount(made["text"], minlength=len(words)) * IN_TEXT + numpy.bincount(made["code"], minlength=len(words))
    packages = len(made["package"]) and int(made["package"].max()) + 1
    seen = [made[side] * packages + numpy.repeat(made["package"], made[f"{side}_length"]) for side in ("text", "code")]
    spread = numpy.bincount(numpy.unique(numpy.concatenate([numpy.unique(s) for s in seen])) // packages, minlength=len(words))
    letters = numpy.array([len(word) for word in words])
    may = (spread >= FEWEST_PACKAGES) & (letters <= LONGEST_OF_A_VOCABULARY)
    has_pieces = numpy.array([word.isascii() for word in words]) & (letters <= LONGEST)
    # Ties by the word, so that the order does not depend on that of the lines.
    by_name = numpy.argsort(numpy.argsort(numpy.array(words)))
    order = numpy.lexsort((by_name, -count, ~may))
    return order[(may | has_pieces)[order]], int(may.sum())


def renumbered(made, order, words):
    """Words by their place in `order`; the others are left out."""
    place = numpy.full(words, -1, dtype="int64")
    place[order] = numpy.arange(len(order))
    for side in ("text", "code"):
        numbers, length = place[made[side]], made[f"{side}_length"]
        kept = numbers >= 0
        owner = numpy.repeat(numpy.arange(len(length)), length)
        made[side], made[f"{side}_length"] = numbers[kept], numpy.bincount(owner[kept], minlength=len(length))
        if side == "code":
            made["count"] = made["count"][kept]


TYPES = {"text": "uint32", "code": "uint32", "count": "uint8", "text_length": "uint8", "code_length": "uint16", "package": "uint16", "kind": "uint8",
         "language": "uint8", "place": "uint32", "whole": "uint8"}


def manifest(out, made, names, packages):
    about = {}
    for line in open(packages) if packages else ():
        record = json.loads(line)
        about[f"{record['registry']}/{record['package']}"] = record
    counts = numpy.bincount(made["package"], minlength=len(names["package"]))
    with open(out / "manifest.tsv", "w") as table:
        table.write("registry\tpackage\tversion\tlicence\tpairs\n")
        for name, count in sorted(zip(names["package"], counts)):
            registry, _, package = name.partition("/")
            record = about.get(name, {})
            licence = " ".join(record.get("licence", "").split()) or "not stated"
            table.write(f"{registry}\t{package}\t{record.get('version', '')}\t{licence}\t{count}\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pairs", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--pairs", dest="count", type=int, default=1_040_000)
    arguments.add_argument("--packages")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    made, words, names = encoded(given.pairs, chosen(given.pairs, given.count, seed=1))
    order, most = vocabulary_order(made, words)
    renumbered(made, order, len(words))
    arrays = {name: values.astype(TYPES[name]) for name, values in made.items()}
    arrays["names"] = numpy.array(json.dumps({name: known for name, known in names.items() if name != "place"} | {"most": most}))
    plain = io.BytesIO()
    numpy.savez(plain, **arrays)
    with lzma.open(given.out / "pairs.npz.xz", "wb", preset=2) as packed:
        packed.write(plain.getbuffer())
    (given.out / "words.txt").write_text("".join(words[number] + "\n" for number in order))
    manifest(given.out, made, names, given.packages)
    size = (given.out / "pairs.npz.xz").stat().st_size >> 20
    print(f"{len(made['whole'])} pairs, {len(order)} words of which {most} may be in a vocabulary, {size} MiB")


if __name__ == "__main__":
    main()
