#!/usr/bin/env python3
"""Two unequal ranks for real: distributions by their powers beside block-cyclic.

    scripts/bench/unequal_ranks.py [--rounds N] [--tegula FILE] [--speed X] [--write]

Under Open MPI's mpirun rank 0 has a core of this machine, and rank 1 has an emulated device that is as fast as a share of one. Every
distribution runs in each round, in turn with the others; ratios are taken within a round: times as long as block-cyclic takes. Rows by the
name "plan" take owners of both phases from "tegula plan exageostat", for two nodes that are described by "tegula platform calibrate". The best
that can be is that of ranks which end at the same time without messages: for a share of x, (1 / (1 + x)) / (1 / (2 x)) = 2 x / (1 + x).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from common import BENCH

TILE = 200
COMMON = ["--tile-size", str(TILE), "--json", "-"]
# Program: its words, and the distributions.
CASES = {
    "Cholesky, n = 5000": ("linalg potrf -n 5000", ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"]),
    "LU without pivoting, n = 4000": ("linalg getrf-nopiv -n 4000", ["block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"]),
    "LU, n = 4000": ("linalg getrf -n 4000", ["block-cyclic", "1d1d"]),
    "QR, n = 3000": ("linalg geqrf -n 3000", ["block-cyclic", "1d1d"]),
    "likelihood, n = 5000": ("exageostat loglik field.csv --mean zero --params 1,0.1,0.7", ["block-cyclic", "1d1d", "plan"]),
    "embedding, n = 10000": ("diodon mds distances.h5 --axes 10 --method randomized", ["block-cyclic", "1d1d"]),
}
DATA = (
    "exageostat sample -n 5000 --params 1,0.1,0.7 --seed 1 -o field.csv --quiet",
    "exageostat sample -n 10000 --dimensions 3 --params 1,0.1,0.5 --seed 2 -o points.csv --quiet",
    "diodon distances points.csv --columns x,y,z --metric manhattan -o distances.h5 --quiet",
)


def tegula(folder, *words):
    done = subprocess.run([BENCH.TEGULA, *map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def describe(folder, speed):
    """Both ranks as the nodes of a cluster; messages go through memory."""
    tegula(folder, "platform", "calibrate", "--tile-size", TILE, "--precision", "d", "-o", "here.toml")
    node = ["[[node]]", 'platform = "here.toml"', "cores = 1", "bytes_per_second = 2e9"]
    text = ['name = "two ranks"', "latency_seconds = 2e-5", *node, *node, f"speed = {speed}"]
    (folder / "cluster.toml").write_text("\n".join(text) + "\n")
    plan = ["plan", "exageostat", "--platform", "cluster.toml", "--tiles", 25, "--tile-size", TILE]
    tegula(folder, *plan, "--distribution", "lp", "-o", "plan", "--quiet")


def run(folder, words, distribution, speed):
    """Seconds of a run on both ranks."""
    if distribution == "plan":
        owners = ["--distribution", "file:plan/factorization.csv", "--generation", "file:plan/generation.csv"]
    else:
        owners = ["--distribution", distribution]
    command = [str(BENCH.TEGULA), *words.split(), *owners, *([] if "mds" in words else COMMON[:2]), *COMMON[2:]]
    device = f"emulated:1:4GiB:5GB:{speed}"
    launch = ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"]
    ranks = ["-np", "1", *command, "--workers", "1", ":", "-np", "1", *command, "--workers", "0", "--devices", device]
    done = subprocess.run([*launch, *ranks], capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        sys.exit(f"{words} {distribution}: {done.stdout}{done.stderr}")
    seconds = json.loads(done.stdout)["seconds"]
    return min(seconds) if isinstance(seconds, list) else seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tegula", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--speed", type=float, default=0.5, help="of rank 1 beside rank 0")
    parser.add_argument("--write", action="store_true", help="put the table into results/ranks.md")
    flags = parser.parse_args()
    if flags.tegula:
        BENCH.TEGULA = flags.tegula.resolve()
    os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for words in DATA:
            tegula(folder, *words.split())
        describe(folder, flags.speed)
        for _ in range(flags.rounds):
            for case, (words, distributions) in CASES.items():
                for distribution in distributions:
                    seconds = run(folder, words, distribution, flags.speed)
                    times.setdefault((case, distribution), []).append(seconds)
                    print(case, distribution, seconds, flush=True)
    rows = []
    for case, (_, distributions) in CASES.items():
        base = times[case, distributions[0]]
        for distribution in distributions:
            mine = times[case, distribution]
            ratio = BENCH.spread([a / b for a, b in zip(mine, base)])
            rows.append([case, distribution, f"{statistics.median(mine):.2f}", ratio])
    text = BENCH.table(["program", "tiles", "s", "times as long as block-cyclic"], rows)
    print(f"\n{text}")
    if flags.write:
        best = 2 * flags.speed / (1 + flags.speed)
        about = f"A rank of one core and one that is {flags.speed} times as fast; at best {best:.2f} (`scripts/bench/unequal_ranks.py`)."
        BENCH.write({"unequal ranks": f"{about}\n{BENCH.machine()}; {flags.rounds} rounds.\n\n{text}"})


if __name__ == "__main__":
    main()
