"""Draws what a command prints as an SVG, so that the README can show it.

Usage: CLICOLOR_FORCE=1 COLUMNS=90 proofstone demo | python3 docs/picture.py > docs/demo.svg
"""

import html
import re
import sys

STYLES = {"1": "font-weight:bold", "2": "opacity:.6", "31": "fill:#f85149", "32": "fill:#3fb950", "33": "fill:#d29922"}
LINE, CHAR = 18, 8.0


def shown(text):
    """Text as SVG shows it: spaces that are not folded."""
    return html.escape(text).replace(" ", "\u00a0")


rows = []
for line in sys.stdin.read().rstrip("\n").split("\n"):
    row, style = [], []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code is None:
            if part:
                row.append((part, list(style)))
        elif code[1] in ("", "0"):
            style = []
        else:
            style += [STYLES[number] for number in code[1].split(";") if number in STYLES]
    rows.append(row)

width = max((sum(len(text) for text, _ in row) for row in rows), default=0) * CHAR + 40
height = len(rows) * LINE + 36
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img" aria-label="Terminal output">')
print(f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>')
print('<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">')
for number, row in enumerate(rows):
    spans = "".join(
        f'<tspan style="{";".join(style)}">{shown(text)}</tspan>' if style else f"<tspan>{shown(text)}</tspan>"
        for text, style in row
    )
    print(f'<text x="20" y="{28 + number * LINE}">{spans}</text>')
print("</g>\n</svg>")
