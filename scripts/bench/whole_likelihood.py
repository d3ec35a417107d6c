#!/usr/bin/env python3
"""A whole likelihood under policies for little memory, simulated: generation, Cholesky, determinant, solve, product.

    scripts/bench/whole_likelihood.py [--tegula PROGRAM] [--write]

On described nodes with cores and accelerators whose memories are too small, and on cores with too little RAM and a
disk; the phases overlap. --write puts the section into scripts/bench/results/memory.md.
"""

import argparse
import pathlib
import statistics
from concurrent.futures import ThreadPoolExecutor

from common import BENCH, simulated

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ["lws", "dmdas", "dmdal", "darts", "tessera"]
# Platform, what it is, flags that limit its memory.
MACHINES = [
    ("chifflet", "24 cores, 2 GTX 1080", {"no limit": [], "1 GiB a device": ["--device-memory", "1GiB"], "250 MiB a device": ["--device-memory", "250MiB"]}),
    ("chifflot-v100", "20 cores, 2 V100", {"no limit": [], "1 GiB a device": ["--device-memory", "1GiB"], "250 MiB a device": ["--device-memory", "250MiB"]}),
    ("hype", "14 cores, 2 K80", {"no limit": [], "1 GiB a device": ["--device-memory", "1GiB"], "250 MiB a device": ["--device-memory", "250MiB"]}),
    ("chiclet", "30 cores", {"no limit": [], "4 GiB of RAM, a disk of 500 MB/s": ["--memory", "4GiB"], "2 GiB of RAM, a disk of 500 MB/s": ["--memory", "2GiB"]}),
]
SIZES = [20, 40, 60, 80]


def simulate(tegula, platform, flags, n, policy):
    result = simulated(tegula, "loglik", "--platform", platform, "--tiles", n, *flags, "--policy", policy)
    return result["makespan_seconds"] / max(result["abe_seconds"], result["cpb_seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=str(ROOT / "target/release/tegula"), help="program that simulates")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with ThreadPoolExecutor(2) as pool:
        waiting = {(platform, limit, policy): [pool.submit(simulate, options.tegula, platform, flags, n, policy) for n in SIZES]
                   for platform, _, limits in MACHINES for limit, flags in limits.items() for policy in POLICIES}
        found = {key: [future.result() for future in futures] for key, futures in waiting.items()}
    rows = [[f"`{platform}`, {what}", limit, *(f"{statistics.mean(found[platform, limit, p]):.3f} ({max(found[platform, limit, p]):.3f})" for p in POLICIES)]
            for platform, what, limits in MACHINES for limit in limits]
    text = "\n".join([
        "Time of a whole likelihood (generation, Cholesky, determinant, solve, product, overlapped) as a",
        f"multiple of the least one by work or longest path: means over {', '.join(map(str, SIZES))} tiles of 960 along",
        "an edge, the worst in brackets. Double precision; times of the kernels as the platform files say.",
        f"{BENCH.machine()}; {BENCH.datetime.date.today()}.",
        "",
        "Written by `scripts/bench/whole_likelihood.py --write`. A run is",
        "",
        "```",
        "tegula simulate loglik --platform P --tiles N [--device-memory 1GiB|250MiB] [--memory 2GiB|4GiB] --policy P --json -",
        "```",
        "",
        BENCH.table(["machine", "memory", *POLICIES], rows),
    ])
    print(text)
    if options.write:
        BENCH.write({"A whole likelihood, simulated": text})


if __name__ == "__main__":
    main()
