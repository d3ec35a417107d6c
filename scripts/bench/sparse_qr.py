#!/usr/bin/env python3
"""Times sparse least squares beside SuiteSparseQR, both with COLAMD, on one and two threads, and beside SciPy.

    apt-get install g++ libsuitesparse-dev; pip install numpy scipy
    cargo build --release
    scripts/bench/sparse_qr.py [--rounds N] [--write] [CASE ...]

Matrices are made at random from a fixed seed, under target/bench/sparse. In each round each program solves each once, in
turn; medians over rounds. A time is that of analysis, factorisation and solve; of SuiteSparseQR that of one call which
keeps no Q, as ours does. SciPy has no sparse QR: of it the iterative lsmr, to 1e-12, and a factorisation of the normal
equations by SuperLU (splu) are taken, on one thread. --write puts the table into scripts/bench/results/sparse_qr.md.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import time

import numpy
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg
from scipy.spatial import cKDTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/bench/sparse"
DRIVER = ROOT / "target/peers/spqr"
TEGULA = ROOT / "target/release/tegula"
TABLE = ROOT / "scripts/bench/results/sparse_qr.md"


def grid(k):
    """The Laplacian of k x k x k nodes."""
    line = sparse.diags([-numpy.ones(k - 1), 2 * numpy.ones(k), -numpy.ones(k - 1)], [-1, 0, 1])
    one = sparse.identity(k)
    kron = sparse.kron
    return kron(kron(line, one), one) + kron(kron(one, line), one) + kron(kron(one, one), line)


def tall_grid(k):
    """Differences between neighbours on such a grid, weighted at random, and weights of nodes."""
    random = numpy.random.default_rng(1)
    nodes = numpy.arange(k**3).reshape(k, k, k)
    pairs = [(nodes[1:].ravel(), nodes[:-1].ravel()), (nodes[:, 1:].ravel(), nodes[:, :-1].ravel()),
             (nodes[:, :, 1:].ravel(), nodes[:, :, :-1].ravel())]
    one, other = (numpy.concatenate(side) for side in zip(*pairs))
    weight = 0.5 + random.random(len(one))
    row = numpy.arange(len(one))
    parts = sparse.coo_matrix((weight, (row, one))) - sparse.coo_matrix((weight, (row, other)), (len(one), k**3))
    return sparse.vstack([parts, sparse.diags(0.1 + random.random(k**3))])


def tree(n):
    """Least squares on an irregular tree: each of n unknowns meets some of the last few hundred of a random branch."""
    random = numpy.random.default_rng(2)
    parent = [max(0, i - 1 - int(random.pareto(0.7) * 3)) for i in range(n)]
    rows, columns = [], []
    for row in range(2 * n):
        at = row % n
        for _ in range(1 + int(random.pareto(1.5))):
            rows.append(row), columns.append(at)
            at = parent[at]
    return sparse.coo_matrix((random.standard_normal(len(rows)), (rows, columns)), (2 * n, n)) + sparse.vstack(
        [sparse.identity(n) * 4, sparse.coo_matrix((n, n))])


def wendland(m, n, neighbours):
    """m places in the plane by n centres of Wendland's function (1 - r)^4 (4 r + 1) over so many neighbours."""
    random = numpy.random.default_rng(3)
    places, centres = random.random((m, 2)), random.random((n, 2))
    reach = numpy.sqrt(neighbours / (numpy.pi * n))
    found = cKDTree(places).sparse_distance_matrix(cKDTree(centres), reach, output_type="coo_matrix")
    r = found.data / reach
    values = sparse.coo_matrix(((1 - r) ** 4 * (4 * r + 1), (found.row, found.col)), (m, n))
    return sparse.vstack([values, 0.01 * sparse.identity(n)])


CASES = {
    "grid 20^3": lambda: grid(20),
    "grid 30^3": lambda: grid(30),
    "tall grid 20^3": lambda: tall_grid(20),
    "irregular tree": lambda: tree(30000),
    "Wendland": lambda: wendland(30000, 10000, 40),
}


def build():
    DRIVER.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "scripts/bench/peers/spqr.cpp"
    libraries = ["-lspqr", "-lcholmod", "-lsuitesparseconfig"]
    subprocess.run(["g++", "-O2", "-I/usr/include/suitesparse", source, "-o", DRIVER, *libraries], check=True)


def spqr(path, threads):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
    line = subprocess.run([DRIVER, path, "1"], env=environment, check=True, capture_output=True, text=True).stdout
    found = json.loads(line)
    return found["without_q"], found


def tegula(path, threads):
    command = [TEGULA, "linalg", "sparse-gels", "--input", path, "--workers", str(threads), "--json", "-", "-q", "-o",
               FOLDER / "x.mtx"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found["error"] = abs(scipy.io.mmread(FOLDER / "x.mtx") - 1).max()
    return sum(found[part] for part in ["analysis_seconds", "factor_seconds", "solve_seconds"]), found


def lsmr(matrix, right):
    return scipy.sparse.linalg.lsmr(matrix, right, atol=1e-12, btol=1e-12, conlim=0, maxiter=20000)[0]


def splu(matrix, right):
    turned = matrix.T.tocsc()
    return scipy.sparse.linalg.splu((turned @ matrix).tocsc()).solve(turned @ right)


def of_scipy(solve, path):
    """Seconds of a solve, and how far it is off."""
    matrix = scipy.io.mmread(path).tocsc()
    right = matrix @ numpy.ones(matrix.shape[1])
    start = time.perf_counter()
    found = solve(matrix, right)
    return time.perf_counter() - start, abs(found - 1).max()


def measure(name, rounds):
    """A row of the table."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / (name.replace(" ", "-").replace("^", "") + ".mtx")
    if not path.exists():
        scipy.io.mmwrite(path, CASES[name]().tocsc())
    times, found = {}, {}
    for _ in range(rounds):
        for threads in [1, 2]:
            for program in [tegula, spqr]:
                seconds, result = program(path, threads)
                times.setdefault((program, threads), []).append(seconds)
                found[program] = result
        for solve in [lsmr, splu]:
            seconds, found[solve] = of_scipy(solve, path)
            times.setdefault(solve, []).append(seconds)
    ours, theirs = found[tegula], found[spqr]
    row = [name, f"{ours['m']} x {ours['n']}", f"{ours['nnz_r'] / 1e6:.2f}", f"{theirs['nnz_r'] / 1e6:.2f}",
           f"{ours['flops'] / 1e9:.1f}", f"{theirs['flops'] / 1e9:.1f}"]
    for threads in [1, 2]:
        pair = [times[program, threads] for program in [tegula, spqr]]
        ratios = [theirs / ours for ours, theirs in zip(*pair)]
        row += [f"{statistics.median(side):.3f} ({min(side):.3f} .. {max(side):.3f})" for side in pair]
        row.append(f"{statistics.median(ratios):.2f}")
    row += [f"{ours['error']:.0e}", f"{theirs['error']:.0e}"]
    for solve in [lsmr, splu]:
        row += [f"{statistics.median(times[solve]):.3f}", f"{found[solve]:.0e}"]
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    flags = parser.parse_args()
    build()
    heads = ["matrix", "size", "R, 10^6", "SPQR", "Gflop", "SPQR", "1: Tegula, s", "SPQR, s", "faster by",
             "2: Tegula, s", "SPQR, s", "faster by", "error", "SPQR", "lsmr, s", "error", "splu, s", "error"]
    rows = [heads, ["---"] * len(heads)] + [measure(name, flags.rounds) for name in flags.cases or CASES]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    print(table)
    if flags.write:
        model = next(line for line in open("/proc/cpuinfo") if line.startswith("model name")).split(":")[1].strip()
        machine = f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"
        today = datetime.date.today().isoformat()
        text = TABLE.read_text().split("\n\n| matrix")[0] if TABLE.exists() else "# Sparse QR\n"
        TABLE.write_text(f"{text}\n\n{table}\n\n{machine}; {today}; {flags.rounds} rounds.\n")


if __name__ == "__main__":
    main()
