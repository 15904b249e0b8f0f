"""A trained model to the file that goes into the binary, and the fixtures that hold Rust to it.

    python training/export.py MODEL OUT.bin [--fixtures fixtures.json]

Each word's vector becomes SIZE whole numbers of one byte; its length, times its weight in questions and in code, becomes two weights of two
bytes. Layout: see crates/embed/src/model.rs.
"""

import argparse
import hashlib
import json
import math
import pathlib
import struct

import numpy

from vocabulary import Vocabulary

LARGEST_WEIGHT = 511
FREE = 0xFFFF


def fnv(word):
    value = 0x811C9DC5
    for byte in word:
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def table(words):
    """An open hash table of the words' numbers."""
    size = 1 << (len(words) * 3 // 2).bit_length()
    slots = [FREE] * size
    for number, word in enumerate(words):
        slot = fnv(word) & (size - 1)
        while slots[slot] != FREE:
            slot = (slot + 1) & (size - 1)
        slots[slot] = number
    return slots


def quantised(vectors, weights):
    """Rows as bytes, and for each list of weights the rows' lengths times it, as whole numbers."""
    largest = numpy.abs(vectors).max(1).clip(1e-9)
    rows = numpy.rint(vectors / largest[:, None] * 127).astype("int8")
    scaled = [largest * weight for weight in weights]
    return rows, [numpy.rint(s / s.max() * LARGEST_WEIGHT).astype("<u2") for s in scaled]


def times():
    """Eighths of the binary logarithm of one more than a count."""
    return numpy.rint(8 * numpy.log2(1.0 + numpy.arange(256))).astype("uint8")


def model_bytes(words, rows, asked, written):
    letters = [word.encode() for word in words]
    slots = table(letters)
    ends = numpy.cumsum([len(word) for word in letters]).astype("<u4")
    body = b"".join([ends.tobytes(), b"".join(letters), numpy.array(slots, "<u2").tobytes(), times().tobytes(), asked.tobytes(), written.tobytes(), rows.tobytes()])
    id = int.from_bytes(hashlib.sha256(body).digest()[:4], "little")
    head = struct.pack("<8sIIIIII", b"PRFSTVEC", 1, id, len(words), rows.shape[1], sum(map(len, letters)), len(slots))
    return head + body


def direction(sums):
    """As Vector::of in Rust."""
    largest = int(numpy.abs(sums).max())
    if largest == 0:
        return None
    scale = 127.0 / largest
    return [int(float(s) * scale + math.copysign(0.5, float(s) * scale)) for s in sums]


def fixture(vocabulary, rows, weights, words, side):
    """What Rust must make of these words."""
    counts = {}
    for word in words:
        for i in vocabulary.ids(word):
            counts[i] = counts.get(i, 0) + 1
    sums = numpy.zeros(rows.shape[1], dtype="int64")
    for i, count in counts.items():
        sums += rows[i].astype("int64") * int(weights[i]) * (8 if side == "question" else int(times()[min(count, 255)]))
    vector = direction(sums)
    return {"side": side, "words": words, "numbers": sorted(counts), "vector": vector and vector[:16], "sum": vector and sum(vector)}


SAMPLES = [
    ("question", ["rout", "regist"]), ("question", ["session", "manag"]), ("question", ["aiohttp", "middleware", "xyzzyplugh"]), ("question", ["qqqqq"]),
    ("code", ["pars", "head", "parseheader", "str", "str", "str", "return", "result"]), ("code", ["getaddrinfo", "sock", "connect", "errno", "uv", "loop"]),
    ("code", ["ünïcode", "naiv", "averyverylongwordthatisnotcut"]), ("code", ["x"] * 300 + ["buffer"]),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("model", type=pathlib.Path, help="the folder that train.py wrote")
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--fixtures", type=pathlib.Path)
    given = arguments.parse_args()
    words = (given.model / "vocabulary.txt").read_text().splitlines()
    trained = numpy.load(given.model / "model.npz")
    rows, (asked, written) = quantised(trained["vectors"].astype("float32"), [trained["asked"], trained["written"]])
    given.out.write_bytes(model_bytes(words, rows, asked, written))
    print(f"{given.out}: {len(words)} words of {rows.shape[1]} numbers, {given.out.stat().st_size} bytes")
    if given.fixtures:
        vocabulary = Vocabulary(words)
        made = [fixture(vocabulary, rows, asked if side == "question" else written, sample, side) for side, sample in SAMPLES]
        given.fixtures.write_text("[\n" + ",\n".join(json.dumps(f, ensure_ascii=False) for f in made) + "\n]\n")


if __name__ == "__main__":
    main()
