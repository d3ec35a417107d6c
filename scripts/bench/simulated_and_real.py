#!/usr/bin/env python3
"""The same runs for real and in simulation: two hosts of one core each, on links of a limited rate.

    scripts/bench/simulated_and_real.py [--rounds N] [--tegula FILE] [--rate RATE...] [--write]        as root

Measures the kernels of this machine on both cores at once ("tegula platform calibrate"), describes two of its cores as the nodes of a
cluster, and runs each program over two hosts that are network namespaces (scripts/slurm/hosts) under Open MPI's mpirun, in turn with
the others, and once in simulation with the same tiles, owners and policy. What a core takes to send and receive is that of a stream
through a socket. Times are medians over rounds, with minimum and maximum; the difference is that of the simulated median from the
real one; "with costs" charges decisions by the clock, submission by that of an empty task, and memory that is new by how fast
the system gives it. Kernels are measured again in each round, since the speed of this machine drifts.
"""

import argparse
import json
import mmap
import os
import pathlib
import re
import statistics
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from common import BENCH
from hosts import Hosts, seconds

ROOT = pathlib.Path(__file__).resolve().parents[2]
TILE = 200
# Of 1514 bytes on a link 1448 are contents.
CONTENTS = 1448 / 1514
# Of a message of a few bytes between two of these hosts, measured with ping and with MPI.
LATENCY = 1e-4
# Program: words of the real run, and of the simulation.
CASES = {
    "Cholesky, n = 4000": ("linalg potrf -n 4000", "cholesky", 20, "block-cyclic"),
    "Cholesky, n = 6000": ("linalg potrf -n 6000", "cholesky", 30, "block-cyclic"),
    "Cholesky, n = 6000, 3 : 1": ("linalg potrf -n 6000 --distribution 1d1d:3,1", "cholesky", 30, "1d1d:3,1"),
    "LU without pivoting, n = 4000": ("linalg getrf-nopiv -n 4000", "lu", 20, "block-cyclic"),
    "product, n = 3000": ("linalg gemm -n 3000", "gemm", 15, "block-cyclic"),
    "likelihood, n = 6000": ("exageostat loglik field.csv --mean zero --params 1,0.1,0.7", "exageostat", 30, "block-cyclic"),
}


def tegula(*words, **more):
    done = subprocess.run([BENCH.TEGULA, *map(str, words)], capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


# Sends or receives so many bytes through a socket, in pieces as MPI does.
STREAM = """
import socket, sys
way, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
piece = bytearray(1 << 17)
if way == "receive":
    server = socket.create_server((address, 7777))
    print("ready", flush=True)
    peer, _ = server.accept()
    while got := peer.recv_into(piece):
        count -= got
    sys.exit(count)
peer = socket.create_connection((address, 7777))
for _ in range(count // len(piece)):
    peer.sendall(piece)
"""


def busy():
    """Seconds that cores have worked since the machine started."""
    user, nice, system, _, _, irq, softirq = map(int, open("/proc/stat").readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def core_rate(hosts):
    """Bytes per second that a core of a host sends or receives over the link, by the time that cores work while a stream passes."""
    count = 1 << 30
    address = hosts.script("at", "n2", "hostname", "-I").split()[0]
    at = [ROOT / "scripts/slurm/hosts", "at", hosts.folder]
    stream = [sys.executable, "-c", STREAM]
    with subprocess.Popen([*at, "n2", *stream, "receive", address, str(count)], stdout=subprocess.PIPE) as receiver:
        receiver.stdout.readline()
        before, start = busy(), time.monotonic()
        subprocess.run([*at, "n1", *stream, "send", address, str(count)], check=True)
        receiver.wait()
        worked, lasted = busy() - before, time.monotonic() - start
    before = busy()
    time.sleep(3)
    worked -= (busy() - before) / 3 * lasted
    return 2 * count / worked


def describe(folder, rate, core):
    """Measures the kernels, and describes two cores of this machine as a cluster."""
    # Cores that share what is beside them are slower together, as in the runs.
    words = ["platform", "calibrate", "--tile-size", TILE, "--precision", "d", "--quiet", "-o"]
    with ThreadPoolExecutor() as both:
        list(both.map(lambda name: tegula(*words, folder / name), ("here.toml", "beside.toml")))
    number, unit = re.fullmatch(r"([0-9.]+)([mg]bit)", rate).groups()
    rate = float(number) * {"mbit": 1e6, "gbit": 1e9}[unit] / 8 * CONTENTS
    node = ["[[node]]", 'platform = "here.toml"', "count = 2", "cores = 1", f"bytes_per_second = {rate}"]
    text = ['name = "two cores"', f"latency_seconds = {LATENCY}", f"core_bytes_per_second = {core}", *node]
    (folder / "cluster.toml").write_text("\n".join(text) + "\n")


def new_memory():
    """Bytes per second that the system gives when they are first written, 256 MiB of them."""
    count, piece = 1 << 28, bytes(1 << 20)
    with mmap.mmap(-1, count) as memory:
        start = time.monotonic()
        for _ in range(count // len(piece)):
            memory.write(piece)
        return count / (time.monotonic() - start)


def submission():
    """Seconds for an empty task from its submission to its end, which is more than submitting it."""
    rows = json.loads(tegula("bench", "overhead", "--policy", "lws", "--workers", 1, "--quiet", "--json", "-"))["rows"]
    return min(row["seconds_per_task"] for row in rows)


def simulated(folder, program, tiles, distribution, policy, costs=()):
    words = ["simulate", program, "--platform", "cluster.toml", "--tiles", tiles, "--tile-size", TILE]
    words += ["--distribution", distribution, "--policy", policy, "--quiet", "--json", "-"]
    if program == "exageostat":
        # The real run has no worker for it alone.
        words += ["--without", "critical-worker"]
    return json.loads(tegula(*words, *costs, cwd=folder))["makespan_seconds"]


def measure(rate, rounds):
    """The table of one rate of links."""
    real, virtual, charged = ({case: [] for case in CASES} for _ in range(3))
    costs = ("--measure-deciding", "--submission", f"{1e9 * submission():.0f}ns", "--allocation", f"{new_memory():.0f}")
    print(*costs, flush=True)
    with Hosts(rate, 2) as hosts:
        tegula("exageostat", "sample", "-n", "6000", "--params", "1,0.1,0.7", "-o", "field.csv", "--quiet", cwd=hosts.data)
        for _ in range(rounds):
            core = core_rate(hosts)
            print(f"links of {rate}, a core moves {core / 1e6:.0f} MB/s", flush=True)
            describe(hosts.data, rate, core)
            for case, (words, program, tiles, distribution) in CASES.items():
                more = ["--tile-size", TILE, "--workers", "1", "--json", "-"]
                text, _ = hosts.run(BENCH.TEGULA, *words.split(), *more)
                result = json.loads(text)
                real[case].append(seconds(result))
                how = (program, tiles, distribution, result["policy"])
                virtual[case].append(simulated(hosts.data, *how))
                charged[case].append(simulated(hosts.data, *how, costs))
                print(case, real[case][-1], virtual[case][-1], charged[case][-1], flush=True)
    rows = []
    for case in CASES:
        row = [case, BENCH.spread(real[case], 3)]
        for ours in (virtual[case], charged[case]):
            difference = statistics.median(ours) / statistics.median(real[case]) - 1
            row += [BENCH.spread(ours, 3), f"{100 * difference:+.1f} %"]
        rows.append(row)
    return BENCH.table(["program", "real, s", "simulated, s", "difference", "with costs, s", "difference"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tegula", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--rate", nargs="+", default=["200mbit", "1gbit"], help="of each link, one table for each")
    parser.add_argument("--write", action="store_true", help="put the tables into results/simulation.md")
    flags = parser.parse_args()
    if flags.tegula:
        BENCH.TEGULA = flags.tegula.resolve()
    tables = [f"Links of {rate}:\n\n{measure(rate, flags.rounds)}" for rate in flags.rate]
    text = "\n\n".join(tables)
    print(f"\n{text}")
    if flags.write:
        about = (f"Two hosts of one core each, tiles of {TILE}: real runs beside simulated ones (`scripts/bench/simulated_and_real.py`). "
                 f"{BENCH.machine()}; {flags.rounds} rounds.")
        BENCH.write({"simulated and real": f"{textwrap.fill(about, 99)}\n\n{text}"})


if __name__ == "__main__":
    main()
