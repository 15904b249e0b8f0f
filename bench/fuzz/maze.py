"""Writes a maze: functions whose deepest branch is a bug behind comparisons over arguments and state.

`python3 maze.py SEED FUNCTIONS` prints the contract with asserts (one test per function);
with a third argument `flags` the bugs set flags instead, which invariants can read.
"""
import random
import sys


def maze(seed: int, functions: int, flags: bool) -> str:
    rng = random.Random(seed)
    slots = 8
    values = [[rng.randrange(1, 1 << rng.choice([4, 8, 16, 32])) for _ in range(4)] for _ in range(slots)]

    def condition(argument: str) -> str:
        constant = rng.randrange(1, 1 << rng.choice([6, 10, 16, 32, 64, 128]))
        slot = rng.randrange(slots)
        value = rng.choice(values[slot])
        return rng.choice([
            f"{argument} == {constant}",
            f"{argument} == {constant}",
            f"{argument} > {constant} && {argument} < {constant + max(2, constant // 50)}",
            f"state[{slot}] == {value}",
            f"state[{slot}] == {value}",
            f"{argument} - state[{slot}] == {constant}",
            f"{argument} * 7 + 3 == {constant * 7 + 3}",
            f"({argument} ^ {constant}) == {rng.randrange(1 << 16)}",
            f"({argument} & 0xffff) == {constant & 0xffff}",
        ])

    def body(index: int) -> list[str]:
        depth = rng.randrange(2, 5)
        lines, closing = [], 0
        for level in range(depth):
            lines.append("    " * (2 + level) + f"if ({condition('abc'[level % 3])}) {{")
            closing += 1
            if level + 1 < depth and rng.random() < 0.6:
                slot = rng.randrange(slots)
                lines.append("    " * (3 + level) + f"state[{slot}] = {rng.choice(values[slot])};")
        bug = f"bugs[{index}] = true;" if flags else "assert(false);"
        lines.append("    " * (2 + depth) + bug)
        lines += ["    " * (1 + closing - i) + "}" for i in range(closing)]
        # The way into the maze is open to some: they set state without conditions.
        if index % 4 == 0:
            slot = rng.randrange(slots)
            lines.insert(0, f"        if (a % 3 == 0) state[{slot}] = {rng.choice(values[slot])};")
        return lines

    out = ["// SPDX-License-Identifier: MIT", "pragma solidity >=0.7.0;", "", "contract Maze {", f"    uint256[{slots}] state;"]
    if flags:
        out.append(f"    bool[{functions}] public bugs;")
    for index in range(functions):
        out.append(f"    function f{index}(uint256 a, uint256 b, uint256 c) public {{ unchecked {{ if (c == c) {{")
        out += body(index)
        out.append("    } } }")
    out.append("}")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(maze(int(sys.argv[1]), int(sys.argv[2]), len(sys.argv) > 3), end="")
