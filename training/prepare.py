"""Pairs of words to arrays of numbers, with the vocabulary they are counted in.

    python training/prepare.py PAIRS OUT [--words 32000] [--pairs 940000]

PAIRS is what `cargo run --release -p proofstone-context --example pairs DATA PAIRS` writes. OUT is a folder: vocabulary.txt, pairs.npz, and
manifest.tsv with the pairs of each package (its version and licence come from DATA/packages.jsonl, given with --packages).
"""

import argparse
import collections
import json
import lzma
import pathlib
import random

import numpy

from vocabulary import Vocabulary

# No language and no package may drown the others.
OF_A_LANGUAGE = 0.16
OF_A_PACKAGE = 4_000
FEWEST_PACKAGES = 3


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
    for language, packages in places.items():
        mine = []
        for lines in packages.values():
            random.shuffle(lines)
            mine.extend(lines[:OF_A_PACKAGE])
        random.shuffle(mine)
        kept.update(mine[: int(count * OF_A_LANGUAGE)])
        print(f"{language}: {len(mine)} pairs of {len(packages)} packages")
    kept = sorted(kept)
    return set(random.sample(kept, count)) if len(kept) > count else set(kept)


def words_of(path, kept, count):
    """The words that most pairs have, of those that enough packages have. Words of the text count more: there are fewer."""
    counts, packages = collections.Counter(), collections.defaultdict(set)
    for place, (package, _, _, _, _, text, code) in enumerate(read(path)):
        if place not in kept:
            continue
        for word in text.split(" "):
            counts[word] += 4
            if len(packages[word]) < FEWEST_PACKAGES:
                packages[word].add(package)
        for word in code.split(" "):
            word = word.partition(":")[0]
            counts[word] += 1
            if len(packages[word]) < FEWEST_PACKAGES:
                packages[word].add(package)
    common = (word for word, _ in counts.most_common() if len(packages[word]) >= FEWEST_PACKAGES and len(word) <= 24)
    return sorted(word for word, _ in zip(common, range(count)))


def arrays(path, kept, vocabulary):
    columns = collections.defaultdict(list)
    numbers = collections.defaultdict(dict)

    def number(column, name):
        known = numbers[column]
        columns[column].append(known.setdefault(name, len(known)))

    for place, (package, kind, language, file, whole, text, code) in enumerate(read(path)):
        if place not in kept:
            continue
        asked = list(dict.fromkeys(i for word in text.split(" ") for i in vocabulary.ids(word)))
        counts = {}
        for entry in code.split(" "):
            word, _, times = entry.partition(":")
            for i in vocabulary.ids(word):
                counts[i] = counts.get(i, 0) + int(times or 1)
        if not asked or len(counts) < 5:
            continue
        columns["text"].extend(asked)
        columns["text_length"].append(len(asked))
        columns["code"].extend(counts)
        columns["count"].extend(min(c, 255) for c in counts.values())
        columns["code_length"].append(len(counts))
        number("package", package)
        number("kind", kind)
        number("language", language)
        number("place", f"{package}\t{file}")
        columns["whole"].append(int(whole))
    types = {"text": "uint16", "code": "uint16", "count": "uint8", "text_length": "uint8", "code_length": "uint16", "package": "uint16", "kind": "uint8",
             "language": "uint8", "place": "uint32", "whole": "uint8"}
    made = {name: numpy.array(values, dtype=types[name]) for name, values in columns.items()}
    made["names"] = numpy.array(json.dumps({name: list(known) for name, known in numbers.items() if name != "place"}))
    return made, numbers


def manifest(out, made, numbers, packages):
    about = {}
    for line in open(packages) if packages else ():
        record = json.loads(line)
        about[f"{record['registry']}/{record['package']}"] = record
    counts = numpy.bincount(made["package"], minlength=len(numbers["package"]))
    with open(out / "manifest.tsv", "w") as table:
        table.write("registry\tpackage\tversion\tlicence\tpairs\n")
        for name, number in sorted(numbers["package"].items()):
            registry, _, package = name.partition("/")
            record = about.get(name, {})
            licence = " ".join(record.get("licence", "").split()) or "not stated"
            table.write(f"{registry}\t{package}\t{record.get('version', '')}\t{licence}\t{counts[number]}\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pairs", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--words", type=int, default=32_000)
    arguments.add_argument("--pairs", dest="count", type=int, default=940_000)
    arguments.add_argument("--packages")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    kept = chosen(given.pairs, given.count, seed=1)
    vocabulary = Vocabulary(words_of(given.pairs, kept, given.words))
    made, numbers = arrays(given.pairs, kept, vocabulary)
    (given.out / "vocabulary.txt").write_text("".join(word + "\n" for word in vocabulary.words))
    numpy.savez(given.out / "pairs.npz", **made)
    with open(given.out / "pairs.npz", "rb") as plain, lzma.open(given.out / "pairs.npz.xz", "wb", preset=3) as packed:
        packed.write(plain.read())
    (given.out / "pairs.npz").unlink()
    manifest(given.out, made, numbers, given.packages)
    print(f"{len(made['whole'])} pairs, {len(vocabulary.words)} words, {(given.out / 'pairs.npz.xz').stat().st_size >> 20} MiB")


if __name__ == "__main__":
    main()
