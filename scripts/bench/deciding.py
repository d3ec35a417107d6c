#!/usr/bin/env python3
"""What deciding costs, in simulations that count it.

    scripts/bench/deciding.py [--tegula PROGRAM] [--rounds N] [--write]

Programs and machines of M. Gonthier's thesis (2023) on which it says that a policy loses by the time that it takes to
decide. Each runs once with free decisions and some rounds in which what the policy takes here, by the clock, is
charged; one at a time. --write puts the tables into scripts/bench/results/memory.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Claim, what it says, program, platform, sizes, policies.
CASES = [
    ("C12", "HFP is beaten by DMDAR in some sizes, where its time counts; 2D, 1 GPU", "gemm-2d", "gemini-v100-1",
     (30, 50, 70, 90), ("hfp", "hfp-fast", "dmdar")),
    ("C16", "DMDAR falls below EAGER on the last sizes, by its scans; 3D, 1 GPU", "gemm-3d", "gemini-v100-1",
     (16, 18, 20), ("dmdar", "eager")),
    ("C19", "mHFP takes a minute at 1 300 MB on 1 GPU, and minutes on 2; 2D", "gemm-2d", "gemini-v100-2",
     (80, 120), ("mhfp", "mhfp2", "partition", "darts")),
    ("C27", "DARTS of chapter 4 is very bad, by its time; 3D, 4 GPUs", "gemm-3d", "gemini-v100-4",
     (24, 36, 48), ("darts-v1", "darts-3inputs", "dmdar", "eager")),
    ("C28, C30", "DARTS+OPTI gains time of deciding; Cholesky's tasks, 4 GPUs", "cholesky-set", "gemini-v100-4",
     (30, 50, 70), ("darts-opti", "darts-v1", "darts")),
    ("C31", "DARTS declines from 4 000 MB, its threshold does not; 2D, 4 GPUs", "gemm-2d", "gemini-v100-4",
     (180, 240, 300), ("darts", "darts-v1", "darts-threshold", "dmdar")),
]
MEMORY = ("--tile-size", "960", "--precision", "s", "--device-memory", "500MiB")


def simulate(program, *more):
    command = [program, "simulate", *map(str, more), *MEMORY, "--json", "-", "--quiet"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def seconds_of(run):
    return sum(row["tasks"] * row["seconds"] for row in run["deciding"])


def measured(program, rounds):
    rows = []
    for claim, says, workload, platform, sizes, policies in CASES:
        for size in sizes:
            for policy in policies:
                command = (workload, "--platform", platform, "--tiles", size, "--policy", policy)
                free = simulate(program, *command)
                paid = [simulate(program, *command, "--measure-deciding") for _ in range(rounds)]
                tasks = sum(row["tasks"] for row in paid[0]["deciding"])
                deciding = statistics.median(map(seconds_of, paid))
                rate = statistics.median(run["gflops"] for run in paid)
                rows.append([claim, workload, platform.split("-")[-1], size, policy, f"{free['gflops']:.0f}",
                             f"{rate:.0f}", f"{100 * (rate / free['gflops'] - 1):+.1f} %", f"{deciding:.3f}",
                             f"{1e6 * deciding / tasks:.2f}"])
    head = ["claim", "program", "GPUs", "tiles", "policy", "Gflop/s, free", "charged", "change", "deciding, s",
            "us for a task"]
    return BENCH.table(head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=str(ROOT / "target/release/tegula"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    table = measured(flags.tegula, flags.rounds)
    says = "\n".join(f"- {claim}: {says}." for claim, says, *_ in CASES)
    text = (f"Policies on described V100 with 500 MiB each, tiles of 960 in single precision: rates where deciding"
            f"\nis free, and where what a policy takes by the clock is charged, medians of {flags.rounds} rounds of"
            f"\n`scripts/bench/deciding.py --write`. {BENCH.machine()}.\nThe thesis says:\n\n{says}\n\n{table}")
    print(text)
    if flags.write:
        BENCH.write({"Deciding, charged": text})


if __name__ == "__main__":
    main()
