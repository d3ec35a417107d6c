#!/usr/bin/env python3
"""Compares schedulers of batch jobs that share files, on generated weeks, and times them.

    cargo build --release
    scripts/bench/batch.py [--seeds N] [--write]

Weeks of 30 000 jobs on 150 nodes, of which the middle seven of nine days are evaluated: underused (load 0.7) and
saturated (1.2), each drawn N times, without and with backfilling. Then a week of 100 000 jobs on 486 nodes for the
times, with passes over the queue every 30 s as published. --write puts the tables into scripts/bench/results/batch.md.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import statistics
import subprocess

from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/bench/batch"
TABLE = ROOT / "scripts/bench/results/batch.md"
SMALL, LARGE = "150x20x128GB:0.1GB/s", "486x20x128GB:0.1GB/s"
LOADS = {"underused": 0.7, "saturated": 1.2}


def tegula(*words):
    """Runs a command of `batch`; its result."""
    command = [BENCH.TEGULA, "batch", *map(str, words), "--quiet", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def draw(load, jobs, cluster, seed):
    log = FOLDER / f"{load}-{jobs}-{seed}.csv"
    tegula("generate", "--jobs", jobs, "--load", load, "--seed", seed, "--cluster", cluster, "-o", log)
    return log


def week(load, seed, backfill):
    """What each scheduler comes to beside the first, on one week."""
    log, out = draw(load, 30000, SMALL, seed), FOLDER / f"runs-{load}-{seed}-{backfill}"
    flags = ["--backfill"] if backfill else []
    tegula("simulate", log, "--cluster", SMALL, "--policy", "all", "-o", out, *flags)
    return {run["name"].removesuffix("-bf"): run for run in tegula("compare", out)["runs"]}


def row(name, runs):
    """A line of the table: medians over weeks."""
    median = lambda of: statistics.median(map(of, runs))
    return [
        name,
        f"{100 * median(lambda run: run['waiting_reduction']):.1f}",
        f"{100 * median(lambda run: run['core_reduction']):.2f}",
        f"{median(lambda run: run['flow']['mean']) / 3600:.2f}",
        f"{median(lambda run: run['stretch']['session_median']):.3f}",
        f"{100 * median(lambda run: run['sessions_differ']):.0f}",
        f"{100 * median(lambda run: run['sessions_better']):.0f}",
        *(f"{median(lambda run: run['ratio_percentiles'][part]['ratio']):.2f}" for part in range(5)),
    ]


def compared(seeds):
    head = ["scheduler", "waiting less, %", "core time less, %", "mean flow, h", "session stretch", "differ, %",
            "better, %", "12.5 %", "25 %", "median", "75 %", "87.5 %"]
    parts = []
    for name, load in LOADS.items():
        for backfill in (False, True):
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
                weeks = list(executor.map(lambda seed: week(load, seed, backfill), range(1, seeds + 1)))
            order = ["fcfs", "eft", "lea", "leo", "lem", "gradual"]
            rows = [row(policy, [one[policy] for one in weeks]) for policy in order if policy != "fcfs"]
            base = [one["fcfs"] for one in weeks]
            flow = statistics.median(run["flow"]["mean"] for run in base) / 3600
            stretch = statistics.median(run["stretch"]["session_median"] for run in base)
            rows.insert(0, ["fcfs", "0", "0", f"{flow:.2f}", f"{stretch:.3f}", *[""] * 7])
            wins = sum(one["gradual"]["waiting_reduction"] > one["lem"]["waiting_reduction"]
                       and one["gradual"]["flow"]["mean"] <= one["lem"]["flow"]["mean"]
                       and one["gradual"]["stretch"]["session_median"] <= one["lem"]["stretch"]["session_median"]
                       for one in weeks)
            how = "with" if backfill else "without"
            parts.append(f"## {name.capitalize()}, {how} backfilling\n\n{BENCH.table(head, rows)}\n\n"
                         f"In {wins} of {seeds} weeks `gradual` waits less than `lem`, and neither its mean flow nor "
                         "its\nmedian stretch of sessions is longer.")
            print(parts[-1], flush=True)
    return parts


def timed():
    rows = {}
    for name, load in LOADS.items():
        log = draw(load, 100000, LARGE, 1)
        for backfill in (False, True):
            flags = ["--backfill"] if backfill else []
            run = tegula("simulate", log, "--cluster", LARGE, "--policy", "all", "--interval", "30s", *flags)
            for one in run["runs"]:
                rows.setdefault(one["policy"], []).append(f"{one['seconds']:.1f}")
    heads = [f"{name}{bf}" for name in LOADS for bf in ("", ", backfill")]
    part = BENCH.table(["scheduler", *heads], [[name, *times] for name, times in rows.items()])
    print(part, flush=True)
    return "## Seconds for a week of 100 000 jobs on 486 nodes\n\n" + part


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    parts = [timed(), *compared(flags.seeds)]
    if flags.write:
        head = TABLE.read_text().split("\n## ")[0].rstrip() if TABLE.exists() else "# Batch jobs that share files"
        foot = f"{BENCH.machine()}; {datetime.date.today()}; {flags.seeds} weeks each."
        TABLE.write_text("\n\n".join([head, *parts, foot]) + "\n")


main()
