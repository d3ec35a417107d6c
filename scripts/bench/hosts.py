#!/usr/bin/env python3
"""Runs over three hosts with links of 200 Mbit/s: the bytes on the links, and what the priorities of messages are worth.

    scripts/bench/hosts.py [--rounds N] [--tegula FILE] [--rate RATE]        as root

The hosts are network namespaces of this machine (scripts/slurm/hosts), each with one rank of one worker under Open MPI's mpirun. Every command
(a Cholesky factorisation, a fit, an embedding from HDF5) runs with and without priorities in each round, in turn. Bytes are those that the
hosts' links have sent, by the counters of their interfaces, less 66 for each packet (Ethernet 14, IP 20, TCP 20, its time stamps 12),
without what mpirun alone sends. They stand beside what the program says that it has sent (messages and their contents), and
beside what as many ranks say that are threads of one process, which follows from the distribution alone. Medians over rounds. Single
runs go to target/bench/hosts.json.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from common import BENCH

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STORE = ROOT / "target/bench/hosts.json"
# Of Ethernet, IP and TCP with time stamps.
HEADER = 66
CASES = {
    "Cholesky, n = 6000": "linalg potrf -n 6000",
    "fit of 3600, 4 evaluations": "exageostat fit observations.csv --max-evaluations 4",
    "embedding of 6000": "diodon mds distances.h5 --axes 10 -o embedding",
}
DATA = (
    "exageostat sample -n 3600 --params 1,0.1,0.5 --seed 1 -o observations.csv --quiet",
    "exageostat sample -n 6000 --dimensions 3 --params 1,0.1,0.5 --seed 2 -o points.csv --quiet",
    "diodon distances points.csv --columns x,y,z --metric manhattan -o distances.h5 --quiet",
)


class Hosts:
    """So many hosts, until the end of a block."""

    def __init__(self, rate, count=3):
        self.count = count
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hosts", dir="/tmp")) / "h"
        self.data = self.folder.parent / "data"
        self.data.mkdir()
        self.script("up", "--count", str(count), "--cpus", "1", "--rate", rate)
        os.environ |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.script("down")
        shutil.rmtree(self.folder.parent)

    def script(self, verb, *words):
        """Runs scripts/slurm/hosts."""
        done = subprocess.run([ROOT / "scripts/slurm/hosts", verb, self.folder, *words], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"hosts {verb}: {done.stdout}{done.stderr}")
        return done.stdout

    def sent(self):
        """Bytes and packets that all hosts have sent so far."""
        totals = [0, 0]
        for number in range(1, self.count + 1):
            text = self.script("at", f"n{number}", "cat", "/proc/net/dev")
            fields = next(line for line in text.splitlines() if "eth0" in line).split(":")[1].split()
            totals = [totals[0] + int(fields[8]), totals[1] + int(fields[9])]
        return totals

    def run(self, *command):
        """Runs a command on all hosts; its output, and the bytes on the links without headers."""
        launch = ["mpirun.openmpi", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", self.folder / "agent"]
        launch += ["--hostfile", self.folder / "hostfile", "--bind-to", "none", "--map-by", "node", "-np", str(self.count)]
        before = self.sent()
        at = [ROOT / "scripts/slurm/hosts", "at", self.folder, "n1", *launch, *command]
        done = subprocess.run([str(word) for word in at], capture_output=True, text=True, cwd=self.data)
        if done.returncode:
            sys.exit(f"{command}: {done.stdout}{done.stderr}")
        after = self.sent()
        return done.stdout, after[0] - before[0] - HEADER * (after[1] - before[1])


def seconds(result):
    """Of the computation."""
    return min(result["seconds"]) if isinstance(result["seconds"], list) else result["seconds"]


def measure(hosts, words, priorities):
    """One run over the hosts."""
    flags = ["--workers", "1", "--message-priorities", priorities, "--json", "-"]
    text, link = hosts.run(BENCH.TEGULA, *words.split(), *flags)
    result = json.loads(text)
    return {"seconds": seconds(result), "link": link, "messages": result["messages"], "bytes": result["bytes_sent"]}


def counted(hosts, words):
    """Messages and bytes of three ranks that are threads."""
    command = [BENCH.TEGULA, *words.split(), "--workers", "1", "--ranks", "local:3", "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=hosts.data, check=True)
    result = json.loads(done.stdout)
    return {"messages": result["messages"], "bytes": result["bytes_sent"]}


def note(runs, key, value):
    """Keeps one run."""
    runs.setdefault(key, []).append(value)
    STORE.parent.mkdir(parents=True, exist_ok=True)
    STORE.write_text(json.dumps(runs, indent=1))
    print(key, value, flush=True)


def median(values, name):
    """Of one field."""
    return statistics.median(value[name] for value in values)


def table(runs):
    """A row for each case."""
    rows = []
    for case in CASES:
        on, off, count = (runs[f"{what} {case}"] for what in ("on", "off", "count"))
        launch = median(runs["launch"], "link")
        said, link = median(on, "bytes"), median(on, "link") - launch
        ratio = BENCH.spread([b["seconds"] / a["seconds"] for a, b in zip(on, off)])
        rows.append([
            case, f"{median(on, 'messages'):.0f}", f"{count[0]['bytes'] / 1e6:.1f}", f"{said / 1e6:.1f}", f"{link / 1e6:.1f}",
            f"{100 * (link / said - 1):+.2f} %", f"{median(on, 'seconds'):.2f}", f"{median(off, 'seconds'):.2f}", ratio,
        ])
    head = ["", "messages", "counted, MB", "said, MB", "on links, MB", "more", "priorities, s", "none, s", "times as slow without"]
    return BENCH.table(head, rows)


def main():
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tegula", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--rate", default="200mbit", help="of each link")
    arguments = parser.parse_args()
    if arguments.tegula:
        BENCH.TEGULA = arguments.tegula.resolve()
    runs = {}
    with Hosts(arguments.rate) as hosts:
        for words in DATA:
            subprocess.run([BENCH.TEGULA, *words.split()], cwd=hosts.data, check=True)
        for case, words in CASES.items():
            note(runs, f"count {case}", counted(hosts, words))
        for _ in range(arguments.rounds):
            # What starting and ending ranks that say nothing to each other costs.
            note(runs, "launch", {"link": hosts.run(BENCH.TEGULA, "linalg", "potrf", "-n", "8", "--quiet")[1]})
            for case, words in CASES.items():
                for priorities in ("on", "off"):
                    note(runs, f"{priorities} {case}", measure(hosts, words, priorities))
    print(f"\n{table(runs)}")


if __name__ == "__main__":
    main()
