#!/usr/bin/env python3
"""Strategies that choose how many nodes a factorisation uses, on sixteen simulated sets of nodes.

    cargo build --release
    scripts/bench/adapt.py [--write]

Each set is simulated with every count of nodes (tegula adapt pool), which takes some twenty minutes on two cores and is kept
in target/bench/adapt; then each strategy makes 30 runs of 127 choices on it (tegula adapt replay). Of sets of 80 nodes
and more, which take longest, it is every second count. L. L. Nesi's thesis names few of its sets; these contain those.
One set is simulated with counts of both phases. --write puts the tables into scripts/bench/results/adapt.md.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import textwrap

from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/bench/adapt"
TABLE = ROOT / "scripts/bench/results/adapt.md"
G5K = {"L": "chifflot", "M": "chifflet", "S": "chetemi"}
SDUMONT = {"L": "b715-gpu", "M": "b715-gpu-1", "S": "b715"}
SETS = [
    *((G5K, 101, nodes) for nodes in ("2L-4M-4S", "2L-6M-6S", "2L-6M-15S", "6L-15S", "6L-30S", "4M-15S")),
    *((G5K, 128, nodes) for nodes in ("2L-6M-6S", "2L-6M-15S", "6L-6M-15S", "6L-30S")),
    *((SDUMONT, 101, nodes) for nodes in ("4L-12S", "8L-8M-16S")),
    *((SDUMONT, 128, nodes) for nodes in ("16L-16M-32S", "8L-60S", "64L-16S", "64L-64S")),
]
BOTH = (G5K, 128, "2L-6M-15S")
# Of sets of so many nodes every second count is simulated.
MANY = 80
ORDER = ["gp-discontinuous", "gp-ucb", "ucb", "ucb-struct", "dichotomy", "right-left", "left-right", "brent"]


def tegula(*words):
    command = [BENCH.TEGULA, "adapt", *map(str, words), "--quiet", "--json", "-"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def pool(kinds, tiles, nodes, both=False):
    """The file with what each count of nodes takes."""
    site = "G5K" if kinds is G5K else "SD"
    name = f"{site} {nodes} {tiles}" + (" both" if both else "")
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        nodes_of = "+".join(part[:-1] + kinds[part[-1]] for part in nodes.split("-"))
        count = sum(int(part[:-1]) for part in nodes.split("-"))
        flags = ["--both-phases"] * both + ["--every", 2] * (both or count >= MANY)
        tegula("pool", "--platform", nodes_of, "--tiles", tiles, *flags, "-o", path)
        print(name, flush=True)
    return path


def percent(share):
    return f"{100 * share:.1f}"


def losses(pools):
    """How much longer than with the best count runs take."""
    rows = []
    for one in pools:
        of = {strategy["name"]: strategy for strategy in one["strategies"]}
        all_loss = one["all_nodes_seconds"] / one["best_seconds"] - 1
        rows.append([
            one["name"],
            one["best"]["factorization"],
            f"{one['best']['seconds']:.1f}",
            one["bound_nodes"],
            percent(all_loss),
            *(percent(of[name]["loss_to_best"]) for name in ORDER),
        ])
    head = ["set", "best count", "s", "bound", "all nodes", *ORDER]
    return BENCH.table(head, rows)


def deciding(pools):
    rows = []
    for name in ORDER:
        of = [strategy for one in pools for strategy in one["strategies"] if strategy["name"] == name]
        mean = sum(strategy["decision_seconds"] for strategy in of) / len(of)
        longest = max(strategy["longest_decision_seconds"] for strategy in of)
        within = sum(strategy["loss_to_best"] <= 0.03 for strategy in of)
        worst = max(strategy["loss_to_best"] for strategy in of)
        rows.append([name, f"{1e6 * mean:.1f}", f"{1e3 * longest:.2f}", within, percent(worst)])
    return BENCH.table(["strategy", "mean, us", "longest, ms", "sets within 3 %", "worst loss, %"], rows)


def claims(pools, two, line):
    """What chapter 7 of the thesis says, and what came out; the last column says from which script."""
    lost = {one["name"]: {of["name"]: of["loss_to_best"] for of in one["strategies"]} for one in pools}
    all_lost = {one["name"]: one["all_nodes_seconds"] / one["best_seconds"] - 1 for one in pools}
    gp = {name: of["gp-discontinuous"] for name, of in lost.items()}
    gains = {name: (1 + all_lost[name]) / (1 + gp[name]) - 1 for name in gp}
    most = max(gains, key=gains.get)
    full = [name for name, loss in all_lost.items() if loss < 5e-4]
    decisions = [of for one in pools for of in one["strategies"] if of["name"] == "gp-discontinuous"]
    mean = sum(of["decision_seconds"] for of in decisions) / len(decisions)
    longest = max(of["longest_decision_seconds"] for of in decisions)
    small, large = "G5K 2L-6M-6S 101", "G5K 6L-30S 101"
    best, gain = two["best"], 1 - two["best"]["seconds"] / line["best"]["seconds"]
    dumont = [name for name in gp if name.startswith("SD")]
    worse = [name for name in dumont if lost[name]["ucb"] > all_lost[name]]
    holds = lambda condition: "holds" if condition else "does not hold"  # noqa: E731
    rows = [
        ["C34: most that gp-discontinuous gains over all nodes", "51.2 %",
         f"{100 * gains[most]:.0f} % ({1 + all_lost[most]:.3f} over {1 + gp[most]:.3f} times the best; "
         f"{100 * (1 - 1 / (1 + gains[most])):.0f} % less time), {most}", holds(gains[most] > 0.4), ""],
        ["C35: its loss where all nodes are best", "below 1 %",
         f"{' and '.join(percent(gp[name]) + ' %' for name in full)} ({', '.join(full)})",
         holds(full and all(gp[name] < 0.01 for name in full)), ""],
        ["C36: time of a decision", "40 to 60 ms", f"{1e3 * mean:.3f} ms, {1e3 * longest:.2f} ms at most",
         holds(longest < 0.06), "R there, and a process of fewer points here"],
        ["C37: best count found by iteration 20 on 6L-30S, few above it tried", "so",
         f"{percent(gp[large])} % lost over 127 iterations", "in part" if gp[large] > 0.03 else "holds",
         "its groups end at 6, which is the best count here"],
        ["C38: gp-ucb good on 2L-6M-6S, tries all of 6L-30S", "so",
         f"loses {percent(lost[small]['gp-ucb'])} % and {percent(lost[large]['gp-ucb'])} %",
         holds(lost[small]["gp-ucb"] < 0.05 < lost[large]["gp-ucb"]), ""],
        ["C39: fewer nodes for the generation, too", "3 % less",
         f"{percent(gain)} % less at {best['generation']} and {best['factorization']} of "
         f"{line['groups'][-1]} ({BOTH[2]} {BOTH[1]})", holds(gain > 0.01), ""],
        ["C43: ucb worse than all nodes on a set of SDumont", "so",
         f"on {len(worse)} of {len(dumont)} ({percent(lost[dumont[-1]]['ucb'])} against "
         f"{percent(all_lost[dumont[-1]])} % over the best on {dumont[-1].split()[1]})", holds(worse), ""],
    ]
    head = ["claim", "thesis", "here", "verdict", "why they differ", "part"]
    return BENCH.table(head, [[*row, "`adapt.py`"] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write results/adapt.md")
    write = parser.parse_args().write
    FOLDER.mkdir(parents=True, exist_ok=True)
    # A pool is simulated on one core: the longest first, as many at a time as there are cores.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
        both = executor.submit(pool, *BOTH, both=True)
        paths = [executor.submit(pool, *one) for one in reversed(SETS)]
    both, paths = both.result(), [path.result() for path in reversed(paths)]
    pools = tegula("replay", *paths)["pools"]
    [two] = tegula("replay", both)["pools"]
    best = two["best"]
    of_two = {strategy["name"]: strategy for strategy in two["strategies"]}
    line = next(one for one in pools if one["name"] == paths[SETS.index(BOTH)].stem)
    text = f"""\
# How many nodes a factorisation uses

Strategies of `tegula adapt replay` on durations that `tegula adapt pool` simulated, for every count of nodes
(every second one, and borders of groups, of sets of {MANY} nodes and more): `scripts/bench/adapt.py --write`. Each of 30 runs makes 127 choices; a duration has a standard deviation of 0.5 s. Nodes
are sorted by power; the generation of the matrix has all of them. L. L. Nesi's thesis (chapter 7) names few of its
sixteen sets; these contain those, and are ours otherwise. For the process of gp-discontinuous, whose range is one node,
every second count is harder: it tries most of them once. The name says site, nodes (L, M, S: large, medium, small) and
tiles along an edge.

The table has in per cent how much longer all choices together take than always the best count would. "Bound" is the
fewest nodes that the linear programme does not exclude.

{losses(pools)}

Over the sixteen sets:

{deciding(pools)}

With counts of both phases (every second one, and borders of groups) on {two["name"].removesuffix(" both")}: the best is
{best["generation"]} nodes for the generation and {best["factorization"]} for the factorisation, {best["seconds"]:.2f} s,
where the best with all nodes for the generation takes {line["best"]["seconds"]:.2f} s. Beside that best,
gp-discontinuous loses {percent(of_two["gp-discontinuous"]["loss_to_best"])} %, gp-ucb
{percent(of_two["gp-ucb"]["loss_to_best"])} %.

Claims of chapter 7, counted on from those of [unequal nodes](nodes.md):

{claims(pools, two, line)}

{BENCH.machine()}; {datetime.date.today()}.
"""
    parts = text.strip().split("\n\n")
    text = "\n\n".join(part if part[0] in "|#" else textwrap.fill(part, 100) for part in parts) + "\n"
    print(text)
    if write:
        TABLE.write_text(text)


if __name__ == "__main__":
    main()
