#!/usr/bin/env python3
"""Policies under small memories, simulated: curves of rate and of what is moved against the working set.

    scripts/bench/memory_constrained.py [--tegula PROGRAM] [--redraw] [--write] [CASE ...]

Runs the programs of chapters 3 to 5 of M. Gonthier's thesis ("Scheduling under memory constraint in
task-based runtime systems", ENS de Lyon, 2023) on the described machines gemini-v100-1, -2 and -4, two
simulations at a time. Writes target/bench/memory_constrained.csv, one figure per program in
scripts/bench/figures, and prints the thesis's claims beside what came out; --write puts that into
scripts/bench/results/memory.md, and --redraw takes the runs from the table that is there.
"""

import argparse
import csv
import functools
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from common import BENCH

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TABLE = ROOT / "target/bench/memory_constrained.csv"
FIGURES = HERE / "figures"
MIB = 2**20
LIMIT = 60  # seconds for one simulation

# Key: label, flags, colour, marker.
POLICIES = {
    "eager": ("EAGER", ["--policy", "eager"], "#8c8c8c", "x"),
    "dmdar": ("DMDAR", ["--policy", "dmdar"], "#e69f00", "frame"),
    "dmdas": ("DMDAS", ["--policy", "dmdas"], "#b35806", "plus"),
    "lws": ("LWS", ["--policy", "lws"], "#cc79a7", "down"),
    "hfp": ("HFP", ["--policy", "hfp"], "#56b4e9", "diamond"),
    "darts": ("DARTS+LUF", ["--policy", "darts"], "#0072b2", "circle"),
    "darts+lru": ("DARTS+LRU", ["--policy", "darts", "--eviction", "lru"], "#009e73", "up"),
    "tessera": ("tessera", ["--policy", "tessera"], "#d00000", "star"),
    "hfp+lru": ("HFP without Belady", ["--policy", "hfp", "--eviction", "lru"], "#7a5195", "ring"),
    "darts-threshold": ("DARTS, threshold", ["--policy", "darts-threshold"], "#00868b", "hollow up"),
    "darts-3inputs": ("DARTS, 3 inputs", ["--policy", "darts-3inputs"], "#8b5a2b", "hollow diamond"),
    "darts-opti": ("DARTS, OPTI", ["--policy", "darts-opti"], "#5c6b00", "hollow"),
    "mst": ("MST", ["--policy", "mst"], "#a0522d", "plus"),
    "rcm": ("RCM", ["--policy", "rcm"], "#4b0082", "x"),
    "partition": ("Hypergraph and Ready", ["--policy", "partition"], "#2e8b57", "hollow diamond"),
    "mhfp2": ("mHFP twice", ["--policy", "mhfp2"], "#1f78b4", "up"),
    "mhfp-interlaced": ("mHFP, interlaced", ["--policy", "mhfp-interlaced"], "#6a3d9a", "down"),
    "dmdal": ("DMDAL", ["--policy", "dmdal"], "#ff7f00", "hollow"),
    "prio": ("AP (prio)", ["--policy", "prio"], "#556b2f", "ring"),
    # Its order stands in a file, by product_order.
    "parsec": ("Blocks of C (PaRSEC)", ["--eviction", "lru", "--order"], "#008080", "hollow"),
}
MAIN = ["eager", "dmdar", "dmdas", "lws", "hfp", "darts", "darts+lru", "tessera"]


def steps(first, last, step):
    return list(range(first, last + 1, step))


class Case:
    """A program with its sizes; a row is (GPUs, MiB of each, tiles along an edge, more policies)."""

    def __init__(self, program, title, tile, rows):
        self.program, self.title, self.tile, self.rows = program, title, tile, rows


CASES = {
    "2d": Case("gemm-2d", "2D product, row by row", 960, [
        (1, 500, steps(5, 90, 5), ["hfp+lru", "mst", "rcm"]),
        (2, 500, steps(10, 160, 10), ["partition", "mhfp2", "mhfp-interlaced"]),
        (4, 500, steps(20, 300, 20), ["darts-threshold", "partition"])]),
    "2d-shuffled": Case("gemm-2d-shuffled", "2D product, submitted in random order", 960, [
        (1, 500, steps(5, 80, 5), ["mst", "rcm"]),
        (2, 500, steps(10, 160, 10), ["partition"]),
        (4, 500, steps(20, 240, 20), [])]),
    "2d-random": Case("gemm-2d-random", "2D product, random pairs", 960, [
        (1, 500, steps(5, 80, 5), ["mst", "rcm"]),
        (2, 500, steps(10, 160, 10), []),
        (4, 500, steps(20, 240, 20), [])]),
    "2d-sparse": Case("gemm-2d-sparse", "2D product, a tenth of the tasks", 960, [
        (1, 500, steps(5, 90, 5), ["mst", "rcm"]),
        (2, 500, steps(10, 160, 10), []),
        (4, 500, steps(20, 300, 20), ["darts-opti", "partition"]),
        (4, None, steps(20, 300, 20), ["darts-opti"])]),
    "3d": Case("gemm-3d", "3D product, independent tasks", 960, [
        (1, 500, steps(2, 20, 2), ["hfp+lru", "mst", "rcm"]),
        (2, 500, steps(4, 28, 4), []),
        (4, 500, steps(4, 48, 4), ["darts-3inputs"])]),
    "cholesky-set": Case("cholesky-set", "Tasks of Cholesky without dependencies", 960, [
        (1, 500, steps(5, 50, 5), ["mst", "rcm"]),
        (2, 500, steps(10, 60, 10), []),
        (4, 500, steps(10, 70, 10), ["darts-opti", "darts-3inputs", "partition"])]),
    "cholesky": Case("cholesky", "Cholesky", 1920, [
        (1, 2000, steps(5, 60, 5), ["prio", "dmdal"]),
        (4, 2000, steps(5, 60, 5), ["dmdal"]),
        (4, None, steps(5, 60, 5), ["dmdal"]),
        (8, 2000, steps(5, 80, 5), ["dmdal"]),
        (8, None, steps(5, 80, 5), ["dmdal"])]),
    "lu": Case("lu", "LU without pivoting", 1920, [
        (1, 2000, steps(5, 50, 5), []),
        (4, 2000, steps(5, 50, 5), []),
        (1, None, steps(5, 50, 5), [])]),
    "gemm": Case("gemm", "3D product, sums in chains of tasks", 1920, [
        (2, 2000, steps(4, 40, 4), ["parsec"]),
        (4, 2000, steps(4, 40, 4), ["parsec"]),
        (8, 2000, steps(4, 40, 4), ["parsec"])]),
    "gemm-960": Case("gemm", "3D product, sums in chains of tasks", 960, [
        (1, 500, steps(2, 20, 2), []),
        (4, 500, steps(4, 40, 4), [])]),
}
# As in chapter 5, which leaves HFP out: it packs what is ready, which is little where tasks wait for each other.
NO_HFP = ("cholesky", "lu", "gemm")


# ---------------------------------------------------------------- the machines


def platform(gpus):
    return tomllib.loads((ROOT / f"plan/platforms/gemini-v100-{gpus}.toml").read_text())


def capacity(gpus):
    """MiB of one GPU that the description gives."""
    return min(memory["capacity"] for memory in platform(gpus)["memory"] if memory["kind"] == "device") / MIB


def bus_rate(gpus):
    """Bytes per second that all GPUs together take from RAM, in fair shares of the links."""
    described = platform(gpus)
    left = {link["name"]: link["bytes_per_second"] for link in described["link"]}
    routes = [route["links"] for route in described["route"] if route["from"] == "RAM"]
    total, open_ = 0.0, list(routes)
    while open_:
        users = {name: sum(name in route for route in open_) for name in left}
        share, full = min((left[name] / count, name) for name, count in users.items() if count)
        for route in open_:
            total += share
            for name in route:
                left[name] -= share
        open_ = [route for route in open_ if full not in route]
    return total


def peak(gpus, tile):
    """GFLOP/s of the product on tiles of that order, on all GPUs."""
    rates = [k["flops"] / k["seconds"] / 1e9 for k in platform(gpus)["kernel"] if k["codelet"] == "gemm" and k["flops"] == 2 * tile**3]
    return gpus * max(rates)


def uniform(state=0):
    """The program's stream of random numbers: SplitMix64."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield (((z ^ z >> 31) >> 11) + 0.5) * 2.0**-53


@functools.cache
def used_strips(program, n):
    """Rows and columns that some task of a random program reads."""
    random = uniform()
    if program == "gemm-2d-random":
        pairs = [(int(next(random) * n), int(next(random) * n)) for _ in range(n * n)]
    else:
        pairs = [divmod(task, n) for task in range(n * n) if int(next(random) * 10) == 0]
    return len({i for i, _ in pairs}) + len({j for _, j in pairs})


def lower_bound(case, gpus, memory, n):
    """Least MiB to bring into all memories together, were they one; each datum at least once."""
    s = case.tile**2 * 4 / MIB
    m = gpus * memory
    order = n * case.tile
    scalars = m * MIB / 4
    if case.program in ("gemm-2d", "gemm-2d-shuffled"):
        matrix = 4 * n * s
        return max(2 * matrix, math.floor(matrix**2 / m**2) * m + min(m, 2 * matrix))
    if case.program in ("gemm-2d-random", "gemm-2d-sparse"):
        return used_strips(case.program, n) * 4 * s
    if case.program == "gemm-3d":
        # The thesis's bound counts on sums that stay in memory; here each task has a result of its own.
        return 2 * n * n * s
    if case.program == "gemm":
        return max(2 * m * math.floor(n**3 * s / (m * math.sqrt(m / s))), 3 * n * n * s)
    triangle = n * (n + 1) / 2 * s
    if case.program == "cholesky-set":
        return triangle
    if case.program == "cholesky":
        return max(triangle, order**3 / (3 * math.sqrt(2 * scalars)) * 4 / MIB)
    return max(n * n * s, 2 * order**3 / (3 * math.sqrt(scalars)) * 4 / MIB)


def thresholds(case, gpus, memory):
    """Working sets at which all memories together hold one input, both inputs, everything."""
    m = gpus * memory
    if case.program.startswith("gemm-2d") or case.program == "gemm-3d":
        return [("#d62728", 2 * m), ("#ff8c00", m)]
    if case.program == "gemm":
        return [("#d62728", 3 * m), ("#ff8c00", 1.5 * m), ("#2ca02c", m)]
    return [("#2ca02c", m)]


# ---------------------------------------------------------------- the runs


def parts(n, count):
    """`n` things in `count` parts of about the same size, as ranges."""
    return [range(n * part // count, n * (part + 1) // count) for part in range(count)]


def product_task(n, i, j, k):
    """The number of a task of `gemm`, which submits eight steps of all tiles of C after the other."""
    start = k - k % 8
    return start * n * n + (j * n + i) * min(8, n - start) + k - start


def product_order(n, gpus, tiles):
    """An order of the tasks of `gemm` as PaRSEC's tuned product has it, for memories of so many tiles, by GPU.

    Herault, Robert, Bosilca, Dongarra ("Generic matrix multiplication for multi-GPU accelerated distributed-memory
    platforms over PaRSEC", ScalA 2019): each GPU owns a part of C, which it computes block by block; a block stays, and
    so many steps of A and B are in flight as fit beside it, here two.
    """
    edge = max(b for b in range(1, n + 1) if b == 1 or b * b + 4 * b <= tiles)
    rows = 2 ** (int(math.log2(gpus)) // 2)
    order = []
    for part in (parts(n, rows)[g // (gpus // rows)] for g in range(gpus)):
        columns = parts(n, gpus // rows)[len(order) % (gpus // rows)]
        blocks = [([part[i] for i in high], [columns[j] for j in wide])
                  for high in parts(len(part), math.ceil(len(part) / edge)) for wide in parts(len(columns), math.ceil(len(columns) / edge))]
        order.append([product_task(n, i, j, k) for high, wide in blocks for k in range(n) for i in high for j in wide])
    return order


def order_file(case, gpus, memory, n):
    """The table that --order reads."""
    path = ROOT / f"target/bench/orders/{case.program}-{case.tile}-{gpus}-{memory}-{n}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    order = product_order(n, gpus, int(memory * MIB / (case.tile**2 * 4)))
    rows = [(task, worker, place) for worker, tasks in enumerate(order) for place, task in enumerate(tasks)]
    path.write_text("task,worker,start_seconds\n" + "".join(f"{task},{worker},{place}\n" for task, worker, place in rows))
    return path


def simulate(tegula, job):
    """One simulation as a row of the table."""
    name, gpus, memory, n, policy = job
    case = CASES[name]
    flags = list(POLICIES[policy][1])
    if gpus > 1 and flags[1] == "hfp":
        flags[1] = "mhfp"
    if policy == "parsec":
        flags.append(order_file(case, gpus, memory, n))
    words = [tegula, "simulate", case.program, "--platform", f"gemini-v100-{gpus}", "--tiles", n, "--tile-size", case.tile]
    words += ["--precision", "s", *flags, "--json", "-", "--quiet"]
    if memory:
        words += ["--device-memory", f"{memory}MiB"]
    words = [str(word) for word in words]
    row = {"case": name, "gpus": gpus, "memory": memory or "", "tiles": n, "policy": policy}
    start = time.monotonic()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
        result = json.loads(done.stdout) if done.returncode == 0 else None
        message = done.stderr.strip()
    except subprocess.TimeoutExpired:
        result, message = None, f"not done after {LIMIT} s"
    seconds = time.monotonic() - start
    if result is None:
        print(f"FAILED: {' '.join(words)}\n  {message}", file=sys.stderr, flush=True)
        return row | {"error": message, "wall_seconds": f"{seconds:.2f}"}
    ways = result["transfers"]["ways"]
    mib = lambda test: sum(way["bytes"] for way in ways if test(way)) / MIB
    loads = sum(way["transfers"] for way in ways if way["from"] == "RAM")
    # The time below which no schedule gets on these processors, links aside.
    least = max(result["abe_seconds"], result["cpb_seconds"])
    return row | {
        "tasks": result["simulated_tasks"],
        "working_set": f"{result['working_set_bytes'] / MIB:.2f}",
        "gflops": f"{result['gflops']:.1f}",
        "bound_gflops": f"{result['gflops'] * result['makespan_seconds'] / least:.1f}",
        "least_seconds": f"{least:.6g}",
        "from_ram": f"{mib(lambda way: way['from'] == 'RAM'):.1f}",
        "between_gpus": f"{mib(lambda way: 'RAM' not in (way['from'], way['to'])):.1f}",
        "to_ram": f"{mib(lambda way: way['to'] == 'RAM'):.1f}",
        "loads": loads,
        "waiting_share": f"{statistics.mean(task['waiting_share'] for task in result['tasks']):.4f}",
        "wall_seconds": f"{seconds:.2f}",
        "error": "",
    }


FIELDS = ["case", "gpus", "memory", "tiles", "policy", "tasks", "working_set", "gflops", "bound_gflops", "least_seconds"]
FIELDS += ["from_ram", "between_gpus", "to_ram", "loads", "waiting_share", "wall_seconds", "error"]


def jobs(name):
    """Every run of a case, the large ones first."""
    out = []
    for gpus, memory, sizes, more in CASES[name].rows:
        main = [policy for policy in MAIN if policy != "hfp" or name not in NO_HFP]
        out += [(name, gpus, memory, n, policy) for n in reversed(sizes) for policy in [*main, *more]]
    return out


# Two GPUs of 250 MiB and 20 rows and columns: the picture of section 4.4.3.
PICTURE = [("2d", 2, 250, 20, policy) for policy in ("hfp", "darts", "dmdar", "tessera")]


def run_all(tegula, names):
    """Runs the cases; keeps what the table holds of the others."""
    old = read_table() if TABLE.exists() else []
    rows = [row for row in old if row["case"] not in names]
    start = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        for name in names:
            todo = jobs(name) + (PICTURE if name == "2d" else [])
            rows += pool.map(lambda job: simulate(tegula, job), todo)
            print(f"{name}: {len(todo)} simulations, {time.monotonic() - start:.0f} s since the start", file=sys.stderr, flush=True)
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)


def read_table():
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


class Runs:
    """What was simulated, by case, GPUs, memory and policy."""

    def __init__(self):
        self.series, self.failed, self.seconds, self.slowest = {}, [], 0.0, 0.0
        for row in read_table():
            wall = float(row["wall_seconds"])
            self.seconds, self.slowest = self.seconds + wall, max(self.slowest, wall)
            if row["error"]:
                self.failed.append(row)
                continue
            memory = int(row["memory"]) if row["memory"] else None
            key = (row["case"], int(row["gpus"]), memory, row["policy"])
            numbers = {name: float(row[name]) for name in FIELDS[5:-1]}
            self.series.setdefault(key, {})[int(row["tiles"])] = numbers

    def get(self, case, gpus, memory, policy, what="gflops"):
        """One quantity by size, sizes ascending."""
        series = self.series.get((case, gpus, memory, policy), {})
        return {n: series[n][what] for n in sorted(series)}

    def gain(self, case, gpus, memory, policy, other, sizes=None):
        """Mean over sizes of the gain in rate, in percent."""
        a, b = self.get(case, gpus, memory, policy), self.get(case, gpus, memory, other)
        common = [n for n in a if n in b and (sizes is None or n in sizes)]
        return 100 * statistics.mean(a[n] / b[n] - 1 for n in common)

    def ratio_to_bound(self, case, gpus, memory, policy, only=lambda n, ws: True):
        """What was brought from RAM as a multiple of the lower bound, by size."""
        loads, sets = (self.get(case, gpus, memory, policy, what) for what in ("from_ram", "working_set"))
        bytes_ = memory or capacity(gpus)
        return {n: loads[n] / lower_bound(CASES[case], gpus, bytes_, n) for n in loads if only(n, sets[n])}

    def bus_line(self, case, gpus, memory, policy="darts"):
        """MiB that the links bring within the least time, by size."""
        least = self.get(case, gpus, memory, policy, "least_seconds")
        return {n: bus_rate(gpus) * seconds / MIB for n, seconds in least.items()}


# ---------------------------------------------------------------- the figures


def nice(low, high, count=5):
    """Round places for ticks."""
    raw = (high - low) / count
    power = 10 ** math.floor(math.log10(raw))
    step = next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= raw)
    return [low + i * step for i in range(int((high - low) / step + 1.001))]


def text_number(value):
    return f"{value:,.0f}".replace(",", "\u2009")


def marker(kind, x, y, colour):
    """A small sign at a point."""
    r = 2.8
    line = f'stroke="{colour}" stroke-width="1.3" fill="none"'
    full = f'fill="{colour}"'
    move = f"M{x:.1f} {y:.1f}"
    match kind:
        case "x":
            return f'<path d="{move}m-{r}-{r}l{2 * r} {2 * r}m0-{2 * r}l-{2 * r} {2 * r}" {line}/>'
        case "plus":
            return f'<path d="{move}m-{r} 0h{2 * r}m-{r}-{r}v{2 * r}" {line}/>'
        case "hollow":
            return f'<path d="{move}m-{r}-{r}h{2 * r}v{2 * r}h-{2 * r}z" {line}/>'
        case "frame":
            # Wide enough to be seen around another sign at the same point.
            return f'<path d="{move}m-4.2-4.2h8.4v8.4h-8.4z" {line}/>'
        case "hollow diamond":
            return f'<path d="{move}m0-3.6l3.6 3.6l-3.6 3.6l-3.6-3.6z" {line}/>'
        case "hollow up":
            return f'<path d="{move}m0-3.4l3.3 5.8h-6.6z" {line}/>'
        case "diamond":
            return f'<path d="{move}m0-3.6l3.6 3.6l-3.6 3.6l-3.6-3.6z" {full}/>'
        case "up":
            return f'<path d="{move}m0-3.4l3.3 5.8h-6.6z" {full}/>'
        case "down":
            return f'<path d="{move}m0 3.4l3.3-5.8h-6.6z" {full}/>'
        case "star":
            points = []
            for i in range(10):
                radius = 4.4 if i % 2 == 0 else 1.8
                angle = math.pi * (i / 5 - 0.5)
                points.append(f"{x + radius * math.cos(angle):.1f},{y + radius * math.sin(angle):.1f}")
            return f'<path d="M{"L".join(points)}z" {full}/>'
        case "ring":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" {line}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" {full}/>'


class Panel:
    """Axes in a figure."""

    def __init__(self, box, xs, ys, is_log):
        self.box, self.xs, self.ys, self.is_log = box, xs, ys, is_log

    def x(self, value):
        left, _, width, _ = self.box
        return left + width * (value - self.xs[0]) / (self.xs[1] - self.xs[0])

    def y(self, value):
        _, top, _, height = self.box
        low, high = self.ys
        if self.is_log:
            value, low, high = (math.log10(max(v, 1e-9)) for v in (value, low, high))
        return top + height * (1 - (value - low) / (high - low))

    def frame(self, title, label):
        left, top, width, height = self.box
        bottom = top + height
        out = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#444"/>']
        out.append(f'<text x="{left}" y="{top - 8}" font-weight="bold">{title}</text>')
        for tick in nice(0, self.xs[1], 6):
            x = self.x(tick)
            out.append(f'<path d="M{x:.1f} {bottom}v4" stroke="#444"/><text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{text_number(tick)}</text>')
        out.append(f'<text x="{left + width / 2}" y="{bottom + 32}" text-anchor="middle">working set, MiB</text>')
        if self.is_log:
            first, last = math.ceil(math.log10(self.ys[0]) - 1e-9), math.floor(math.log10(self.ys[1]) + 1e-9)
            ticks = [10**power for power in range(first, last + 1)]
            if len(ticks) < 3:
                ticks = sorted(f * 10**p for p in range(first - 1, last + 1) for f in (1, 2, 5) if self.ys[0] <= f * 10**p <= self.ys[1])
        else:
            ticks = nice(0, self.ys[1])
        for tick in ticks:
            y = self.y(tick)
            out.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#e4e4e4"/><text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{text_number(tick)}</text>')
        out.append(f'<text transform="translate({left - 68} {top + height / 2}) rotate(-90)" text-anchor="middle">{label}</text>')
        return out

    def curve(self, points, style):
        if len(points) < 2:
            return ""
        d = "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)
        return f'<path d="M{d}" fill="none" {style}/>'


PEAK = 'stroke="#000" stroke-width="1.2" stroke-dasharray="2 3"'
REACH = 'stroke="#000" stroke-width="1" stroke-dasharray="7 3 2 3"'
BOUND = 'stroke="#000" stroke-width="1.6"'
BUS = 'stroke="#777" stroke-width="1.6" stroke-dasharray="2 3"'


def legend(policies, case, width):
    """Lines of the legend and its height."""
    entries = []
    for policy in policies:
        label, _, colour, kind = POLICIES[policy]
        if policy == "hfp":
            label = "HFP (mHFP on several GPUs)"
        entries.append((label, f'<path d="M0 0h26" stroke="{colour}" stroke-width="1.4"/>' + marker(kind, 13, 0, colour)))
    bound = "least transfers (each datum once)" if case.program in ("gemm-3d", "gemm-2d-random", "gemm-2d-sparse", "cholesky-set") else "least transfers (bound)"
    reach = "least time: work and longest path" if case.program in ("cholesky", "lu", "cholesky-set", "gemm") else None
    lines = [("peak of the product kernel", PEAK), (reach, REACH), (bound, BOUND), ("what the bus brings in the least time", BUS)]
    entries += [(label, f'<path d="M0 0h26" {style}/>') for label, style in lines if label]
    names = {"#d62728": "memories hold one input", "#ff8c00": "both inputs", "#2ca02c": "everything"}
    for colour in [colour for colour, _ in thresholds(case, 1, 1)]:
        entries.append((names[colour], f'<path d="M13-7v14" stroke="{colour}" stroke-width="1.6" stroke-dasharray="5 3"/>'))
    out, x, y = [], 20, 52
    for label, sign in entries:
        wide = 34 + 6.6 * len(label) + 18
        if x + wide > width:
            x, y = 20, y + 20
        out.append(f'<g transform="translate({x:.0f} {y})">{sign}<text x="32" y="4">{label}</text></g>')
        x += wide
    return out, y + 14


def figure(runs, name):
    """Draws a case: a row of panels for each machine."""
    case, width = CASES[name], 1000
    used = [*MAIN, *dict.fromkeys(policy for row in case.rows for policy in row[3])]
    used = [policy for policy in used if any(runs.get(name, gpus, memory, policy) for gpus, memory, *_ in case.rows)]
    lines, top = legend(used, case, width)
    height = top + 300 * len(case.rows) + 6
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="DejaVu Sans, Arial, sans-serif" font-size="11.5">']
    out.append(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    out.append(f'<text x="20" y="26" font-size="17" font-weight="bold">{case.title}, tiles of {case.tile}, single precision: simulated</text>')
    out += lines
    for index, (gpus, memory, sizes, _) in enumerate(case.rows):
        bytes_ = memory or capacity(gpus)
        sets = runs.get(name, gpus, memory, "darts", "working_set")
        if not sets:
            continue
        far = max(sets.values()) * 1.02
        plural = "s" if gpus > 1 else ""
        each = " each" if gpus > 1 else ""
        title = f"{gpus} GPU{plural}, {f'{memory} MiB{each}' if memory else 'no limit (' + text_number(bytes_) + f' MiB{each})'}"
        above = top + 300 * index + 28
        bus = runs.bus_line(name, gpus, memory)
        bound = {n: lower_bound(case, gpus, bytes_, n) for n in sets}
        moved = [value for policy in used for value in runs.get(name, gpus, memory, policy, "from_ram").values()]
        everything = [value for value in [*moved, *bound.values(), *bus.values()] if value > 0]
        best = peak(gpus, case.tile)
        left = Panel((84, above, 390, 210), (0, far), (0, best * 1.06), False)
        right = Panel((598, above, 382, 210), (0, far), (min(everything) * 0.8, max(everything) * 1.25), True)
        for panel, what, label in ((left, "gflops", "GFLOP/s"), (right, "from_ram", "MiB moved from RAM to GPUs")):
            out += panel.frame(title, label)
            for colour, place in thresholds(case, gpus, bytes_):
                if place <= far:
                    _, y, _, h = panel.box
                    out.append(f'<path d="M{panel.x(place):.1f} {y}v{h}" stroke="{colour}" stroke-width="1.6" stroke-dasharray="5 3"/>')
            if panel is left:
                out.append(panel.curve([(0, best), (far, best)], PEAK))
                if case.program in ("cholesky", "lu", "cholesky-set", "gemm"):
                    reach = runs.get(name, gpus, memory, "darts", "bound_gflops")
                    out.append(panel.curve([(sets[n], reach[n]) for n in sets], REACH))
            else:
                out.append(panel.curve([(sets[n], bound[n]) for n in sets], BOUND))
                out.append(panel.curve([(sets[n], bus[n]) for n in sets], BUS))
            for policy in used:
                _, _, colour, kind = POLICIES[policy]
                values = runs.get(name, gpus, memory, policy, what)
                own = runs.get(name, gpus, memory, policy, "working_set")
                points = [(own[n], max(value, panel.ys[0])) for n, value in values.items()]
                out.append(panel.curve(points, f'stroke="{colour}" stroke-width="1.4"'))
                out += [marker(kind, panel.x(x), panel.y(y), colour) for x, y in points]
    FIGURES.mkdir(exist_ok=True)
    path = FIGURES / f"memory-{name}.svg"
    path.write_text("\n".join([*out, "</svg>", ""]))
    return path


# ---------------------------------------------------------------- the claims


def percent(value):
    return f"{value:+.1f} %"


class Claims:
    """The thesis's claims beside what was simulated; each gives (number, claim, thesis, ours, verdict, why)."""

    def __init__(self, runs):
        self.runs, self.rows, self.ahead = runs, [], []

    def add(self, number, claim, thesis, ours, verdict, why):
        self.rows.append([number, claim, thesis, ours, verdict, why])

    def over_dmdar(self, number, what, thesis, case, gpus, policy, why, memory=500, sizes=None):
        """A claim that a policy is ahead of DMDAR by so many percent on average."""
        ours = self.runs.gain(case, gpus, memory, policy, "dmdar", sizes)
        tessera = self.runs.gain(case, gpus, memory, "tessera", "dmdar", sizes)
        verdict = "holds" if ours > 0 else "does not hold"
        label = POLICIES[policy][0] if policy != "hfp" or gpus == 1 else "mHFP"
        self.ahead.append([number, f"{label} ahead of DMDAR, {what}", thesis, percent(ours), percent(tessera), verdict])
        self.add(number, f"{label} over DMDAR, {what}", thesis, f"{percent(ours)} (tessera {percent(tessera)})", verdict, why)

    def hfp_gain(self, number, what, kind, case, thesis, thesis_dmdar, why):
        """`thesis` has the gains over EAGER, MST and RCM, if it says them."""
        others = [other for other in ("eager", "mst", "rcm") if self.runs.get(case, 1, 500, other)]
        gains = [self.runs.gain(case, 1, 500, "hfp", other) for other in others]
        verdict = "holds" if min(gains) > 0 else "does not hold"
        names = ", ".join(POLICIES[other][0] for other in others)
        self.add(number, f"HFP over {names}, {what}, 1 GPU ({kind})", thesis, ", ".join(map(percent, gains)), verdict, "as the next row")
        self.over_dmdar(number, f"{what}, 1 GPU ({kind})", thesis_dmdar, case, 1, "hfp", why)

    def chapter3(self):
        runs = self.runs
        self.hfp_gain("C1", "2D", "real", "2d", "+106.3 %, +87.6 %, +72.9 %", "+15.1 %", WHY["rate"])
        self.hfp_gain("C2", "3D", "real", "3d", "+68.3 %, +64.0 %, +73.7 %", "+66.5 %", WHY["3d"])
        self.hfp_gain("C3", "3D", "simulated", "3d", "+61.8 %, +60.4 %, +68.9 %", "+46.0 %", WHY["3d"])
        self.hfp_gain("C2, C3", "3D in chains", "both", "gemm-960", "as above", "as above", WHY["3dchain"])
        self.hfp_gain("C4", "Cholesky's tasks", "real", "cholesky-set", "+66.8 %, +57.5 %, +56.3 %", "+65.8 %", WHY["set"])
        self.hfp_gain("C5", "2D in random order", "real", "2d-shuffled", "+143.5 %, +109.4 %, +50.1 %", "+1.2 %", WHY["shuffled"])
        self.hfp_gain("C6", "random pairs", "real", "2d-random", "+142.5 %, +66.4 %, +18.2 %", "+1.6 %", WHY["random"])
        self.hfp_gain("C7", "sparse 2D", "real", "2d-sparse", "+65.9 %, +55.6 %, +46.6 %", "+41.6 %", WHY["sparse"])
        for number, case, name in (("C8", "2d", "2D"), ("C9", "gemm-960", "3D in chains")):
            ratios = runs.ratio_to_bound(case, 1, 500, "hfp")
            worst = max(ratios, key=ratios.get)
            verdict = "holds" if ratios[worst] <= 2 else "nearly" if ratios[worst] < 2.5 else "does not hold"
            mean = statistics.mean(ratios.values())
            self.add(number, f"HFP moves at most twice the lower bound, {name}", "2x", f"at most {ratios[worst]:.2f}x (N = {worst}), mean {mean:.2f}x", verdict, WHY[number])
        loads = runs.get("3d", 1, 500, "eager", "from_ram")
        self.add("C10", "EAGER moves far more from the 5th to the 6th size, 3D", "1 100 to 7 600 MB", f"{loads[10]:.0f} to {loads[12]:.0f} MiB", "holds" if loads[12] > 4 * loads[10] else "does not hold", WHY["C10"])
        rate, sets = runs.get("2d", 1, 500, "eager"), runs.get("2d", 1, 500, "eager", "working_set")
        # Results and the row in use need room beside the matrix.
        before, after = [n for n in rate if sets[n] <= 900], [n for n in rate if sets[n] > 900]
        self.add("C11", "EAGER collapses at the red line, 2D", "plot only", f"{rate[before[-1]]:.0f} GFLOP/s at N = {before[-1]}, {rate[after[0]]:.0f} at N = {after[0]}", "holds" if rate[after[0]] < 0.75 * rate[before[-1]] else "does not hold", WHY["C11"])
        moved, others = runs.get("2d", 1, 500, "hfp+lru", "from_ram"), runs.get("2d", 1, 500, "dmdar", "from_ram")
        fast, slow = runs.get("2d", 1, 500, "hfp+lru"), runs.get("2d", 1, 500, "dmdar")
        more = [n for n in moved if moved[n] > others[n] * 1.001]
        faster = [n for n in more if fast[n] > slow[n]]
        self.add("C15", "HFP without Belady may move more than DMDAR and yet be faster, 2D", "plot only", f"it moves more at {len(more)} of {len(moved)} sizes, and is faster at {len(faster)} of these", "holds" if faster else "does not hold", WHY["C15"])
        a, b = runs.get("3d", 1, 500, "dmdar"), runs.get("3d", 1, 500, "eager")
        self.add("C16", "DMDAR falls below EAGER on the last three sizes, 3D (real)", "plot only", "DMDAR / EAGER " + ", ".join(f"{a[n] / b[n]:.2f}" for n in list(a)[-3:]), "does not hold", WHY["C16"])
        a, b, sets = (runs.get("cholesky-set", 1, 500, *rest) for rest in (("dmdar",), ("hfp",), ("hfp", "working_set")))
        near = [a[n] / b[n] for n in a if sets[n] < 1250]
        far = [a[n] / b[n] for n in a if sets[n] >= 1250]
        self.add("C17", "DMDAR is like HFP on Cholesky's tasks below 2.5 memories", "plot only", f"DMDAR / HFP {min(near):.2f} .. {max(near):.2f} below, {min(far):.2f} .. {max(far):.2f} above", "holds" if min(near) > 0.9 and statistics.mean(far) < statistics.mean(near) else "in part", WHY["C17"])
        for case, first, name in (("2d-shuffled", 8, "random order"), ("2d-random", 8, "random pairs")):
            a, b = runs.get(case, 1, 500, "hfp"), runs.get(case, 1, 500, "dmdar")
            order = list(a)
            below = sum(a[n] < b[n] for n in order[: first - 1])
            above = sum(a[n] > b[n] for n in order[first - 1 :])
            self.add("C18", f"HFP below DMDAR on the first seven sizes, above from the eighth, {name}", "plot only", f"below at {below} of 7, above at {above} of {len(order) - 7}", "holds" if below >= 5 and above >= len(order) - 9 else "in part", WHY["C18"])

    def chapter4(self):
        runs = self.runs
        self.add("C20", "mHFP twice beside mHFP, 2D, 2 GPUs (real)", "about -5 %", percent(twice := runs.gain("2d", 2, 500, "mhfp2", "hfp")), "holds" if twice < -1 else "does not hold", WHY["C20"])
        one, mixed, sets = (runs.get("2d", 2, 500, *rest) for rest in (("hfp",), ("mhfp-interlaced",), ("hfp", "working_set")))
        ratios = lambda fits: [mixed[n] / one[n] for n in one if n in mixed and (sets[n] <= 1000) == fits]
        near, far = statistics.mean(ratios(True)), statistics.mean(ratios(False))
        self.add("4.2.2", "mHFP interlaced is as good as mHFP or better while one memory holds the data, worse beyond, 2D, 2 GPUs (simulated)", "plot only", f"interlaced / mHFP {near:.2f} before, {far:.2f} after, on average", "holds" if near >= 0.995 and far < 1 else "in part" if far < near else "does not hold", WHY["interlaced"])
        self.over_dmdar("C21", "2D, 1 GPU (real)", "+8.5 %", "2d", 1, "darts", WHY["C21"])
        self.over_dmdar("C22", "2D, 2 GPUs (real)", "+9.4 %", "2d", 2, "darts", WHY["C21"])
        loads = {policy: runs.get("2d", 2, 250, policy, "loads").get(20, math.nan) for policy in ("hfp", "darts", "dmdar", "tessera")}
        ordered = loads["hfp"] <= loads["darts"] <= loads["dmdar"]
        self.add("C23", "Loads of strips, 2D, N = 20, 2 GPUs of 250 MB (real)", "mHFP 30, DARTS 55, DMDAR 69 (prefetches apart)", f"mHFP {loads['hfp']:.0f}, DARTS {loads['darts']:.0f}, DMDAR {loads['dmdar']:.0f}, tessera {loads['tessera']:.0f} (all loads)", "holds (order)" if ordered else "other order", WHY["C23"])
        gain = runs.gain("2d", 1, 500, "darts", "darts+lru")
        a, b = runs.get("2d", 1, 500, "darts+lru", "from_ram"), runs.get("2d", 1, 500, "darts", "from_ram")
        worst = max(a[n] / b[n] for n in a)
        self.add("4.4.2", "DARTS with LRU falls from the eighth size, with LUF it does not, 2D, 1 GPU (real)", "plot only", f"LUF over LRU {percent(gain)}; LRU moves at most {worst:.2f}x", "holds" if gain > 2 else "does not hold", WHY["LRU"])
        a, b, best = runs.get("2d", 2, 500, "darts"), runs.get("2d", 2, 500, "hfp"), peak(2, 960)
        self.add("C24", "DARTS+LUF and mHFP alike and near the peak, 2D, 2 GPUs (simulated)", "plot only", f"last half of the sizes: DARTS+LUF {100 * statistics.mean(list(a.values())[len(a) // 2:]) / best:.1f} % of the peak, mHFP {100 * statistics.mean(list(b.values())[len(b) // 2:]) / best:.1f} %", "holds" if abs(runs.gain("2d", 2, 500, "darts", "hfp")) < 5 else "in part", WHY["C24"])
        self.over_dmdar("C25", "2D in random order, 2 GPUs (real)", "+75 %", "2d-shuffled", 2, "darts", WHY["C25"])
        self.over_dmdar("C26", "3D, 4 GPUs (simulated)", "+61 %", "3d", 4, "darts-3inputs", WHY["C26"])
        self.add("C27", "DARTS of chapter 4 performs very badly, 3D, 4 GPUs (real)", "cost of deciding", "not in simulated time", "in part", WHY["C27"])
        opti, reach, sets = (runs.get("cholesky-set", 4, 500, "darts-opti", what) for what in ("gflops", "bound_gflops", "working_set"))
        near = [100 * opti[n] / reach[n] for n in opti if sets[n] <= 3000]
        self.add("C28", "DARTS+OPTI near the best up to 3 000 MB, Cholesky's tasks, 4 GPUs (real)", "+49 % over hMETIS+R", f"over hypergraph and Ready {percent(runs.gain('cholesky-set', 4, 500, 'darts-opti', 'partition'))}; {min(near):.0f} .. {max(near):.0f} % of the least time's rate up to 3 000 MiB; over DMDAR {percent(runs.gain('cholesky-set', 4, 500, 'darts-opti', 'dmdar'))} over all sizes", "holds" if min(near) > 80 else "in part", WHY["C28"])
        self.over_dmdar("C29", "sparse 2D, 4 GPUs (real)", "+40 %", "2d-sparse", 4, "darts", WHY["C29"])
        means = {policy: statistics.mean(values.values()) for policy in [*MAIN, "darts-opti"] if (values := runs.get("2d-sparse", 4, None, policy))}
        best = max(means, key=means.get)
        self.add("C30", "DARTS+OPTI best, sparse 2D, 4 GPUs, no limit (real)", "plot only", f"best mean: {POLICIES[best][0]} with {means[best]:.0f} GFLOP/s, DARTS+OPTI {means['darts-opti']:.0f}, DARTS+LUF {means['darts']:.0f}, DMDAR {means['dmdar']:.0f}", "holds" if means["darts-opti"] >= 0.99 * means[best] else "does not hold", WHY["C30"])
        a = runs.get("2d", 4, 500, "darts")
        share = [100 * a[n] / peak(4, 960) for n in list(a)[-3:]]
        self.add("C31", "DARTS+LUF declines from 4 000 MB, 2D, 4 GPUs (real)", "cost of searching", "last three sizes " + ", ".join(f"{value:.1f} %" for value in share) + " of the peak", "does not hold", WHY["C31"])
        self.over_dmdar("C31", "2D, 4 GPUs, last two sizes (real)", "ahead", "2d", 4, "darts-threshold", WHY["C31b"], sizes=list(a)[-2:])

    def chapter5(self):
        runs = self.runs
        past = lambda case, gpus, memory: [n for n, ws in runs.get(case, gpus, memory, "darts", "working_set").items() if ws > gpus * memory]
        used = ["eager", "lws", "dmdas", "darts", "tessera"]

        def below(case, gpus, memory, sizes, policies=used):
            line = runs.bus_line(case, gpus, memory)
            return {policy: sum(runs.get(case, gpus, memory, policy, "from_ram")[n] < line[n] for n in sizes) for policy in policies}

        def best(case, gpus, memory, sizes, policies=used):
            rates = {policy: runs.get(case, gpus, memory, policy) for policy in policies}
            wins = {policy: sum(rates[policy][n] >= 0.995 * max(r[n] for r in rates.values()) for n in sizes) for policy in policies}
            return ", ".join(f"{POLICIES[p][0]} {wins[p]}" for p in sorted(wins, key=wins.get, reverse=True) if wins[p]), wins

        sizes = past("cholesky", 1, 2000)
        counts = below("cholesky", 1, 2000, sizes, ["eager", "lws", "dmdas", "prio", "darts", "tessera"])
        alone = counts["darts"] == len(sizes) and all(counts[p] < len(sizes) for p in ("eager", "lws", "dmdas", "prio"))
        self.add("C33", "DARTS alone stays below the bus limit, Cholesky, 1 GPU of 2 000 MB (real)", "plot only", f"below at, of {len(sizes)} sizes past the memory: " + ", ".join(f"{POLICIES[p][0]} {c}" for p, c in counts.items()), "holds" if alone else "in part", WHY["C33"])
        all_sizes = list(runs.get("cholesky", 8, 2000, "darts"))
        after = past("cholesky", 8, 2000)
        before = [n for n in all_sizes if n not in after]
        thesis = ["eager", "lws", "dmdas", "darts"]
        first, wins_before = best("cholesky", 8, 2000, before, thesis)
        second, wins_after = best("cholesky", 8, 2000, after, thesis)
        counts = below("cholesky", 8, 2000, after)
        self.add("C34", "LWS best before the memory's limit, DARTS after; all above the bus limit; Cholesky, 8 GPUs (real)", "plot only", f"best of the thesis's four within 0.5 %, before ({len(before)} sizes): {first}; after ({len(after)}): {second}; below the bus limit: DARTS at {counts['darts']}", "holds" if wins_before["lws"] == max(wins_before.values()) and wins_after["darts"] == max(wins_after.values()) else "in part", WHY["C34"])
        a, b = runs.get("cholesky", 8, None, "darts"), runs.get("cholesky", 8, None, "lws")
        ratios = [a[n] / b[n] for n in a]
        self.add("C35", "DARTS like LWS, the best, but for the first sizes; Cholesky, 8 GPUs, no limit (real)", "plot only", "DARTS / LWS " + ", ".join(f"{ratio:.2f}" for ratio in ratios), "holds" if statistics.mean(ratios[len(ratios) // 2 :]) > 0.95 else "does not hold", WHY["C35"])
        sizes = past("lu", 4, 2000)
        mean = lambda policy, what: statistics.mean(runs.get("lu", 4, 2000, policy, what)[n] / runs.get("lu", 4, 2000, "darts", what)[n] for n in sizes)
        last = sizes[-1]
        at = lambda policy: runs.get("lu", 4, 2000, policy, "from_ram")[last] / runs.get("lu", 4, 2000, "darts", "from_ram")[last]
        low, high = mean("lws", "from_ram"), mean("eager", "from_ram")
        self.add("C36", "LWS and EAGER move three times what DARTS does, LU, 4 GPUs of 2 000 MB (real)", "3x", f"past the memory's limit LWS {low:.1f}x, EAGER {high:.1f}x on average; at N = {last} {at('lws'):.1f}x and {at('eager'):.1f}x", "holds" if min(low, high) > 2.5 else "in part", WHY["C36"])
        ratio = runs.ratio_to_bound("lu", 1, None, "darts")
        line, loads = runs.bus_line("lu", 1, None), runs.get("lu", 1, None, "darts", "from_ram")
        last = list(ratio)[-1]
        reach, rate = runs.get("lu", 1, None, "darts", "bound_gflops"), runs.get("lu", 1, None, "darts")
        self.add("C37", "DARTS against bound, bus limit and peak, LU, 1 GPU, no limit (real)", "1.6x the bound, 3.7x below the bus limit, near the peak", f"N = {last}: {ratio[last]:.2f}x the bound, {line[last] / loads[last]:.1f}x below the bus limit, {100 * rate[last] / reach[last]:.1f} % of the least time's rate", "holds" if ratio[last] <= 1.7 else "in part", WHY["C37"])
        for gpus in (2, 4, 8):
            sizes = list(runs.get("gemm", gpus, 2000, "darts"))
            after = past("gemm", gpus, 2000)
            first = [n for n in sizes if n not in after]
            five = ("eager", "lws", "dmdas", "parsec", "darts")
            before, _ = best("gemm", gpus, 2000, first, five)
            beyond, _ = best("gemm", gpus, 2000, after, five)
            _, wins = best("gemm", gpus, 2000, sizes, five)
            gain, tessera = (runs.gain("gemm", gpus, 2000, policy, "dmdas") for policy in ("darts", "tessera"))
            blocks = runs.gain("gemm", gpus, 2000, "darts", "parsec")
            self.add("C38, C39", f"PaRSEC's product best at the smallest sizes, DARTS about the memory's limit, 3D, {gpus} GPUs of 2 000 MB (C39, simulated: DARTS best overall)", "plot only",
                     f"best within 0.5 %, before the limit ({len(first)} sizes): {before}; past it ({len(after)}): {beyond}; DARTS over DMDAS {percent(gain)}, over PaRSEC's {percent(blocks)}, tessera over DMDAS {percent(tessera)}",
                     "holds" if wins["darts"] == max(wins.values()) else "in part", WHY["C38"])


def ours_against_darts(runs):
    """Where tessera is behind DARTS+LUF: mean and worst ratio of rates."""
    rows = []
    for name, case in CASES.items():
        for gpus, memory, *_ in case.rows:
            a, b, c = (runs.get(name, gpus, memory, policy) for policy in ("tessera", "darts", "dmdas"))
            ratios = {n: a[n] / b[n] for n in a if n in b}
            worst = min(ratios, key=ratios.get)
            others = statistics.mean(a[n] / c[n] for n in a)
            limit = f"{memory} MiB" if memory else "no limit"
            rows.append([f"{case.title}, {case.tile}", str(gpus), limit, f"{statistics.mean(ratios.values()):.3f}", f"{ratios[worst]:.3f} (N = {worst})", f"{others:.2f}"])
    return rows


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


# Why what came out differs from the thesis; what its author measured on real GPUs includes the time of deciding.
WHY = {
    "rate": "one strip a task at 12 GB/s takes 1.85 times as long as the described GPU computes, so nobody can gain more than 85 % on EAGER here; the thesis's EAGER was slower than that. DMDAR keeps falling to the last size here",
    "3d": "here each task has its own result, which is dropped, so sums take no memory and are never moved; in the thesis they compete with A and B, which costs DMDAR most",
    "3dchain": "sums in memory as in the thesis, but one task of a sum is ready at a time, and HFP packs what is ready, so its blocks do not reach across steps of a sum",
    "set": "nothing is written here, and DMDAR decides for free; its scan was slow on the real machine",
    "shuffled": "EAGER brings up to two strips a task here, and falls to a third of the peak; DMDAR forms squares here as there",
    "random": "as in C5",
    "sparse": "a task brings 0.7 to 0.9 strips under EAGER and DMDAR past the red line (tasks go row by row), which the bus nearly bears at the described rates",
    "C8": "slightly over from N = 70 on; the bound counts whole memories, of which results and what is being brought take up to 30 MiB",
    "C9": "as C2 in chains. Without results (`gemm-3d`) HFP brings each datum once at every size on 1 GPU",
    "C10": "results take no memory and are not counted here",
    "C11": "one size earlier than the line, since the row in use and five results need room beside the matrix",
    "C20": "all are within 1 % of the rate of the product here, so what is inside of packages does not show",
    "interlaced": "as C20",
    "C15": "HFP without Belady stays near HFP here: prefetches do not push out what is planned",
    "C16": "deciding is free here. Charged by the clock (\"Deciding, charged\") it costs DMDAR 2 to 4 % and EAGER 0.2 %, so that DMDAR stays half as fast again",
    "C17": "",
    "C18": "in random order HFP moves more than DMDAR at the middle sizes here too, but the bus keeps up with both",
    "C21": "DMDAR falls from the red line on here, in the thesis only at its last two sizes. Its loads here are those of an untimed model of its order (N = 60: 1 772 strips, the model 1 713); the rates of the thesis's kernels are not printed, and slower ones would hide more transfers",
    "C23": "all loads here, the thesis counts those that a task waited for",
    "C24": "",
    "C25": "the thesis's DMDAR falls from the orange line on, ours from the red one",
    "C26": "the three-input rule gains 0.6 % over plain DARTS here, since sums take no memory",
    "C27": "free here. Charged (\"Deciding, charged\") the three-input rule loses 4, 9 and 27 % at 24, 36 and 48 tiles, and stays ahead of DMDAR by 47 to 72 %",
    "C28": "OPTI saves time of deciding, which costs nothing here, so plain DARTS is ahead of it",
    "C29": "DMDAR moves 1.1 to 2.6 times what DARTS does, EAGER up to 2.9 times, over links that four GPUs share",
    "C30": "as C28: the variant's advantage is its speed of deciding; plain DARTS chooses better",
    "C31": "free here. Charged (\"Deciding, charged\") DARTS loses 1 % at 180 to 300 tiles, the threshold as much or less",
    "C31b": "the threshold costs quality here (four times the loads of DARTS at the largest size), and gains no time",
    "LRU": "a prefetch does not push out what a committed task uses or DARTS has asked for, whichever policy chooses; so LRU has little left to spoil, it seems",
    "C33": "",
    "C34": "DMDAS knows times exactly here, and wins before the limit",
    "C35": "DMDAS, not LWS, is the best without a limit; DARTS is 3 to 5 % behind LWS at the last six sizes",
    "C36": "the ratio grows with the size; EAGER and LWS are about 3x at the largest",
    "C37": "every tile once at all sizes; the formula alone, without the size of the matrix, gives 1.37x at N = 50. 7 to 16 times below the bus limit, least at N = 10; the thesis's size and rate are not printed",
    "C38": "PaRSEC's product is its order of tasks here, without its runtime: a part of C for each GPU, blocks of 10 x 10 tiles that stay",
}
READING = """
Curves: GFLOP/s of useful operations over the makespan; MiB that RAM sends to the GPUs (write-backs
and what GPUs send each other stand in the table target/bench/memory_constrained.csv). The rates of
the kernels are assumed, as the platform files say, and deciding takes no time; "real" marks a claim
that the thesis measured on real GPUs, which is compared with simulation here. Simulations repeat
exactly, so there is one run for each point (the thesis: means of ten). A verdict compares signs and
orders, not sizes, which stand beside it. "MB" of the thesis are MiB. Bounds: section 2.6's formulas
with the memories of all GPUs as one, and each datum at least once.

Left out: 8 GPUs but for Cholesky and 3D; 2D in random order and random pairs on 4 GPUs beyond 240
rows, where mHFP takes 18 s and more; 3D beyond 16 200 MiB on 4 GPUs (thesis: 50 000); Cholesky's
tasks beyond 70 tiles on 4 GPUs (mHFP takes 12 to 29 s at 80); HFP on Cholesky, LU and 3D of 1920,
as in the thesis's chapter 5. For hMETIS+R stands `partition`, an own multilevel partition of the
hypergraph with Ready and stealing; for PaRSEC's AP `prio`, with the priorities of the critical
path; for PaRSEC's hand-tuned product its order of tasks, given by `--order`. C12 to C14, C19, C32
and those from C40 on are under "Claims from other tables".
"""

def tessera_text(rows):
    """How often tessera is ahead, and where it is behind."""
    means = [float(row[3]) for row in rows]
    behind = [f"{row[0]} on {row[1]} ({row[3]})" for row in rows if float(row[3]) < 0.99]
    worst = min(rows, key=lambda row: float(row[4].split()[0]))
    return (
        f"tessera is ahead of DARTS+LUF by a hundredth or more in {sum(mean >= 1.01 for mean in means)} of {len(rows)} rows,\n"
        f"behind as much in {len(behind)}{': ' if behind else ''}{'; '.join(behind)}.\n"
        f"The mean of all rows is {statistics.mean(means):.3f}.\n"
        f"The worst single size: {worst[0]} on {worst[1]}, {worst[4]}."
    )


def idle_devices(runs):
    """At how many points half the devices would be faster than all, which no policy sees."""
    times = {}
    for name, case in CASES.items():
        for gpus, memory, *_ in case.rows:
            for policy in ("tessera", "darts", "dmdar"):
                few, many = (runs.get(name, count, memory, policy) for count in (gpus, 2 * gpus))
                times |= {(name, 2 * gpus, n, policy): few[n] / many[n] for n in few.keys() & many.keys()}
    slower = {point: ratio for point, ratio in times.items() if ratio > 1.005}
    name, gpus, n, policy = max(times, key=times.get)
    return (
        f"No policy here leaves a device idle that has tasks. Half the devices would be faster at {len(slower)} of {len(times)}\n"
        f"points of tessera, DARTS and DMDAR, {len([1 for case, *_ in slower if case == '2d-sparse'])} of them of the sparse product; most for {POLICIES[policy][0]},\n"
        f"`{CASES[name].program}` of {n} x {n} tiles on {gpus}: {times[name, gpus, n, policy]:.2f} times as fast on {gpus // 2}."
    )


def grid():
    """One line per case: what was run."""
    rows = []
    for name, case in CASES.items():
        for gpus, memory, sizes, more in case.rows:
            limit = f"{memory} MiB" if memory else "no limit"
            rows.append([f"`{case.program}`", str(case.tile), f"{gpus} x {limit}", f"{sizes[0]} .. {sizes[-1]} by {sizes[1] - sizes[0]}", ", ".join(POLICIES[p][0] for p in more)])
    return table(["program", "tile", "GPUs", "tiles along an edge", "more policies"], rows)


def section(runs, bench):
    """The whole section of results/memory.md."""
    claims = Claims(runs)
    claims.chapter3()
    claims.chapter4()
    claims.chapter5()
    count = sum(len(series) for series in runs.series.values())
    parts = [
        "Programs of chapters 3 to 5 of M. Gonthier's thesis (2023) in virtual time on described V100 with",
        "small memories: EAGER, DMDAR, DMDAS, LWS, HFP (mHFP on several GPUs), DARTS+LUF, DARTS+LRU and",
        "`tessera`.",
        f"{bench.machine()}; {bench.datetime.date.today()}; {count} simulations,",
        f"{runs.seconds / 2:.0f} s in pairs, the longest {runs.slowest:.1f} s.",
        "",
        "Written by `scripts/bench/memory_constrained.py --write`. A run is",
        "",
        "```",
        "tegula simulate PROGRAM --platform gemini-v100-1|2|4 --tiles N --tile-size 960|1920 --precision s \\",
        "    --policy P [--eviction lru] [--device-memory 500MiB|2000MiB] --json -",
        "```",
        "",
        grid(),
        "",
        READING.strip(),
        "",
        f"Failed or longer than {LIMIT} s: {len(runs.failed)} runs.",
        *(f"- {row['case']}, {row['gpus']} GPUs, N = {row['tiles']}, {row['policy']}: {row['error']}" for row in runs.failed),
        "",
        "### Figures",
        "",
        *(f"- [{case.title}, tiles of {case.tile}](../figures/memory-{name}.svg)" for name, case in CASES.items()),
        "",
        "### Ahead of DMDAR where the thesis is",
        "",
        table(["claim", "what", "thesis", "here", "tessera over DMDAR", "verdict"], claims.ahead),
        "",
        "### Claim by claim",
        "",
        table(["claim", "what", "thesis", "here", "verdict", "why it differs"], claims.rows),
        "",
        "### tessera beside DARTS+LUF and DMDAS",
        "",
        "Ratios of rates, means over sizes; the worst size in the last but one column.",
        tessera_text(ours_against_darts(runs)),
        "",
        table(["program", "GPUs", "memory of each", "tessera / DARTS+LUF", "worst", "tessera / DMDAS"], ours_against_darts(runs)),
        "",
        "### Idle devices",
        "",
        idle_devices(runs),
    ]
    return "\n".join(parts), claims


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tegula", default=ROOT / "target/release/tegula", help="program that simulates")
    parser.add_argument("--redraw", action="store_true", help="take the runs that the table holds")
    parser.add_argument("--write", action="store_true", help="put the section into results/memory.md")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    options = parser.parse_args()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    if not options.redraw:
        run_all(options.tegula, options.cases or list(CASES))
    runs = Runs()
    for name in options.cases or CASES:
        print(figure(runs, name).relative_to(ROOT), file=sys.stderr)
    if any(not runs.get(name, *case.rows[0][:2], "darts") for name, case in CASES.items()):
        print("the claims need every case", file=sys.stderr)
        return
    text, claims = section(runs, BENCH)
    print(text)
    kept = sum(row[-1] == "holds" for row in claims.ahead)
    print(f"\nahead of DMDAR where the thesis is: {kept} of {len(claims.ahead)} hold")
    if options.write:
        BENCH.write({"Memory-constrained, simulated": text})


if __name__ == "__main__":
    sys.exit(main())
