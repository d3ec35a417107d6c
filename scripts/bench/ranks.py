#!/usr/bin/env python3
"""Factorisations over ranks on this machine, beside ScaLAPACK, and what distributing costs.

    scripts/bench/setup-peers mpi                            once: the peers, under target/peers
    scripts/bench/ranks.py [--rounds N] [--tegula FILE] [PART ...]

Parts: scalapack (Cholesky, LU with pivoting and QR at orders 4000 and 8000 on 2 and 4 ranks, each with its best blocks, beside
ScaLAPACK's pdpotrf, pdgetrf and pdgeqrf with its best blocks and OpenBLAS with one thread), cost (one rank with two workers
against two ranks with one), metg (METG(50 %) of Task Bench on 2 ranks, beside the same in plain MPI). All runs are under Open MPI's
mpirun. In each round every command runs once, in turn; medians over rounds of the best of two repeats are reported. Single runs go to
target/bench/ranks.json.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
from common import BENCH

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STORE = ROOT / "target/bench/ranks.json"
ROUTINES = {"potrf": "pdpotrf", "getrf": "pdgetrf", "geqrf": "pdgeqrf"}
ORDERS = (4000, 8000)
# Blocks of ScaLAPACK: the best of 64, 128 and 256 at order 2000; ours are the default, but where others are better over ranks.
BLOCKS = {"pdpotrf": 128, "pdgetrf": 64, "pdgeqrf": 64}
TILES = {("getrf", 8000): 252}
GRIDS = {2: (1, 2), 4: (2, 2)}


def mpirun(ranks):
    """The launcher for so many ranks, whether or not there are as many cores."""
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]


def ours(routine, n, ranks, workers=1, tiles=None):
    """Seconds of our factorisation over so many ranks, and its messages."""
    words = ["linalg", routine, "-n", str(n), "--workers", str(workers), "--repeat", "2", "--json", "-"]
    words += ["--tile-size", str(tiles)] if tiles else []
    launch = mpirun(ranks) if ranks > 1 else []
    result = json.loads(BENCH.run([*launch, BENCH.TEGULA, *words])[0])
    return {"seconds": min(result["seconds"]), "messages": result["messages"], "bytes": result["bytes_sent"]}


def theirs(routine, n, ranks):
    """Seconds of ScaLAPACK's factorisation."""
    command = [*mpirun(ranks), BENCH.PEERS / "scalapack", routine, n, BLOCKS[routine], *GRIDS[ranks], 2]
    rows = [json.loads(line) for line in BENCH.run(command)[0].splitlines()]
    return {"seconds": min(row["seconds"] for row in rows)}


def note(runs, key, value):
    """Keeps one run."""
    runs.setdefault(key, []).append(value)
    STORE.parent.mkdir(parents=True, exist_ok=True)
    STORE.write_text(json.dumps(runs, indent=1))
    print(key, value, flush=True)


def median(values, name="seconds"):
    """Of one field."""
    return statistics.median(value[name] for value in values)


def scalapack(runs, rounds):
    """Beside ScaLAPACK."""
    cases = [(ours_, n, ranks) for n in ORDERS for ours_ in ROUTINES for ranks in GRIDS]
    for _ in range(rounds):
        for routine, n, ranks in cases:
            note(runs, f"tegula {routine} {n} {ranks}", ours(routine, n, ranks, tiles=TILES.get((routine, n))))
            note(runs, f"scalapack {routine} {n} {ranks}", theirs(ROUTINES[routine], n, ranks))
    rows = []
    for routine, n, ranks in cases:
        mine, other = (runs[f"{who} {routine} {n} {ranks}"] for who in ("tegula", "scalapack"))
        ratio = BENCH.spread([b["seconds"] / a["seconds"] for a, b in zip(mine, other)])
        traffic = f"{mine[0]['messages']} ({mine[0]['bytes'] / 1e6:.0f} MB)"
        rows.append([routine, str(n), str(ranks), f"{median(mine):.2f}", f"{median(other):.2f}", ratio, traffic])
    head = ["", "n", "ranks", "Tegula, s", "ScaLAPACK, s", "times as fast", "messages"]
    return BENCH.table(head, rows)


def cost(runs, rounds):
    """One rank with two workers against two ranks with one."""
    cases = [(routine, n) for n in ORDERS for routine in ROUTINES]
    for _ in range(rounds):
        for routine, n in cases:
            note(runs, f"one {routine} {n}", ours(routine, n, 1, workers=2))
            note(runs, f"two {routine} {n}", ours(routine, n, 2))
    rows = []
    for routine, n in cases:
        one, two = runs[f"one {routine} {n}"], runs[f"two {routine} {n}"]
        ratio = BENCH.spread([b["seconds"] / a["seconds"] for a, b in zip(one, two)])
        rows.append([routine, str(n), f"{median(one):.2f}", f"{median(two):.2f}", ratio])
    return BENCH.table(["", "n", "1 rank, 2 workers, s", "2 ranks, 1 worker, s", "ratio"], rows)


PATTERNS = ("stencil", "fft", "random")
POINTS, STEPS, BYTES = 4, 10000, 16
ITERATIONS = [2**k for k in range(1, 12)]


def metg(rows):
    """The granularity in seconds at which the efficiency is one half, between the two lengths around it.

    The efficiency is that of Task Bench: relative to the most iterations per second that the program reached with any length. Of each
    length the best run counts, which noise of the machine does not make better.
    """
    grains = [min(row["granularity"] for row in rows if row["iterations"] == length) for length in ITERATIONS]
    each = min(grain / length for grain, length in zip(grains, ITERATIONS))
    best = [(grain, each * length / grain) for grain, length in zip(grains, ITERATIONS)]
    for (short, less), (long, more) in zip(best, best[1:]):
        if less < 0.5 <= more:
            return short * (long / short) ** ((0.5 - less) / (more - less))
    return grains[0] if best[0][1] >= 0.5 else float("nan")


def our_patterns(pattern):
    """Ours."""
    lengths = ",".join(map(str, ITERATIONS))
    words = ["bench", "patterns", pattern, "--points", str(POINTS), "--steps", str(STEPS), "--bytes", str(BYTES)]
    command = [*mpirun(2), BENCH.TEGULA, *words, "--iterations", lengths, "--json", "-"]
    return json.loads(BENCH.run(command)[0])["rows"]


def their_patterns(pattern):
    """In plain MPI."""
    command = [*mpirun(2), BENCH.PEERS / "task_bench", pattern, POINTS, STEPS, BYTES, *ITERATIONS]
    return [json.loads(line) for line in BENCH.run(command)[0].splitlines()]


def task_bench(runs, rounds):
    """Beside plain MPI."""
    for _ in range(rounds):
        for pattern in PATTERNS:
            note(runs, f"tegula {pattern}", our_patterns(pattern))
            note(runs, f"mpi {pattern}", their_patterns(pattern))
    rows = []
    for pattern in PATTERNS:
        mine, other = (metg(sum(runs[f"{who} {pattern}"], [])) for who in ("tegula", "mpi"))
        rows.append([pattern, f"{1e6 * mine:.1f}", f"{1e6 * other:.1f}", f"{mine / other:.2f}"])
    return BENCH.table(["", "Tegula, us", "plain MPI, us", "ratio"], rows)


PARTS = {"scalapack": scalapack, "cost": cost, "metg": task_bench}


def main():
    """Runs the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tegula", type=pathlib.Path, help="another build of the program")
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    arguments = parser.parse_args()
    if arguments.tegula:
        BENCH.TEGULA = arguments.tegula.resolve()
    runs = {}
    tables = {name: PARTS[name](runs, arguments.rounds) for name in arguments.parts or PARTS}
    for name, text in tables.items():
        print(f"\n### {name}\n\n{text}")


if __name__ == "__main__":
    main()
