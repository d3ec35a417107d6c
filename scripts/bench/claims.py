#!/usr/bin/env python3
"""One table of what theses on task runtimes claim, and what comes out here.

    scripts/bench/claims.py [--tegula PROGRAM] [--run] [--write]

Gathers the tables of claims of scripts/bench/results; --run first runs all that they come from, which takes some
55 minutes on two cores, and writes it there (rows whose text is not generated are to be looked at then: it says which).
--write puts the table into scripts/bench/results/claims.md.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "scripts/bench/results"
BENCH = "scripts/bench"
# Thesis, file, what runs it, whether its rows are generated.
SOURCES = [
    ("Nesi 2023", "nodes.md", (f"{BENCH}/unequal_nodes.py", "--full", "--write"), False),
    ("Nesi 2023", "adapt.md", (f"{BENCH}/adapt.py", "--write"), True),
    ("Gonthier 2023", "memory.md", (f"{BENCH}/memory_constrained.py", "--write"), False),
    ("Gonthier 2023", None, (f"{BENCH}/cores_and_disk.py", "--write"), True),
    ("Gonthier 2023", None, (f"{BENCH}/deciding.py", "--write"), True),
    ("Gonthier 2023", None, (f"{BENCH}/batch.py", "--write"), True),
    ("Hugo 2014", "contexts.md", (f"{BENCH}/contexts.py", "--write"), False),
]
OPENING = """# Claims

What theses on task runtimes claim, and what comes out here: gathered by `scripts/bench/claims.py
--write` from the tables of [unequal nodes](nodes.md), [node counts](adapt.md), [little
memory](memory.md), [batch jobs](batch.md) and [contexts](contexts.md), where commands, settings and
all numbers stand. Claims are numbered by the order in which they come in their thesis.
"""


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(path):
    """Rows of the tables of claims of a file: claim, what, theirs, ours, verdict, why."""
    header = None
    for line in path.read_text().splitlines():
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells_of(line)
        elif header[0] == "claim" and "verdict" in header and not line.startswith("| ---"):
            row = collections.defaultdict(str, zip(header, cells_of(line)))
            claim, _, what = row["claim"].partition(": ")
            yield [claim, what or row["what"], row["thesis"], row["here"], row["verdict"],
                   row["why they differ"] or row["why it differs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=str(ROOT / "target/release/tegula"))
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    if flags.run:
        for _, name, command, is_generated in SOURCES:
            takes_program = "--tegula" in (ROOT / command[0]).read_text()
            more = ["--tegula", flags.tegula] if takes_program else []
            start = time.monotonic()
            subprocess.run([*command, *more], check=True, cwd=ROOT)
            print(f"{command[0]}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
            if name and not is_generated:
                print(f"{RESULTS.relative_to(ROOT)}/{name}: compare its table of claims with its numbers", file=sys.stderr)
    found = [(thesis, command[0].split("/")[-1], row)
             for thesis, name, command, _ in SOURCES if name for row in rows_of(RESULTS / name)]
    head = ["thesis", "claim", "what", "theirs", "here", "verdict", "why they differ", "command"]
    lines = [head, ["---"] * len(head), *([thesis, *row, f"`{command}`"] for thesis, command, row in found)]
    verdicts = collections.Counter(row[4] for _, _, row in found)
    counts = ", ".join(f"{verdict}: {count}" for verdict, count in verdicts.most_common())
    counts = textwrap.fill(f"{counts}.", 99)
    text = f"{OPENING}\n{counts}\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    print(text)
    numbers = {thesis: {int(n) for of, _, row in found if of == thesis for n in re.findall(r"\d+", row[0])}
               for thesis in dict.fromkeys(thesis for thesis, *_ in found)}
    for thesis, most in (("Nesi 2023", 44), ("Gonthier 2023", 50), ("Hugo 2014", 24)):
        missing = [f"C{n}" for n in range(1, most + 1) if n not in numbers.get(thesis, ())]
        if missing:
            print(f"{thesis}: no row of {', '.join(missing)}", file=sys.stderr)
    if flags.write:
        (RESULTS / "claims.md").write_text(text)


if __name__ == "__main__":
    main()
