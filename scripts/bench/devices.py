#!/usr/bin/env python3
"""Measures Tegula on the first CUDA device of this machine beside cuBLAS and cuSOLVER, and on its
cores, and prints tables in Markdown.

    scripts/bench/devices.py [--tegula PROGRAM] [--python PYTHON] [--write] [SECTION ...]

PYTHON has PyTorch with CUDA; without it the columns of the libraries are empty. With --write the
tables go to scripts/bench/results/devices.md, too. Matrices are made where they are factorised;
times are the medians of the repeats but the first, in which libraries are loaded.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(tempfile.mkdtemp())
LINES = []
# What one command may take, in seconds: a device may be lent for minutes only.
LIMIT = 60


def say(text=""):
    LINES.append(text)
    print(text, flush=True)


def table(header, rows):
    say("| " + " | ".join(str(cell) for cell in header) + " |")
    say("|" + "---|" * len(header))
    for row in rows:
        say("| " + " | ".join(str(cell) for cell in row) + " |")
    say()


def tegula(*words):
    """The result of a command as JSON, or none and a line on standard error."""
    command = [str(word) for word in [OPTIONS.tegula, *words, "--quiet", "--json", FOLDER / "result"]]
    (FOLDER / "result").unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}\nran for more than {LIMIT} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"{' '.join(command)}\nfailed:\n{done.stderr}", file=sys.stderr)
        return None
    return json.loads((FOLDER / "result").read_text())


def libraries(words):
    """Operations per second of NVIDIA's libraries by routine and order."""
    command = [OPTIONS.python, ROOT / "scripts/bench/peers/cuda_libraries.py", *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"no rates of NVIDIA's libraries: {done.stderr}", file=sys.stderr)
        return {}
    return json.loads(done.stdout)["rates"]


def number(value, form):
    return "" if value is None else format(value, form)


def median(values):
    return statistics.median(values[1:] if len(values) > 1 else values)


def on_device(result):
    """Share of the time that the device computed, seconds in which it did not and in which anybody
    decided, and GB that went to it and came back."""
    worker = next(one for one in result["tasks"] if one["worker"].startswith("GPU"))
    moved, busy = result["transfers"]["per_device"][0], worker["busy_share"]
    last = result["seconds"][-1] if isinstance(result["seconds"], list) else result["seconds"]
    waits = f"{(1 - busy) * last:.3f} / {result['deciding_seconds']:.3f}"
    return busy, waits, f"{moved['bytes_in'] / 1e9:.2f} / {moved['bytes_out'] / 1e9:.2f}"


def factorizations():
    """Rates beside those of the libraries."""
    sizes = {
        "gemm": [8192, 16384],
        "potrf": [8192, 16384, 32768, 49152, 65536],
        "getrf-nopiv": [8192, 16384, 32768],
        "getrf": [8192, 16384],
        "geqrf": [8192, 16384],
    }
    words = [f"{routine}:{n}" for routine, orders in sizes.items() for n in orders]
    theirs = libraries(words)
    rows = []
    for word in words:
        routine, n = word.split(":")
        # Panels of the factorisations with pivots and reflectors have a core each.
        workers = ["--workers", "1"] if routine in ("gemm", "potrf", "getrf-nopiv") else []
        repeats = 4 if int(n) < 40000 else 3
        result = tegula("linalg", routine, "-n", n, "--devices", 0, "--repeat", repeats, *workers)
        library = theirs.get(word)
        if result is None:
            rows.append([routine, n, "", "failed", number(library and library / 1e12, ".1f"), *[""] * 4])
            continue
        ours = median(result["gflops"]) * 1e9
        busy, waits, moved = on_device(result)
        ratio = ours / library if library else None
        rows.append([
            routine, n, result["tile_size"], f"{ours / 1e12:.1f}",
            number(library and library / 1e12, ".1f"), number(ratio, ".2f"), f"{100 * busy:.0f} %",
            waits, moved,
        ])  # fmt: skip
    say("## Factorisations and products, double precision")
    say()
    header = ["routine", "order", "tile", "Tflop/s", "NVIDIA's, whole matrix", "ratio", "device busy", "s idle / deciding", "GB in / out"]
    table(header, rows)


def memory():
    """Cholesky factorisations in less of the device's memory than they take."""
    rows = []
    for n in (16384, 32768):
        size = n * n * 4 / 2**30
        for share in (None, 1, 2, 4):
            device = "0" if share is None else f"0:{size / share:.2f}GiB"
            result = tegula("linalg", "potrf", "-n", n, "--devices", device, "--workers", 1, "--repeat", 4)
            if result is not None:
                busy, waits, moved = on_device(result)
                rate = f"{median(result['gflops']) / 1e3:.1f}"
                part = "all" if share is None else f"1/{share} of the triangle"
                rows.append([n, part, rate, f"{100 * busy:.0f} %", waits, moved])
    say("## More than the device may hold: potrf")
    say()
    table(["order", "memory of the device", "Tflop/s", "device busy", "s idle / deciding", "GB in / out"], rows)


def places(n):
    """A file of n places on a jittered grid with values of a smooth surface and noise."""
    path, edge = FOLDER / f"places{n}.csv", math.ceil(math.sqrt(n))
    if not path.exists():
        draw = random.Random(n)
        lines = ["x,y,z"]
        for k in range(n):
            x, y = ((k % edge) + draw.uniform(0.1, 0.9)) / edge, ((k // edge) + draw.uniform(0.1, 0.9)) / edge
            z = math.sin(9 * x) * math.cos(7 * y) + math.sin(31 * x + 17 * y) / 3 + draw.gauss(0, 0.3)
            lines.append(f"{x:.9f},{y:.9f},{z:.9f}")
        path.write_text("\n".join(lines) + "\n")
    return path


def who(cores, device):
    return ["--workers", cores, "--devices", "0" if device else "none"]


def likelihoods():
    """One evaluation: device and a core, device and all cores, cores alone."""
    rows = []
    for n in (5000, 10000, 20000, 40000, 60000):
        row, values = [n], set()
        for words in (who(1, True), ["--devices", "0"], ["--devices", "none"]):
            if n > 20000 and words == ["--devices", "none"]:
                row.append("")
                continue
            given = ["--covariance", "matern", "--params", "1,0.1,0.8", "--nugget", "0.09"]
            result = tegula("exageostat", "loglik", places(n), *given, *words)
            row.append("" if result is None else f"{result['seconds']:.3f}")
            if result is not None:
                values.add(result["loglik"])
                if words == who(1, True):
                    phases = " ".join(f"{name} {1e3 * s:.0f}" for name, s in result["phases"].items())
        spread = (max(values) - min(values)) / abs(max(values)) if values else math.nan
        rows.append([*row, f"{spread:.1e}", phases])
    say("## A likelihood, Matérn with nugget, seconds from start to value")
    say()
    header = ["places", "device, 1 core", "device, all cores", "cores", "spread of the values", "phases on the device, ms"]
    table(header, rows)


def fits():
    rows = []
    for n, most in ((5000, 12), (20000, 12), (60000, 3)):
        for name, words in (("device, 1 core", who(1, True)), ("device, all cores", ["--devices", "0"]), ("cores", ["--devices", "none"])):
            if n > 5000 and name == "cores":
                continue
            given = ["--covariance", "matern", "--nugget", "0.1", "--max-evaluations", most]
            result = tegula("exageostat", "fit", places(n), *given, *words)
            if result is not None:
                count = result.get("evaluations")
                rows.append([n, name, count, f"{result['seconds']:.2f}", f"{result['seconds'] / max(1, count):.3f}"])
    say("## Fits, some evaluations with gradients")
    say()
    table(["places", "on", "evaluations", "s", "s each"], rows)


def methods():
    """One evaluation by approximations."""
    rows = []
    smooth = ["--covariance", "matern", "--params", "1,0.1,0.8", "--nugget", "0.09"]
    # With a correlation that fades fast most tiles may be in TF32.
    rough = ["--covariance", "exponential", "--params", "1,0.02", "--nugget", "0.09"]
    for n, method, model in [
        (100000, "vecchia:30", smooth), (400000, "vecchia:30", smooth), (100000, "vecchia:30:grouped", smooth),
        (20000, "exact", rough), (20000, "mixed:1e-4", rough), (20000, "mixed:1e-2", rough),
        (40000, "exact", rough), (40000, "mixed:1e-4", rough), (40000, "mixed:1e-2", rough),
    ]:  # fmt: skip
        row, values = [n, method], set()
        for words in (["--devices", "0"], ["--devices", "none"]):
            if n == 40000 and words == ["--devices", "none"]:
                row.append("")
                continue
            result = tegula("exageostat", "loglik", places(n), "--method", method, *model, *words)
            row.append("" if result is None else f"{result['seconds']:.3f}")
            if result is not None:
                values.add(result["loglik"])
        spread = (max(values) - min(values)) / abs(max(values)) if values else math.nan
        rows.append([*row, f"{spread:.1e}"])
    say("## Approximated likelihoods, seconds from start to value")
    say()
    table(["places", "method", "device and cores", "cores", "spread of the values"], rows)


def embeddings():
    """MDS of a matrix of distances."""
    import numpy

    rows = []
    for n in (10000, 20000, 40000):
        path, draw = FOLDER / "distances.npy", numpy.random.default_rng(1)
        points = draw.standard_normal((n, 12)).astype("f4")
        squares = (points**2).sum(1)
        distances = numpy.lib.format.open_memmap(path, mode="w+", dtype="f4", shape=(n, n))
        for first in range(0, n, 2000):
            part = squares[first : first + 2000, None] + squares[None, :] - 2 * points[first : first + 2000] @ points.T
            part[numpy.arange(len(part)), first + numpy.arange(len(part))] = 0
            distances[first : first + 2000] = numpy.sqrt(numpy.maximum(part, 0))
        # What rounding has made of one half.
        for first in range(0, n, 2000):
            rows_of, columns_of = distances[first : first + 2000, first:], distances[first:, first : first + 2000]
            rows_of[:] = numpy.maximum(rows_of, columns_of.T)
            columns_of[:] = rows_of.T
        del distances
        row = [n]
        for words in (["--devices", "0"], ["--devices", "none"]):
            result = tegula("diodon", "mds", path, *words)
            row.append("" if result is None else f"{result['seconds']:.2f}")
        rows.append(row)
    say("## An embedding in 10 axes")
    say()
    table(["order", "device and cores, s", "cores, s"], rows)


SECTIONS = {
    "factorizations": factorizations,
    "memory": memory,
    "likelihoods": likelihoods,
    "fits": fits,
    "methods": methods,
    "embeddings": embeddings,
}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--tegula", default=ROOT / "target/release/tegula", type=pathlib.Path)
parser.add_argument("--python", default=sys.executable)
parser.add_argument("--write", action="store_true")
parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
OPTIONS = parser.parse_args()
OPTIONS.tegula = OPTIONS.tegula.resolve()

info = subprocess.run([OPTIONS.tegula, "info"], capture_output=True, text=True, check=True).stdout
say("# CUDA devices")
say()
say("`scripts/bench/devices.py --write`, on")
say()
for line in info.splitlines():
    if line.startswith(("processor", "cores", "memory", "accelerators", "  0 ")):
        say(f"    {line}")
say()
for name, section in SECTIONS.items():
    if not OPTIONS.sections or name in OPTIONS.sections:
        section()
if OPTIONS.write:
    (ROOT / "scripts/bench/results/devices.md").write_text("\n".join(LINES).rstrip() + "\n")
