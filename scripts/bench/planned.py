#!/usr/bin/env python3
"""Runs that plan themselves on three unequal hosts, beside distributions that are named.

    scripts/bench/planned.py [--rounds N] [--tegula FILE] [--rate RATE] [--speeds P,P,P] [--part NAME] [--write]        as root
    scripts/bench/planned.py --gather [--write]

The hosts are network namespaces of this machine (scripts/slurm/hosts) with a rank of one worker each under Open MPI's mpirun; control groups
leave them unequal shares of a core. Each case runs in each round, in turn with the others; ratios are taken within a round: how many
times as long as block-cyclic over all it takes, all of the command counted, so that what is measured as a run begins counts too.

    likelihood   an evaluation
    fit          a fit by values alone, with "auto" for distribution and number of nodes, beside all ranks and each number of them
    slow         the same fit, in which the second host has a tenth of a core after some evaluations
    embedding    principal coordinates of distances that are read from HDF5
    passes       the same of so little memory that each pass reads, with "auto" for the number of nodes, beside each number of them
    slow-passes  the same passes, in which the second host has a tenth of a core after some of them

Log-likelihoods of all cases must agree to 1e-12 of them, eigenvalues to 1e-9. Single runs go to target/bench/planned.json, from which
--gather makes the tables; --write puts them into scripts/bench/results.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import textwrap
import threading
import time

sys.dont_write_bytecode = True
from common import BENCH
from hosts import Hosts

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = {
    "runs that plan themselves": ("likelihood", "fit", "slow", "embedding"),
    "passes that plan themselves": ("passes", "slow-passes"),
}
PARTS = sum(SECTIONS.values(), ())
STORE = ROOT / "target/bench/planned.json"
FIT = "exageostat fit fit.csv --mean zero --optimizer bobyqa --tolerance 1e-9 --max-evaluations 60 --workers 1"
EMBEDDING = "diodon mds distances.h5 --axes 10 --method randomized --passes 6 --workers 1"
PASSES = "diodon mds distances.h5 --axes 10 --method randomized --passes 30 --memory 60MB --workers 1"
LIKELIHOOD = "exageostat loglik likelihood.csv --mean zero --params 1,0.1,0.5 --workers 1"
DATA = (
    "exageostat sample -n 6000 --params 1,0.1,0.5 --seed 1 -o likelihood.csv --quiet",
    "exageostat sample -n 3000 --params 1,0.1,0.5 --seed 2 -o fit.csv --quiet",
    "exageostat sample -n 10000 --dimensions 3 --params 1,0.1,0.5 --seed 3 -o points.csv --quiet",
    "diodon distances points.csv --columns x,y,z --metric manhattan -o distances.h5 --quiet",
)


def cases(part, speeds):
    """Words of the command, by the name of the case; the first is what others stand beside."""
    by_hand = "--distribution 1d1d:" + ",".join(map(str, speeds))
    named = {"block-cyclic": "--distribution block-cyclic", "1d1d, equal": "--distribution 1d1d:1,1,1", "1d1d, by hand": by_hand}
    if part == "likelihood":
        named |= {name: f"--distribution {name}" for name in ("lp", "lp-constrained", "auto")}
        return {name: f"{LIKELIHOOD} {words}" for name, words in named.items()}
    if part == "embedding":
        named |= {name: f"--distribution {name}" for name in ("lp", "auto")}
        return {name: f"{EMBEDDING} {words}" for name, words in named.items()}
    if part in ("fit", "passes"):
        named |= {f"lp, {count} of 3": f"--distribution lp --nodes {count}" for count in (1, 2, 3)}
    named |= {"lp, auto": "--distribution auto --nodes auto"}
    command = PASSES if part.endswith("passes") else FIT
    return {name: f"{command} {words}" for name, words in named.items()}


def run(hosts, part, words):
    """Seconds of the whole command, and its result."""
    slowing = None
    if part.startswith("slow"):
        # What is before takes some seconds.
        slowing = threading.Timer(12, lambda: hosts.script("speed", "10", "n2"))
        slowing.start()
    start = time.monotonic()
    text, _ = hosts.run(BENCH.TEGULA, *words.split(), "--json", "-")
    seconds = time.monotonic() - start
    if slowing:
        slowing.cancel()
    result = json.loads(text)
    keys = ("loglik", "eigenvalues", "seconds", "evaluations", "distribution", "distributions_compared", "nodes", "decision_seconds")
    return {"whole": seconds} | {key: result[key] for key in keys if key in result}


def difference(runs):
    """The largest relative difference of an answer from that of the first run."""
    answers = [value.get("eigenvalues", [value.get("loglik")]) for values in runs.values() for value in values]
    return max(abs(of / first - 1) for answer in answers for of, first in zip(answer, answers[0]))


def table(part, runs):
    """A row for each case."""
    rows = []
    first = next(iter(runs))
    for case, values in runs.items():
        ratio = BENCH.spread([value["whole"] / base["whole"] for value, base in zip(values, runs[first])])
        nodes = [value["nodes"] for value in values if "nodes" in value]
        ends = ", ".join(sorted({str(counts[-1]) for counts in nodes}))
        whole = statistics.median(value["whole"] for value in values)
        inside = statistics.median(value["seconds"] for value in values)
        rows.append([case, f"{whole:.2f}", f"{inside:.2f}", ratio, ends])
    return BENCH.table([part, "command, s", "computation, s", "times as long", "nodes in the end"], rows)


def section(kept, arguments):
    """What was measured where, and the tables of some parts."""
    worst = max(difference(runs) for runs in kept.values())
    rounds = min(len(values) for runs in kept.values() for values in runs.values())
    day = datetime.date.fromtimestamp(STORE.stat().st_mtime)
    about = (f"Three hosts of {arguments.speeds} % of a core, links of {arguments.rate} (`scripts/bench/planned.py`). Ratios are to "
             f"the first case; answers differ by {worst:.1e} of them at most. {BENCH.machine()}; {day}; {rounds} rounds.")
    tables = "\n\n".join(table(part, runs).strip() for part, runs in kept.items())
    return f"{textwrap.fill(about, 99)}\n\n{tables}"


def main():
    """Measures, and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tegula", type=pathlib.Path, help="another build of the program")
    parser.add_argument("--rate", default="1gbit", help="of each link")
    parser.add_argument("--speeds", default="80,55,30", help="percent of a core of each host")
    parser.add_argument("--gather", action="store_true", help="tables of the runs that are kept")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--part", action="append", choices=PARTS, help="all, unless told otherwise")
    arguments = parser.parse_args()
    if arguments.tegula:
        BENCH.TEGULA = arguments.tegula.resolve()
    kept = json.loads(STORE.read_text()) if arguments.gather else measured(arguments)
    sections = {}
    for heading, parts in SECTIONS.items():
        if runs := {part: kept[part] for part in parts if part in kept}:
            sections[heading] = section(runs, arguments)
            print(f"\n{sections[heading]}")
    if arguments.write:
        BENCH.write(sections)


def measured(arguments):
    """Runs of all cases, by part and case."""
    speeds = [int(speed) for speed in arguments.speeds.split(",")]
    kept = {}
    with Hosts(arguments.rate) as hosts:
        for words in DATA:
            subprocess.run([BENCH.TEGULA, *words.split()], cwd=hosts.data, check=True)
        for part in arguments.part or PARTS:
            runs = kept[part] = {}
            for _ in range(arguments.rounds):
                for case, words in cases(part, speeds).items():
                    for host, speed in enumerate(speeds, 1):
                        hosts.script("speed", str(speed), f"n{host}")
                    value = run(hosts, part, words)
                    runs.setdefault(case, []).append(value)
                    print(part, case, value, flush=True)
                    STORE.parent.mkdir(parents=True, exist_ok=True)
                    STORE.write_text(json.dumps(kept, indent=1))
    return kept


if __name__ == "__main__":
    main()
