#!/usr/bin/env python3
"""Embeddings of matrices of distances: larger than memory, beside other tools, and of distances that are not stored.

    scripts/bench/setup-peers                                once: the peers, under target/peers
    scripts/bench/diodon.py [--rounds N] [--write] [PART ...]

Parts: stream (40 000 items, 6.4 GB, contiguous and gzip, with 512 MiB: time, memory, a pass of reading alone and of multiplying
alone), ablation (the same without each of the things that let reading and computing overlap), peers (5000 and 10 000 items beside
scikit-bio, SciPy and pydiodon), unstored (100 000 points without a stored matrix). Files come from the cache of the system; all
tools may use two cores. In each round every command runs once, in turn; medians over rounds are reported. Single runs go to
target/bench/diodon.json; --write puts the tables into scripts/bench/results/embedding.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from common import BENCH

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "target/bench"
STORE = DATA / "diodon.json"
LARGE, MEMORY = 40_000, "512MiB"
FEW = (5_000, 10_000)
MANY = 100_000
KINDS = {"contiguous": [], "gzip": ["--gzip"]}
WITHOUT = ["", "--no-overlap", "--no-split-gram", "--no-commute", "--no-read-order", "--no-priorities"]
METHODS = ["lanczos", "randomized", "nystrom"]
PEERS = {"fsvd": "scikit-bio pcoa(fsvd)", "eigsh": "SciPy eigsh", "pydiodon": "pydiodon mds(grp)"}


def distances(n, kind="contiguous", *more):
    """A file of distances, made once, and the eigenvalues that they have."""
    path = DATA / f"distances{n}.{kind}.h5"
    facts = path.with_suffix(".json")
    if not facts.exists():
        print(f"making {path.name} ...", file=sys.stderr, flush=True)
        DATA.mkdir(parents=True, exist_ok=True)
        script = ROOT / "scripts/bench/peers/distance_matrix.py"
        facts.write_text(BENCH.run([BENCH.PYTHON, script, n, path, *KINDS.get(kind, []), *more])[0])
    return path, json.loads(facts.read_text())["eigenvalues"]


def mds(path, *flags):
    """One embedding: what it says, and its peak resident set."""
    output, peak = BENCH.run([BENCH.TEGULA, "diodon", "mds", path, "--workers", 2, "--json", "-", "--quiet", *flags])
    return {**json.loads(output), "peak": peak}


def worst(found, exact):
    """Largest relative error of an eigenvalue; one that is missing is all wrong."""
    pairs = list(zip(found, exact))
    return max([abs(a - b) / b for a, b in pairs] + [1.0] * (len(exact) - len(pairs)))


class Runs:
    """Results of all rounds by what ran."""

    def __init__(self):
        self.all = {}

    def add(self, key, result):
        self.all.setdefault(key, []).append(result)

    def median(self, key, value):
        return statistics.median(value(result) for result in self.all[key])

    def spread(self, key, value, digits=2):
        return BENCH.spread([value(result) for result in self.all[key]], digits)


def seconds(result):
    return result["seconds"]


def mib(result):
    return result["peak"] / 2**20


def stream(rounds):
    """40 000 items, 6.4 GB of 32-bit distances, ten axes, `--memory 512MiB`, two workers."""
    runs, exact = Runs(), {}
    for _ in range(rounds):
        for kind in KINDS:
            path, exact[kind] = distances(LARGE, kind)
            for method in METHODS:
                runs.add((kind, method), mds(path, "--memory", MEMORY, "--method", method))
            runs.add((kind, "measure"), mds(path, "--memory", MEMORY, "--method", "randomized", "--measure"))
    rows = []
    for kind in KINDS:
        for method in METHODS:
            key = (kind, method)
            error = runs.median(key, lambda result: worst(result["eigenvalues"], exact[kind]))
            passes = f"{runs.median(key, lambda result: result['passes']):.0f}"
            rows.append([kind, method, passes, runs.spread(key, seconds), f"{runs.median(key, mib):.0f}", f"{error:.1e}"])
    text = BENCH.table(["file", "method", "passes", "s", "peak, MiB", "worst eigenvalue, relative"], rows)
    rows = []
    for kind in KINDS:
        key = (kind, "measure")
        part = lambda name: runs.spread(key, lambda result: result["seconds_per_pass"][name])
        ratio = runs.spread(key, lambda result: result["ratio_to_the_longer"])
        rows.append([kind, part("reading"), part("multiplying"), part("both"), ratio])
    head = ["a pass, s", "reading alone", "multiplying alone", "both", "both / the longer"]
    return text + "\n\n" + BENCH.table(head, rows)


def ablation(rounds):
    """The same two passes (randomized) without each of the things that let reading and computing overlap."""
    runs = Runs()
    for _ in range(rounds):
        for kind in KINDS:
            path, _ = distances(LARGE, kind)
            for flag in WITHOUT:
                flags = [flag] if flag else []
                runs.add((kind, flag), mds(path, "--memory", MEMORY, "--method", "randomized", *flags))
    rows = []
    for kind in KINDS:
        whole = runs.median((kind, ""), seconds)
        for flag in WITHOUT:
            key = (kind, flag)
            phases = lambda name: runs.median(key, lambda result: result["phases"][name])
            both = 100 * phases("reading_and_computing") / phases("reading_or_computing")
            ratio = f"{runs.median(key, seconds) / whole:.2f}"
            name = f"`{flag}`" if flag else "all"
            rows.append([kind, name, runs.spread(key, seconds), ratio, f"{phases('read'):.1f}", f"{phases('products'):.1f}", f"{both:.0f} %"])
    head = ["file", "", "s", "to all", "reading, core s", "products, core s", "both at a time"]
    return BENCH.table(head, rows)


def peers(rounds):
    """Ten axes of distances that fit the memory, beside other tools (with their reading of the file)."""
    runs, exact = Runs(), {}
    for _ in range(rounds):
        for n in FEW:
            path, exact[n] = distances(n)
            for method in METHODS:
                runs.add((n, method), mds(path, "--method", method))
            for name in PEERS:
                # Some print more than their result.
                output, peak = BENCH.run([BENCH.PYTHON, ROOT / "scripts/bench/peers/embed.py", name, path])
                runs.add((n, name), {**json.loads(output.splitlines()[-1]), "peak": peak})
    rows = []
    for n in FEW:
        for name, label in {**{method: f"tegula, {method}" for method in METHODS}, **PEERS}.items():
            key = (n, name)
            found = f"{runs.median(key, lambda result: len(result['eigenvalues'])):.0f}"
            error = runs.median(key, lambda result: worst(result["eigenvalues"], exact[n]))
            rows.append([str(n), label, runs.spread(key, seconds), f"{runs.median(key, mib):.0f}", found, f"{error:.1e}"])
    return BENCH.table(["items", "tool", "s", "peak, MiB", "axes", "worst eigenvalue, relative"], rows)


def unstored(rounds):
    """100 000 points in 20 dimensions, Euclidean distances computed in every pass and stored nowhere."""
    path, exact = distances(MANY, "points", "--points-alone")
    runs = Runs()
    for _ in range(rounds):
        for method in METHODS:
            flags = ["--metric", "euclidean", "--memory", "1GiB", "--method", method]
            runs.add(method, mds(path.with_suffix(".csv"), *flags))
    rows = []
    for method in METHODS:
        each = lambda result: result["seconds"] / result["passes"]
        error = runs.median(method, lambda result: worst(result["eigenvalues"], exact))
        million = runs.median(method, each) * (1_000_000 / MANY) ** 2 / 3600
        passes = f"{runs.median(method, lambda result: result['passes']):.0f}"
        rows.append([method, passes, runs.spread(method, each), f"{runs.median(method, mib):.0f}", f"{error:.1e}", f"{million:.1f}"])
    head = ["method", "passes", "s a pass", "peak, MiB", "worst eigenvalue, relative", "h a pass of 10^6 points, projected as n^2"]
    return BENCH.table(head, rows)


PARTS = {part.__name__: part for part in (stream, ablation, peers, unstored)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", type=pathlib.Path, help="program to measure, instead of building one")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the tables into results/embedding.md")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if arguments.tegula:
        BENCH.TEGULA = arguments.tegula.resolve()
    else:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "tegula"], cwd=ROOT, check=True)
    store = json.loads(STORE.read_text()) if STORE.exists() else {}
    for name in arguments.parts or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        stamp = f"{BENCH.machine()}; {arguments.rounds} rounds."
        store[name] = f"### {name}\n\n{PARTS[name].__doc__}\n{stamp}\n\n{PARTS[name](arguments.rounds)}"
        STORE.write_text(json.dumps(store))
        print(store[name], flush=True)
    if arguments.write:
        text = "By `scripts/bench/diodon.py`, which says how.\n\n" + "\n\n".join(store[name] for name in PARTS if name in store)
        BENCH.write({"diodon": text})


if __name__ == "__main__":
    main()
