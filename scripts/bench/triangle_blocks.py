#!/usr/bin/env python3
"""Cholesky in a given order, by triangle blocks, beside policies that decide as they go; all simulated.

    scripts/bench/triangle_blocks.py [--tegula PROGRAM] [--write]

Triangle blocks keep the part of C that one set of rows of A reaches, k (k - 1) / 2 tiles for k rows, where a square
block has k^2 / 4: O. Beaumont, L. Eyraud-Dubois, M. Verite, J. Langou ("I/O-optimal algorithms for symmetric linear
algebra kernels", SPAA 2022). M. Gonthier's thesis ("Scheduling under memory constraint in task-based runtime systems",
ENS de Lyon, 2023, section 5.4) finds them in what DARTS does, and leaves a program that follows them to others. --write
puts the section into scripts/bench/results/memory.md, and the pictures beside it.
"""

import argparse
import collections
import csv
import math
import pathlib
import subprocess
import tempfile
import textwrap
from concurrent.futures import ThreadPoolExecutor

from common import BENCH, simulated

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "scripts/bench/figures"
TILE, MEMORY = 1920, 500
MIB = 2**20
TILES = MEMORY * MIB // (4 * TILE**2)
POLICIES = ["darts", "tessera", "dmdas"]
RUNS = [(1, n) for n in (28, 42, 56, 63, 84)] + [(gpus, n) for gpus in (2, 4) for n in (63, 84)]
# Of the pictures.
SHOWN = (1, 63)


# ---------------------------------------------------------------- the order


def side(tiles):
    """Rows of a triangle block whose tiles fit, beside those of A for two steps."""
    return max(k for k in range(1, tiles) if k * (k - 1) / 2 + 2 * k <= tiles)


def edge(tiles):
    """Rows and columns of a square block whose tiles fit, beside those of A for two steps."""
    return max(k for k in range(1, tiles) if k * k + 4 * k <= tiles)


def groups_of(rows, size):
    return [rows[start:start + size] for start in range(0, len(rows), size)]


def lower(rows):
    """All tiles of a triangle with its diagonal."""
    return [(i, j) for j in rows for i in rows if i >= j]


def square_blocks(rows, columns, tiles):
    """Blocks of a rectangle below the diagonal."""
    k = edge(tiles)
    return [[(max(i, j), min(i, j)) for j in wide for i in high] for wide in groups_of(columns, k) for high in groups_of(rows, k)]


def triangle_blocks(rows, tiles):
    """Blocks of the triangle that `rows` make with each other, diagonal included.

    The rows are k groups of c. Sets of one row of each group meet in triangle blocks; where c has no divisor below k,
    c^2 sets meet each pair of rows of two groups once. What is within a group is a smaller triangle.
    """
    k = side(tiles)
    if len(rows) * (len(rows) + 1) / 2 + 2 * len(rows) <= tiles:
        return [lower(rows)]
    sizes = [c for c in range(k, len(rows) // k + 1) if all(c % divisor for divisor in range(2, k))]
    if not sizes:
        # Too few rows for that: triangles on the diagonal, and squares.
        parts = groups_of(rows, edge(tiles))
        blocks = [lower(part) for part in parts]
        for place, part in enumerate(parts):
            blocks += square_blocks([row for other in parts[place + 1:] for row in other], part, tiles)
        return blocks
    c = max(sizes)
    groups, rest = [rows[u * c:(u + 1) * c] for u in range(k)], rows[k * c:]
    blocks = []
    for i in range(c):
        for j in range(c):
            met = [groups[u][(i + j * u) % c] for u in range(k)]
            blocks.append([(a, b) for b in met for a in met if a > b])
    for group in groups:
        blocks += triangle_blocks(group, tiles)
    return blocks + square_blocks(rest, rows[:k * c], tiles) + (triangle_blocks(rest, tiles) if rest else [])


def triangle_order(n, gpus, tiles):
    """By GPU, what it computes in which order: tuples of codelet, step k, row and column.

    Some columns at a time, as many as a triangle has whose tiles fit beside a row of it: they are factored, row by row,
    and what is right of them is updated block by block, a block with all of those columns.
    """
    width = max(b for b in range(1, n + 1) if b == 1 or b * (b + 1) / 2 + 2 * b <= tiles)
    order = [[] for _ in range(gpus)]
    for step, start in enumerate(range(0, n, width)):
        end = min(start + width, n)
        panel = range(start, end)

        def column(i, j):
            """The tile (i, j) of the panel, updated by the columns before it there, and solved."""
            name = "syrk" if i == j else "gemm"
            return [(name, k, i, j) for k in range(start, j)] + [("potrf" if i == j else "trsm", j, i, j)]

        order[step % gpus] += [task for j in panel for i in range(j, end) for task in column(i, j)]
        for i in range(end, n):
            order[i % gpus] += [task for j in panel for task in column(i, j)]
        work = [0] * gpus
        # The largest first, each to whom has least.
        for block in sorted(triangle_blocks(list(range(end, n)), tiles) if end < n else [], key=len, reverse=True):
            gpu = work.index(min(work))
            work[gpu] += len(block)
            order[gpu] += [("syrk" if i == j else "gemm", k, i, j) for k in panel for i, j in block]
    return order


# ---------------------------------------------------------------- the runs


def words(gpus, n):
    return ["cholesky", "--platform", f"gemini-v100-{gpus}", "--tiles", n, "--tile-size", TILE, "--precision", "s",
            "--device-memory", f"{MEMORY}MiB"]


def numbers(tegula, n, folder):
    """The number of each task in its program, as a trace of any run has it."""
    path = folder / f"tasks-{n}.csv"
    simulated(tegula, *words(1, n)[:-2], "--policy", "eager", "--trace", path)
    with path.open(newline="") as file:
        return {(row["codelet"], int(row["iteration"]), int(row["row"]), int(row["column"])): row["task"]
                for row in csv.DictReader(file)}


def given(tegula, gpus, n, folder):
    """The table that --order reads."""
    number = numbers(tegula, n, folder)
    order = triangle_order(n, gpus, TILES)
    if collections.Counter(task for tasks in order for task in tasks) != collections.Counter(number.keys()):
        raise RuntimeError(f"the order of {n} tiles is not one of all tasks")
    path = folder / f"order-{gpus}-{n}.csv"
    rows = [(number[task], gpu, place) for gpu, tasks in enumerate(order) for place, task in enumerate(tasks)]
    path.write_text("task,worker,start_seconds\n" + "".join(f"{task},{gpu},{place}\n" for task, gpu, place in rows))
    return path


def least_loads(n):
    """Bytes that one memory loads at least: N^3 / (3 sqrt(2 M)) numbers (section 2.6 of the thesis), or each once."""
    formula = (n * TILE) ** 3 / (3 * math.sqrt(2 * MEMORY * MIB / 4)) * 4
    return max(formula, n * (n + 1) / 2 * TILE**2 * 4)


class Point:
    """All policies at one size on so many GPUs."""

    def __init__(self, gpus, n, results):
        self.gpus, self.n = gpus, n
        self.least = max(results["darts"]["abe_seconds"], results["darts"]["cpb_seconds"])
        self.share = {policy: self.least / result["makespan_seconds"] for policy, result in results.items()}
        self.loads = {policy: sum(way["bytes"] for way in result["transfers"]["ways"] if way["to"] != "RAM")
                      for policy, result in results.items()}

    def row(self, policies):
        least = f"{least_loads(self.n) / 2**30:.0f}" if self.gpus == 1 else ""
        return [self.gpus, self.n, *(f"{self.share[policy]:.3f}" for policy in policies),
                *(f"{self.loads[policy] / 2**30:.0f}" for policy in policies), least]


def simulate(tegula, gpus, n, policy, folder, *more):
    flags = ["--order", given(tegula, gpus, n, folder)] if policy == "triangles" else ["--policy", policy]
    return simulated(tegula, *words(gpus, n), *flags, *more)


def section(points, policies):
    head = ["GPUs", "tiles", *policies, *(f"{policy}, GiB" for policy in policies), "least, GiB"]
    one = [point for point in points if point.gpus == 1]
    ratio = [min(point.loads[policy] for policy in POLICIES) / point.loads["triangles"] for point in one]
    speed = [point.share["triangles"] / max(point.share[policy] for policy in POLICIES) for point in points]
    about = (
        f"Cholesky in tiles of {TILE}, single precision, on the described GPUs of `gemini-v100`, each with {MEMORY} MiB, "
        f"which hold {TILES} tiles. `triangles` is an order that is given beforehand: columns of tiles are factored some at "
        f"a time, and what is right of them is updated by triangle blocks of {side(TILES)} rows where there are "
        f"{side(TILES)**2} rows or more, else by squares of {edge(TILES)} and triangles on the diagonal. First what of the "
        "rate of the least time (work, longest path) each reaches; then what the GPUs load, from RAM and from each other, "
        "and the least that any order loads on one."
    )
    return "\n".join([
        textwrap.fill(about, 100),
        f"{BENCH.machine()}; {BENCH.datetime.date.today()}.",
        "",
        "Written by `scripts/bench/triangle_blocks.py --write`.",
        "",
        BENCH.table(head, [point.row(policies) for point in points]),
        "",
        f"On one GPU the best of the others loads {min(ratio):.2f} to {max(ratio):.2f} times what the triangle blocks load; the",
        f"rate of these is {min(speed):.2f} to {max(speed):.2f} times that of the best of the others.",
        "",
        f"In which order the tiles are worked on, {SHOWN[1]} x {SHOWN[1]} on one GPU, dark first: [triangle",
        "blocks](../figures/order-triangles.svg), [darts](../figures/order-darts.svg),",
        "[tessera](../figures/order-tessera.svg), [dmdas](../figures/order-dmdas.svg)",
        "(`tegula trace RUN.trace --panel order`).",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=ROOT / "target/release/tegula", help="program that simulates")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    policies = ["triangles", *POLICIES]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        waiting = {(*run, policy): pool.submit(simulate, options.tegula, *run, policy, folder)
                   for run in reversed(RUNS) for policy in policies}
        points = [Point(*run, {policy: waiting[*run, policy].result() for policy in policies}) for run in RUNS]
        for policy in policies:
            trace = folder / f"{policy}.trace"
            simulate(options.tegula, *SHOWN, policy, folder, "--trace", trace)
            figure = FIGURES / f"order-{policy}.svg"
            panel = [options.tegula, "trace", trace, "--panel", "order", "-o", figure if options.write else folder / "order.svg"]
            subprocess.run(panel, check=True, capture_output=True)
    text = section(points, policies)
    print(text)
    if options.write:
        BENCH.write({"Cholesky by triangle blocks, simulated": text})


if __name__ == "__main__":
    main()
