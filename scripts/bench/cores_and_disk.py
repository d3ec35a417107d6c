#!/usr/bin/env python3
"""Programs on one node whose RAM is too small, simulated: what does not fit goes to a slow disk.

    scripts/bench/cores_and_disk.py [--tegula PROGRAM] [--write]

Section 5.7 of M. Gonthier's thesis ("Scheduling under memory constraint in task-based runtime systems", ENS de Lyon,
2023) on the described machine neowise: 16 and 48 cores, 2 GB of RAM, a disk of 250 MB/s, tiles of 320 in single
precision. And two devices whose memories are smaller than the RAM, which is smaller than the matrix: a V100's memory
cut to 1 GiB, 4 GiB of RAM, a disk of 1 GB/s. --write puts the sections into scripts/bench/results/memory.md.
"""

import argparse
import pathlib
from concurrent.futures import ThreadPoolExecutor

from common import BENCH, simulated

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = ["eager", "lws", "dmdas", "darts", "tessera"]
CORES = [16, 48]
SIZES = [20, 40, 60, 70, 80, 100, 120, 140]
TILE, MEMORY, DISK = 320, 2000e6, 250e6
LEVELS = [("cholesky", 40), ("cholesky", 60), ("lu", 40), ("gemm", 24)]
ABOVE = ["lws", "dmdas", "dmdar", "darts", "tessera"]
WHY_41 = "just past the limit (70 tiles, on 16 cores 80, too) little is read, and DMDAS is ahead"


def simulate(tegula, cores, n, policy):
    words = ["lu", "--platform", "neowise", "--cores", cores, "--tiles", n, "--tile-size", TILE]
    words += ["--precision", "s", "--memory", f"{MEMORY / 1e6:.0f}MB", "--disk-rate", f"{DISK / 1e6:.0f}MB"]
    return simulated(tegula, *words, "--policy", policy)


def simulate_levels(tegula, program, n, policy):
    words = [program, "--platform", "chifflot-v100", "--tiles", n, "--tile-size", 960]
    words += ["--memory", "4GiB", "--disk-rate", "1GB", "--device-memory", "1GiB"]
    return simulated(tegula, *words, "--policy", policy)


def read_bytes(result):
    return sum(way["bytes"] for way in result["transfers"]["ways"] if way["from"] == "disk")


def least_read(n):
    """Bytes that any order reads: section 2.6's bound for LU, or the matrix, less the memory that is full of it."""
    formula = 2 * (n * TILE) ** 3 / (3 * (MEMORY / 4) ** 0.5) * 4
    return max(0.0, max(formula, 4.0 * (n * TILE) ** 2) - MEMORY)


class Point:
    """All policies at one size on so many cores."""

    def __init__(self, cores, n, results):
        self.cores, self.n = cores, n
        self.fits = 4 * (n * TILE) ** 2 <= MEMORY
        self.least = max(results["darts"]["abe_seconds"], results["darts"]["cpb_seconds"])
        self.seconds = {policy: result["makespan_seconds"] for policy, result in results.items()}
        self.read = {policy: read_bytes(result) for policy, result in results.items()}

    def row(self):
        rates = [f"{self.least / self.seconds[policy]:.3f}" for policy in POLICIES]
        reads = [f"{self.read[policy] / 1e9:.2f}" for policy in POLICIES]
        # What the disk brings in the least time.
        limit = DISK * self.least / 1e9
        return [self.cores, self.n, f"{self.least:.2f}", *rates, *reads, f"{least_read(self.n) / 1e9:.2f}", f"{limit:.2f}"]


def claims(points):
    inside = [point for point in points if point.fits]
    behind = [min(p.seconds[q] for q in ("dmdas", "lws")) / p.seconds["darts"] - 1 for p in inside]
    worst = min(behind)
    c40 = f"{100 * worst:.1f} % at worst, {100 * max(behind):+.1f} % at best"
    rows = [["C40", "DARTS before the memory's limit, beside the best of DMDAS and LWS, LU, 16 and 48 cores", "-5 % at worst", c40,
             "holds" if worst >= -0.055 else "in part", "DARTS heeds priorities only among data that are equal, which costs most at 20 tiles, where the longest path counts; from 60 tiles on it is 1 to 4 % behind"]]
    for cores in CORES:
        past = [point for point in points if point.cores == cores and not point.fits]
        limit = [point.read["darts"] / (DISK * point.least) for point in past]
        least = [point.read["darts"] / least_read(point.n) for point in past]
        gain = [min(point.seconds[q] for q in ("eager", "lws", "dmdas")) / point.seconds["darts"] for point in past]
        wins = sum(times >= 1 / 1.005 for times in gain)
        says = "best, near what the disk brings" if cores == 16 else "best, close to the least that is read, the others fall further behind"
        ours = (f"best of the thesis's four at {wins} of {len(past)} sizes, {min(gain):.2f} to {max(gain):.2f} times as fast as the next; "
                f"reads {min(limit):.1f} to {max(limit):.1f} times what the disk brings in the least time, {min(least):.1f} to {max(least):.1f} times the least")
        rows.append(["C41", f"DARTS past the limit, LU, {cores} cores", says, ours, "holds" if wins == len(past) else "in part", WHY_41])
    return rows


def section(points):
    head = ["cores", "tiles", "least, s", *(f"{policy}" for policy in POLICIES), *(f"{policy}, GB" for policy in POLICIES), "least, GB", "disk, GB"]
    claim_head = ["claim", "what", "thesis", "here", "verdict", "why it differs"]
    return "\n".join([
        "LU without pivoting in tiles of 320, single precision, on the described machine `neowise` (rates of",
        "its cores are assumed), with 2 GB of RAM and a disk of 250 MB/s; deciding takes no time.",
        f"{BENCH.machine()}; {BENCH.datetime.date.today()}.",
        "",
        "Written by `scripts/bench/cores_and_disk.py --write`. A run is",
        "",
        "```",
        "tegula simulate lu --platform neowise --cores 16|48 --tiles N --tile-size 320 --precision s \\",
        "    --memory 2000MB --disk-rate 250MB --policy P --json -",
        "```",
        "",
        "Up to 69 tiles fit the RAM. First what of the rate of the least time (work, longest path) each",
        "policy reaches; then what it reads from the disk, the least that any order reads, and what the disk",
        "brings in the least time.",
        "",
        BENCH.table(head, [point.row() for point in points]),
        "",
        BENCH.table(claim_head, claims(points)),
    ])


def levels_section(results):
    head = ["program", "tiles", "matrices, GB", "bound, s", *(f"{policy}, s" for policy in ABOVE), *(f"{policy}, GB" for policy in ABOVE)]
    rows = []
    for program, n in LEVELS:
        runs = [results[program, n, policy] for policy in ABOVE]
        bound = max(runs[0]["abe_seconds"], runs[0]["cpb_seconds"])
        seconds = [f"{run['makespan_seconds']:.1f}" for run in runs]
        rows.append([program, n, f"{runs[0]['working_set_bytes'] / 1e9:.1f}", f"{bound:.1f}", *seconds, *(f"{read_bytes(run) / 1e9:.0f}" for run in runs)])
    return "\n".join([
        "The described machine `chifflot-v100` with two devices of 1 GiB above 4 GiB of RAM and a disk of 1",
        "GB/s, tiles of 960 in double precision; deciding takes no time. Seconds, and what is read from the",
        "disk.",
        f"{BENCH.machine()}; {BENCH.datetime.date.today()}.",
        "",
        "Written by `scripts/bench/cores_and_disk.py --write`. A run is",
        "",
        "```",
        "tegula simulate PROGRAM --platform chifflot-v100 --tiles N --tile-size 960 --memory 4GiB \\",
        "    --disk-rate 1GB --device-memory 1GiB --policy P --json -",
        "```",
        "",
        BENCH.table(head, rows),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=ROOT / "target/release/tegula", help="program that simulates")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with ThreadPoolExecutor(2) as pool:
        waiting = {(cores, n, policy): pool.submit(simulate, options.tegula, cores, n, policy)
                   for cores in CORES for n in reversed(SIZES) for policy in POLICIES}
        above = {(program, n, policy): pool.submit(simulate_levels, options.tegula, program, n, policy)
                 for program, n in LEVELS for policy in ABOVE}
        points = [Point(cores, n, {policy: waiting[cores, n, policy].result() for policy in POLICIES}) for cores in CORES for n in SIZES]
        levels = levels_section({run: waits.result() for run, waits in above.items()})
    text = section(points)
    print(text, levels, sep="\n\n")
    if options.write:
        BENCH.write({"LU on cores and a disk, simulated": text, "Devices above a RAM and a disk, simulated": levels})


if __name__ == "__main__":
    main()
