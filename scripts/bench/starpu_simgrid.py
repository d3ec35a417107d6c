#!/usr/bin/env python3
"""Compares simulated runs with StarPU's on SimGrid, run by run, on its sample machine mirage.

    scripts/bench/starpu_simgrid.py [--tegula PROGRAM] [--set NAME] [--best POLICY] [--markdown FILE]

Reference: scripts/bench/data/starpu_simgrid.csv, made with StarPU master of 2026-08-13 and
SimGrid 3.32; the machine is plan/platforms/mirage.toml (mirage-lu.toml for LU).
"""

import argparse
import csv
import functools
import json
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# StarPU's name: ours, and flags beside.
SCHEDULERS = {
    "eager": ("eager", []),
    "prio": ("prio", []),
    "lws": ("lws", []),
    "random": ("random", []),
    "dmda": ("dmda", []),
    "dmdar": ("dmdar", []),
    "dmdas": ("dmdas", []),
    "darts": ("darts", []),
    "darts+lru": ("darts", ["--eviction", "lru"]),
    "HFP": ("mhfp", []),
}


# Set of runs: what it is called in the table of medians.
TITLES = {
    "chol_hetero": "Cholesky, 9 cores + 3 GPUs, tiles of 960",
    "chol_hetero_nb": "the same, tiles of 320 and 640",
    "chol_gpu_mem": "Cholesky, 1 to 3 GPUs of 250 to 2000 MiB",
    "chol_gpu_mem_bw": "the same at 600 MB/s",
    "gemm2d_mem_bw": "gemm by strips, 250 to 2000 MiB, 600 MB/s",
    "gemm2d_mem": "the same at full rate",
    "gemm2d_randorder": "the same in random order",
    "gemm2d_randdata": "random strips",
    "gemm2d_sparse10": "a tenth of the tasks",
    "gemm3d": "gemm by tiles, 250 MiB",
    "lu_hetero": "LU, 9 cores + 3 GPUs, float and double",
    "lu_gpu_mem": "LU, 1 and 3 GPUs of 500 MiB",
    "micro_cpu_noruntime": "Cholesky on 1, 4, 12 cores",
    "micro_noruntime": "Cholesky on one GPU",
    "micro_none": "the same, transfers taking no time",
}


def summary(ratios):
    """The table of medians: a row for each set, a column for each scheduler."""
    columns = ["eager", "prio", "lws", "dmda", "dmdar", "dmdas", "darts", "darts+lru"]
    yield "| runs | " + " | ".join(columns) + " |"
    yield "|---" * (1 + len(columns)) + "|"
    for name, title in TITLES.items():
        cells = []
        for column in columns:
            values = ratios.get((name, column))
            cell = f"{statistics.median(values):.3f} ({min(values):.3f} .. {max(values):.3f})" if values else ""
            cells.append(cell)
        yield f"| {title} | " + " | ".join(cells) + " |"


def program(row):
    """Our name of the program, the platform and the precision."""
    app, args = row["app"], row["args"]
    if app == "chol":
        return "cholesky", "mirage", "s"
    if app in ("slu", "dlu"):
        return "lu", "mirage-lu", "s" if app == "slu" else "d"
    if "-3d" in args:
        return "gemm-3d", "mirage", "s"
    for flag, name in [
        ("-random-task-order", "gemm-2d-shuffled"),
        ("-random-data-access", "gemm-2d-random"),
        ("-sparse-matrix", "gemm-2d-sparse"),
    ]:
        if flag in args:
            return name, "mirage", "s"
    return "gemm-2d", "mirage", "s"


@functools.cache
def free_transfers(platform):
    """A copy of the platform on which transfers take no time."""
    text = (ROOT / "plan" / "platforms" / f"{platform}.toml").read_text()
    text = re.sub(r"(bytes_per_second\s*=\s*)[0-9.e+]+", r"\g<1>1e18", text)
    text = re.sub(r"(latency_seconds\s*=\s*)[0-9.e+-]+", r"\g<1>0.0", text)
    path = ROOT / "target" / "bench" / f"{platform}-free.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def command(tegula, row, policy, extra):
    name, platform, precision = program(row)
    if row["set"].endswith("_none"):
        platform = free_transfers(platform)
    flags = [str(tegula), "simulate", name, "--platform", platform, "--precision", precision]
    flags += ["--tiles", row["ntiles"], "--tile-size", row["nb"], "--policy", policy]
    if row["ncpu"]:
        flags += ["--cores", row["ncpu"], "--devices", row["ncuda"]]
    if row["limit_mem_MB"]:
        flags += ["--device-memory", row["limit_mem_MB"] + "MiB"]
    if row["limit_bw_MBps"]:
        flags += ["--link-rate", row["limit_bw_MBps"] + "MB"]
    # StarPU's default, or what its documentation of DARTS says to set.
    flags += ["--pipeline", "5" if row["limit_mem_MB"] else "2"]
    return flags + extra + ["--json", "-"]


def simulate(tegula, row, policy, extra=()):
    """One run; of a program that is drawn at random, the median of five draws."""
    drawn = program(row)[0] in ("gemm-2d-shuffled", "gemm-2d-random", "gemm-2d-sparse")
    runs = []
    for seed in range(5 if drawn else 1):
        words = command(tegula, row, policy, [*extra, "--seed", str(seed)])
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else "no message"}
        run = json.loads(done.stdout)
        # A draw of sparse tasks has some more or fewer of them: as if there were as many.
        if int(row["ntasks"] or 0) and program(row)[0] == "gemm-2d-sparse":
            run["makespan_seconds"] *= int(row["ntasks"]) / run["simulated_tasks"]
        runs.append(run)
    runs.sort(key=lambda run: run["makespan_seconds"])
    return runs[len(runs) // 2]


def gib_to_devices(result):
    ways = result["transfers"]["ways"]
    return sum(w["bytes"] for w in ways if w["from"] == "RAM") / 2**30


def number(text):
    return float(text) if text else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tegula", default=ROOT / "target/release/tegula", help="program that simulates")
    parser.add_argument("--set", action="append", help="only these sets of runs")
    parser.add_argument("--best", action="append", help="more policies of ours for the best")
    parser.add_argument("--markdown", help="write the table of runs here")
    parser.add_argument("--summary", help="write the table of medians here")
    options = parser.parse_args()
    rows = list(csv.DictReader(open(HERE / "data" / "starpu_simgrid.csv")))
    if options.set:
        rows = [row for row in rows if row["set"] in options.set]
    points = {}
    for row in rows:
        key = tuple(row[k] for k in "set app args ncpu ncuda limit_mem_MB limit_bw_MBps".split())
        points.setdefault(key, []).append(row)
    jobs = []
    for key, runs in points.items():
        for row in runs:
            if row["sched"] in SCHEDULERS:
                jobs.append((key, row["sched"], row, *SCHEDULERS[row["sched"]]))
        for policy in options.best or []:
            jobs.append((key, "*" + policy, runs[0], policy, []))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: simulate(options.tegula, *job[2:]), jobs))
    table = {}
    for (key, sched, row, *_), result in zip(jobs, results):
        table.setdefault(key, {})[sched] = (row, result)
    lines, ratios, behind = [], {}, []
    lines.append("| set | program | tiles | cores+GPUs | MiB | MB/s | scheduler | StarPU ms | ours ms | ratio | StarPU GiB | ours GiB |")
    lines.append("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for key, cells in table.items():
        reference = [number(r["makespan_ms"]) for r in points[key] if r["status"].startswith("ok") and r["makespan_ms"]]
        ours = []
        for sched, (row, result) in cells.items():
            if "error" in result:
                lines.append(f"| {row['set']} | {row['args']} | {sched} | {result['error']} |")
                continue
            time = 1e3 * result["makespan_seconds"]
            ours.append((time, sched))
            there = number(row["makespan_ms"]) if not sched.startswith("*") else None
            ratio = time / there if there else None
            if ratio and row["status"] == "ok":
                ratios.setdefault((row["set"], sched), []).append(ratio)
            gib = number(row["h2d_MiB"])
            lines.append(
                f"| {row['set']} | {result['program']} | {row['ntiles']} x {row['nb']} | "
                f"{row['ncpu'] or 9}+{row['ncuda'] or 3} | {row['limit_mem_MB']} | {row['limit_bw_MBps']} | {sched} | "
                f"{'' if there is None else f'{there:.1f}'} | {time:.1f} | {'' if ratio is None else f'{ratio:.3f}'} | "
                f"{'' if there is None or gib is None else f'{gib / 1024:.2f}'} | {gib_to_devices(result):.2f} |"
            )
        if reference and ours and min(ours)[0] > 1.0001 * min(reference):
            behind.append((key, min(reference), min(ours)))
    print("set, scheduler: runs, median ratio of makespans (ours / StarPU's), least, most")
    for (name, sched), values in sorted(ratios.items()):
        print(f"  {name:18} {sched:10} {len(values):3}  {statistics.median(values):.3f}  {min(values):.3f}  {max(values):.3f}")
    print(f"points where StarPU's best is ahead of ours: {len(behind)} of {len(table)}")
    for key, there, (time, sched) in behind:
        print(f"  {key}: {there:.1f} ms, ours {time:.1f} ms ({sched})")
    if options.summary:
        pathlib.Path(options.summary).write_text("\n".join(summary(ratios)) + "\n")
    if options.markdown:
        pathlib.Path(options.markdown).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
