#!/usr/bin/env python3
"""A tree of the smallest files of another, made with hard links: `smallest.py TREE OUT [COUNT]`, 60,000 by default."""
import os
import sys

tree, out = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 60_000
paths = (os.path.join(folder, name) for folder, _, names in os.walk(tree) for name in names)
plain = (path for path in paths if os.path.isfile(path) and not os.path.islink(path))
smallest = sorted((os.path.getsize(path), path) for path in plain)[:count]
for _, path in smallest:
    link = os.path.join(out, os.path.relpath(path, tree))
    os.makedirs(os.path.dirname(link), exist_ok=True)
    os.link(path, link)
print(f"{len(smallest)} files, {sum(size for size, _ in smallest) / 1e6:.0f} MB, none over {smallest[-1][0]} bytes")
