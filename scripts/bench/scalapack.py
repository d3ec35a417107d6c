#!/usr/bin/env python3
"""A Fortran program over ScaLAPACK, as it is and with libtegula.so put before it.

    cargo build --release -p tegula-capi
    scripts/bench/scalapack.py [LIBRARY] [--rounds N] [--write]

Needs what scripts/scalapack-tests needs. apps/capi/tests/grid.f90 runs each routine on 2 and 4 ranks of this machine
by turns with Debian's ScaLAPACK above OpenBLAS, one thread a rank, and with the library before it. A ratio is taken
within a round. --write puts the table into scripts/bench/results/scalapack.md.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

from common import BENCH, load

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = load(ROOT / "scripts/scalapack-tests")
# Routine and order.
SIZES = [("pdgemm", 4000), ("pdtrsm", 4000), ("pdpotrf", 6000), ("pdposv", 6000), ("pdgetrf", 5000), ("pdgesv", 5000),
         ("pdgeqrf", 4000), ("pdgels", 2000), ("pdsyev", 1500), ("pdgesvd", 1500)]
# Order of blocks, rows and columns of the grid.
GRIDS = [(64, 1, 2), (128, 1, 2), (64, 2, 2), (128, 2, 2)]
OPENING = """# ScaLAPACK's names

`scripts/bench/scalapack.py --write`: the program [grid.f90](../../../apps/capi/tests/grid.f90) over
Debian's ScaLAPACK 2.2.1, Open MPI 4.1.4 and OpenBLAS with one thread a rank, unchanged, as it is
and with `libtegula.so` put before it (`LD_PRELOAD`). Medians of {rounds} rounds, by turns; ratios
are taken within a round. Matrices are n x n in blocks of nb x nb, right-hand sides n/8 columns,
those of least squares 2 n x n. {machine}:
four ranks share two cores.

"""


def seconds(program, routine, n, grid, library):
    nb, p, q = grid
    start = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "-np", str(p * q)]
    if library:
        start += ["-x", f"LD_PRELOAD={library}"]
    command = [*start, program, routine, n, nb, p, q, 1]
    run = subprocess.run(list(map(str, command)), env=TESTS.environment(), capture_output=True, text=True, timeout=1800)
    if run.returncode != 0:
        sys.exit(f"{routine} {n} {grid}: {run.stdout}{run.stderr}")
    return float(run.stdout.split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--routines", help="these alone, separated by commas")
    options = parser.parse_args()
    library = TESTS.preload.library(options.library)
    program = TESTS.own_program("grid")
    rows = []
    for routine, n in SIZES:
        if options.routines and routine not in options.routines.split(","):
            continue
        for grid in GRIDS:
            found = [[seconds(program, routine, n, grid, put) for put in (None, library)] for _ in range(options.rounds)]
            alone, ours = (statistics.median(column) for column in zip(*found))
            ratios = sorted(theirs / mine for theirs, mine in found)
            row = [routine, n, grid[0], f"{grid[1]} x {grid[2]}", f"{alone:.2f}", f"{ours:.2f}",
                   f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} .. {ratios[-1]:.2f}"]
            rows.append(row)
            print(*row, flush=True)
    head = ["routine", "n", "nb", "grid", "ScaLAPACK, s", "Tegula, s", "faster by", "range"]
    text = OPENING.format(rounds=options.rounds, machine=BENCH.machine()) + BENCH.table(head, rows) + "\n"
    if options.write:
        (ROOT / "scripts/bench/results/scalapack.md").write_text(text)


if __name__ == "__main__":
    main()
