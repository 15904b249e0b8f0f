#!/usr/bin/env python3
"""A library that nobody here has written, and questions for it: 300 rules of ruff (MIT License) with their own explanations.

`python3 bench/patterns/foreign.py RUFF FOLDER`, with the program of ruff from PyPI. Each rule becomes a pattern file of its name, its first
sentence and its explanation. It is asked for in two ways, both left out of its file: by the message that ruff prints, and by the first sentence of
"Why is this bad?". Writes FOLDER/library, FOLDER/messages.tsv and FOLDER/reasons.tsv.
"""

import json
import pathlib
import random
import re
import subprocess
import sys

COUNT = 300


def parts(rule):
    """What it does, why it is bad, and the rest; None for a rule that is not explained that way."""
    found = re.match(r"## What it does\n(.*?)\n## Why is this bad\?\n(.*?)\n(## .*)", rule["explanation"], re.S)
    return [text.strip() for text in found.groups()] if found else None


def sentences(text):
    return re.split(r"(?<=[.!?])\s+(?=[A-Z`])", " ".join(text.split()))


def plain(text):
    """Without the places that a message fills in."""
    return " ".join(re.sub(r"`?\{[^}]*\}`?", " ", text).replace("\t", " ").split())


def main():
    ruff, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rules = json.loads(subprocess.run([ruff, "rule", "--all", "--output-format", "json"], capture_output=True, check=True).stdout)
    told = [(rule, parts(rule)) for rule in rules if rule["message_formats"]]
    told = [(rule, text) for rule, text in told if text and len(sentences(text[1])) > 1 and len(plain(rule["message_formats"][0]).split()) > 3]
    random.Random(1).shuffle(told)
    library = folder / "library"
    library.mkdir(parents=True, exist_ok=True)
    messages, reasons = [], []
    for rule, (does, why, rest) in told[:COUNT]:
        name, (reason, *more) = rule["name"], sentences(why)
        front = {"id": name, "title": name.replace("-", " ").capitalize(), "summary": sentences(does)[0], "category": rule["linter"].lower(), "languages": ["python"]}
        head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in front.items())
        body = f"## Guideline\n{does}\n\n## Rationale\n{' '.join(more)}\n\n{rest}\n"
        (library / f"{name}.md").write_text(f"---\n{head}\n---\n{body}")
        messages.append(f"{plain(rule['message_formats'][0])}\t{name}")
        reasons.append(f"{plain(reason)}\t{name}")
    (folder / "messages.tsv").write_text("\n".join(messages) + "\n")
    (folder / "reasons.tsv").write_text("\n".join(reasons) + "\n")


main()
