#!/usr/bin/env python3
"""Compares the network of simulated clusters with SimGrid's, message by message.

    scripts/bench/setup-peers simgrid                        once: the peer, under target/peers
    cargo build --release -p tegula-runtime --example cluster_messages
    scripts/bench/simgrid_network.py [--ours PROGRAM] [PATTERN ...]

Both read the same files (runtime/examples/cluster_messages.rs says what stands in them), which are kept with all arrivals under
target/bench/simgrid_network. The nodes form a star, with a latency of 20 us and 10 Gbit/s out of each and into it unless the
pattern says otherwise.

Four simulations of each pattern:
  fluid    SimGrid with the options in FLUID, so that it shares links as we say that we do
  LV08     SimGrid as it comes: the model that was fitted to TCP on clusters of 1 Gbit/s
  ours     with no limit to the messages that a node sends or receives at a time
  limited  ours as it comes: so many bytes at a time

A message takes the time from when it may go to when it has come; differences of these times are relative to fluid, a makespan is the
time from when the first may go to when the last has come. Without a PATTERN, networks that are drawn are compared besides.
"""

import argparse
import itertools
import json
import pathlib
import random
import statistics
import sys

sys.dont_write_bytecode = True
from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/bench/simgrid_network"
FLUID = (
    # Of Casanova and Marchal, 2002: streams share by round-trip time, which is one for all here. Latency and bandwidth count as they are
    # (both factors 1), and a narrow link makes no stream weaker (weight-S 0).
    "network/model:CM02",
    # No acknowledgements that take 5 % of the way back: what goes out does not slow what comes in.
    "network/crosstraffic:0",
    # No window of TCP, which would hold a stream to a window in each round trip.
    "network/TCP-gamma:0",
    # Shares are worked out anew for all streams at each event. By itself (LAZY) SimGrid does so for some of them, and what 3.32 then gives
    # out may be more than a link has, where nodes have unequal rates.
    "network/optim:Full",
)

LAZY = "network/optim:Lazy"

LATENCY = 20e-6
GBIT = 125e6
KB, MB = 1000, 1_000_000
# When a pattern begins, after receivers have said that they have room.
BEGIN = 1e-3


def star(messages, rates=None, backbone=None):
    """A pattern: messages (sender, receiver, bytes, and perhaps seconds and the message before) between nodes of these rates."""
    full = [(*message, BEGIN, -1) if len(message) == 3 else message for message in messages]
    count = 1 + max(max(message[:2]) for message in full)
    return {"rates": rates or [10 * GBIT] * count, "backbone": backbone, "messages": full}


def exchange(count, size):
    """From each of so many nodes to each other."""
    return [(a, b, size) for a, b in itertools.permutations(range(count), 2)]


def chain(count, size):
    """There and back between two nodes, each when the last has come."""
    first = (0, 1, size, BEGIN, -1)
    return [first, *((k % 2, 1 - k % 2, size, 0, k - 1) for k in range(1, count))]


def drawn(count, nodes, seconds, seed):
    """So many messages between nodes, and at times, that are drawn; the logarithms of sizes are uniform, from 2 kB to 20 MB."""
    rng = random.Random(seed)
    pairs = [rng.sample(range(nodes), 2) for _ in range(count)]
    return [(*pair, int(2 * KB * 10 ** rng.uniform(0, 4)), BEGIN + rng.uniform(0, seconds), -1) for pair in pairs]


UNEQUAL = [25 * GBIT] * 8 + [GBIT] * 8
PATTERNS = {
    "1 kB .. 100 MB, each alone": star([(2 * k, 2 * k + 1, KB * 10**k) for k in range(6)]),
    "there and back, 20 x 1 MB": star(chain(20, MB)),
    "one to 15, 1 .. 15 MB": star([(0, k, k * MB) for k in range(1, 16)]),
    "15 to one, 1 .. 15 MB": star([(k, 0, k * MB) for k in range(1, 16)]),
    "16 all to all, 10 MB": star(exchange(16, 10 * MB)),
    "16 all to all, 10 kB": star(exchange(16, 10 * KB)),
    "16 all to all, 1 kB": star(exchange(16, KB)),
    "16 shifted by 5, 10 MB": star([(k, (k + 5) % 16, 10 * MB) for k in range(16)]),
    "16 all to all, 1 and 25 Gbit/s": star(exchange(16, 10 * MB), UNEQUAL),
    "16 all to all, backbone of 40 Gbit/s": star(exchange(16, 10 * MB), backbone=40 * GBIT),
    "400 drawn": star(drawn(400, 16, 0.05, 1)),
    "400 drawn, 1 and 25 Gbit/s": star(drawn(400, 16, 0.3, 2), UNEQUAL),
    "400 drawn, the same and backbone of 10 Gbit/s": star(drawn(400, 16, 0.3, 3), UNEQUAL, 10 * GBIT),
}


def network(seed):
    """Up to 400 messages between up to 20 nodes of 1 to 100 Gbit/s, half of the time with a backbone."""
    rng = random.Random(seed)
    rates = [rng.choice((1, 10, 25, 100)) * GBIT for _ in range(rng.randint(2, 20))]
    messages = drawn(rng.randint(1, 400), len(rates), rng.choice((0, 0.01, 0.1, 1)), seed)
    return star(messages, rates, rng.choice((None, rng.uniform(5, 100) * GBIT)))


def write(name, pattern):
    """The file of a pattern."""
    lines = [f"latency {LATENCY}", *(f"node {rate} {rate}" for rate in pattern["rates"])]
    lines += [f"backbone {pattern['backbone']}"] if pattern["backbone"] else []
    lines += ["message {} {} {} {:.9f} {}".format(*message) for message in pattern["messages"]]
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def simulate(program, path, words, pattern):
    """What a program says of a pattern: how long each message takes, and the makespan."""
    arrivals = [float(line) for line in BENCH.run([program, path, *words])[0].split()]
    times = []
    for arrival, (*_, start, before) in zip(arrivals, pattern["messages"], strict=True):
        times.append(arrival - start - (arrivals[before] if before >= 0 else 0))
    first = min(start for *_, start, before in pattern["messages"] if before < 0)
    return {"times": times, "makespan": max(arrivals) - first}


def differences(run, reference):
    """Relative difference of the time of each message."""
    return [abs(a - b) / b for a, b in zip(run["times"], reference["times"], strict=True)]


def percent(share):
    """To two digits after the point, or none where it is large."""
    return f"{100 * share:.{2 if share < 0.1 else 0}f} %"


def compare(name, programs):
    """The row of a pattern."""
    pattern = PATTERNS[name]
    path = write(name.replace(" ", "_").replace("/", "_"), pattern)
    runs = {key: simulate(program, path, words, pattern) for key, (program, words) in programs.items()}
    path.with_suffix(".json").write_text(json.dumps(runs, indent=1))
    fluid = runs.pop("fluid")
    row = [name, f"{1e3 * fluid['makespan']:.4g}"]
    for run in runs.values():
        apart = differences(run, fluid)
        row += [f"{run['makespan'] / fluid['makespan']:.3f}", percent(statistics.median(apart)), percent(max(apart))]
    return row


def compare_drawn(count, programs):
    """What networks that are drawn come to."""
    worst, strays = 0, 0
    for seed in range(count):
        pattern = network(seed)
        path = write("drawn", pattern)
        fluid, ours = (simulate(program, path, words, pattern) for program, words in (programs["fluid"], programs["ours"]))
        program, words = programs["fluid"]
        lazy = simulate(program, path, [*words, f"--cfg={LAZY}"], pattern)
        worst = max(worst, *differences(ours, fluid))
        strays += max(differences(lazy, fluid)) > 0.01
    return f"Of {count} drawn networks: largest difference {100 * worst:.4f} %; {LAZY} differs by more than 1 % in {strays}."


def main():
    """Simulates the patterns that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ours = ROOT / "target/release/examples/cluster_messages"
    parser.add_argument("--ours", type=pathlib.Path, default=ours, help="another build of the example")
    parser.add_argument("patterns", nargs="*", choices=[[], *PATTERNS])
    arguments = parser.parse_args()
    theirs = BENCH.PEERS / "simgrid_network"
    if not theirs.exists():
        sys.exit("the peer is not there: run scripts/bench/setup-peers simgrid first")
    quiet = "--log=root.thres:warning"
    programs = {
        "fluid": (theirs, [quiet, *(f"--cfg={option}" for option in FLUID)]),
        "ours": (arguments.ours.resolve(), ["unlimited"]),
        "limited": (arguments.ours.resolve(), []),
        "LV08": (theirs, [quiet]),
    }
    heads = ["", "fluid, ms", "ours", "median", "largest", "limited", "median", "largest", "LV08", "median", "largest"]
    print(BENCH.table(heads, [compare(name, programs) for name in arguments.patterns or PATTERNS]))
    if not arguments.patterns:
        print(f"\n{compare_drawn(100, programs)}")


if __name__ == "__main__":
    main()
