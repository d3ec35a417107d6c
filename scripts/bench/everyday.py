#!/usr/bin/env python3
"""Everyday work in five steps of a user, with Tegula and with what people use today: lines, seconds, what they see.

    scripts/wheel && scripts/r-package --library target/r/library
    scripts/bench/setup-peers
    apt-get install r-cran-gstat
    scripts/bench/everyday.py [--rounds N] [--work NAME,NAME] [--write]

Runs scripts/bench/everyday/WORK.SYSTEM.{py,R,sh} by turns, each as a whole program: what is imported counts as seconds.
Lines are those that are neither empty nor a comment. --write puts tables and what the programs print into
scripts/bench/results/everyday.md.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import textwrap
import time

from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "scripts/bench/everyday"
PYTHON = ROOT / "target/peers/venv/bin/python"
# Work, and what it is.
WORK = {
    "fit": "A fit of 155 samples with a mean that depends on a column, and a table of what was found",
    "map": "A map of predictions, and their errors",
    "many": "A fit of 9000 places, and predictions at 1000 that were held out",
    "compare": "Which mean predicts better: weather stations on the sphere, each left out in turn",
    "embed": "Principal coordinates of 1797 images by Euclidean distances, five axes",
}
# How each kind of program is started.
STARTS = {".py": [str(PYTHON)], ".R": ["Rscript", "--vanilla"], ".sh": ["bash", "-e"]}
KINDS = {".py": "Python", ".R": "R", ".sh": "shell"}
# Lines and columns of what is shown.
MOST, WIDE = 22, 130
OPENING = """# Everyday work

`scripts/bench/everyday.py --write`: five things that users do, each as a program in
`scripts/bench/everyday` for Tegula and for what people use today, as short as its manual allows.
Lines are those of code, seconds those of the whole program with its imports; rounds by turns:
{rounds}. {machine}.
{versions}.
spmodel is not in Debian and was not run.

A program sees what it asks for: `scikit-learn` has no mean that depends on columns, so the trend is
fitted before; `gstat` fits variograms by least squares and has no likelihood; neither says how sure
its parameters are.
"""


def environment():
    return os.environ | {
        "PATH": f"{PYTHON.parent}:{os.environ['PATH']}",
        "R_LIBS": str(ROOT / "target/r/library"),
        "MPLBACKEND": "agg",
        "PYTHONWARNINGS": "default",
    }


def lines(program):
    found = (line.strip() for line in program.read_text().splitlines())
    return sum(bool(line) and not line.startswith("#") for line in found)


def run(program):
    """Seconds, and what it printed."""
    start = time.monotonic()
    done = subprocess.run([*STARTS[program.suffix], program], cwd=ROOT, env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"{program.name}: {done.stdout}")
    return seconds, done.stdout


def shown(text):
    """The beginning of what was printed, in lines that fit a page."""
    text = text.replace(f"{PROGRAMS}/", "")
    folded = [part for line in text.rstrip().splitlines() for part in textwrap.wrap(line, WIDE, drop_whitespace=False) or [""]]
    return "\n".join(folded[:MOST] + ["..."] * (len(folded) > MOST))


def versions():
    names = "gpboost scikit-learn scikit-bio".split()
    asked = f"from importlib.metadata import version; print(', '.join(n + ' ' + version(n) for n in {names}))"
    python = subprocess.run([PYTHON, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    r = subprocess.run(["Rscript", "-e", 'cat("R", as.character(getRversion()), "gstat", as.character(packageVersion("gstat")))'],
                       check=True, capture_output=True, text=True).stdout
    return f"{python}, {r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", default=",".join(WORK), help="these alone, separated by commas")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    (ROOT / "out").mkdir(exist_ok=True)
    parts = [OPENING.format(rounds=options.rounds, machine=BENCH.machine(), versions=versions())]
    for work in options.work.split(","):
        programs = sorted(PROGRAMS.glob(f"{work}.*"), key=lambda path: (".tegula." not in path.name, path.name))
        rounds = [[run(program) for program in programs] for _ in range(options.rounds)]
        rows, prints = [], []
        for program, found in zip(programs, zip(*rounds)):
            system, kind = program.name.split(".")[1], KINDS[program.suffix]
            rows.append([system, kind, lines(program), f"{statistics.median(seconds for seconds, _ in found):.2f}"])
            prints.append(f"[{system}, {kind}](../everyday/{program.name}):\n\n```text\n{shown(found[-1][1])}\n```\n")
        table = BENCH.table(["system", "language", "lines", "seconds"], rows)
        print(work, table, *prints, sep="\n", flush=True)
        parts += [f"## {work}\n\n{WORK[work]}.\n", table + "\n", *prints]
    if options.write:
        (ROOT / "scripts/bench/results/everyday.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
