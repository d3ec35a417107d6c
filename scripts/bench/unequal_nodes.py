#!/usr/bin/env python3
"""Clusters of unequal nodes, simulated: a thesis's claims beside what comes out here.

    scripts/bench/unequal_nodes.py [--tegula PROGRAM] [--full] [--write] [PART ...]

Runs the experiments of chapters 4 to 6 of L. L. Nesi's thesis ("Strategies for distributing task-based
applications on heterogeneous platforms", UGA and UFRGS, 2023) on the described nodes of plan/platforms, two
simulations at a time, and prints its claims (C1 to C45 by the order in which they come in the thesis) with its figure and
ours. What has run is kept in target/bench/unequal_nodes.json and not run again. --full adds the runs of
200 x 200 and 300 x 300 tiles on 100 nodes, which take minutes each, and more sets of nodes; --write puts the tables into
scripts/bench/results/nodes.md. The thesis prints few durations: the files of the nodes say where theirs come from.
"""

import argparse
import contextlib
import csv
import json
import pathlib
import subprocess
import sys
import textwrap
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE = ROOT / "target/bench/unequal_nodes.json"
CLUSTERS = ROOT / "target/bench/clusters"
ONES = ["1d1d", "1d1d-c", "1d1d-c+s"]
ALL = ["block-cyclic", *ONES]


# ---------------------------------------------------------------- running


class Runs:
    """Runs of the program, kept by their command lines."""

    def __init__(self, program):
        self.program, self.lock = program, threading.Lock()
        self.pool = ThreadPoolExecutor(2)
        self.kept = json.loads(STORE.read_text()) if STORE.exists() else {}

    def start(self, *arguments):
        """The result of `tegula ARGUMENTS --json -`, to be waited for."""
        command = [str(argument) for argument in arguments]
        return self.pool.submit(self.result, command)

    def result(self, command):
        key = " ".join(command)
        if key not in self.kept:
            done = subprocess.run([self.program, *command, "--json", "-", "--quiet"],
                                  capture_output=True, text=True, check=False, cwd=ROOT)
            if done.returncode:
                sys.exit(f"{key}: {done.stderr.strip()}")
            result = json.loads(done.stdout)
            nodes = result.pop("nodes", None) or []
            if isinstance(nodes, list):
                result["node_seconds"] = sum(node.get("last_task_seconds", 0) for node in nodes)
                for name in ("peak_bytes", "installed_bytes"):
                    result[name] = max((node.get(name) or 0 for node in nodes), default=0)
            with self.lock:
                self.kept[key] = result
                STORE.parent.mkdir(parents=True, exist_ok=True)
                STORE.write_text(json.dumps(self.kept, indent=0))
        return self.kept[key]

    def simulate(self, program, platform, tiles, *more):
        return self.start("simulate", program, "--platform", platform, "--tiles", tiles, *more)

    def lu(self, platform, tiles, distribution):
        return self.simulate("lu", platform, tiles, "--distribution", distribution)

    def plan(self, program, platform, tiles, distribution):
        return self.start("plan", program, "--platform", platform, "--tiles", tiles, "--distribution", distribution)


def described(name, lines):
    """The file of a machine or a cluster."""
    path = CLUSTERS / f"{name}.toml"
    CLUSTERS.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path.relative_to(ROOT)


def cluster(name, *nodes):
    """The file of a cluster; `nodes` are (count, platform, what differs)."""
    parts = [f'name = "{name}"']
    for count, platform, more in nodes:
        parts += ["[[node]]", f'platform = "{platform}"', f"count = {count}", *more]
    return described(name, parts)


def one_machine(name, *nodes):
    """The file of a machine with all workers of `nodes`, (count, platform), on one memory: nothing is sent."""
    classes, workers, kernels = [], [], []
    for count, platform in nodes:
        node = tomllib.loads((ROOT / f"plan/platforms/{platform}.toml").read_text())
        for kind in node["class"]:
            kind = {**kind, "name": f"{platform} {kind['name']}"}
            alike = [worker for worker in node["worker"] if f"{platform} {worker['class']}" == kind["name"]]
            classes.append(kind)
            workers.append({"class": kind["name"], "memory": "RAM", "pipeline": 1,
                            "count": count * sum(worker["count"] for worker in alike)})
        kernels += [{**kernel, "class": f"{platform} {kernel['class']}"} for kernel in node["kernel"]]
    parts = [f'name = "{name}"', f'source = "the workers of {nodes}"', 'precision = "d"']
    tables = {"memory": [{"name": "RAM", "kind": "ram"}], "class": classes, "worker": workers, "kernel": kernels}
    for table_name, entries in tables.items():
        for entry in entries:
            parts += [f"[[{table_name}]]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    return described(name, parts)


def seconds(run):
    return run.result()["makespan_seconds"]


def messages(run):
    return run.result()["messages"]


def bound(run):
    result = run.result()
    # On one node a pass adds to its panels one after the other, on several it need not.
    path = 0 if result["program"] == "diodon" else result["cpb_seconds"]
    return max(result["abe_seconds"], path)


def share(value, base):
    """How much less `value` is than `base`."""
    return f"{100 * (1 - value / base):+.1f} %"


def table(head, rows):
    return BENCH.table(head, rows) + "\n"


# ---------------------------------------------------------------- the parts


def real(runs, _):
    """Real makespans of the thesis."""
    cases = [("C1", "15chetemi", "block-cyclic:3x5", 74.0), ("C2", "14chetemi+7chifflet", "1d1d", 40.0)]
    started = [(claim, nodes, name, theirs, runs.lu(nodes, 100, name)) for claim, nodes, name, theirs in cases]
    rows = [[claim, nodes, name, f"{theirs:.0f}", f"{seconds(run):.1f}"]
            for claim, nodes, name, theirs, run in started]
    return table(["claim", "nodes", "tiles", "thesis, real, s", "here, simulated, s"], rows)


def scaling(runs, is_full):
    """C3: LU of 100 x 100 tiles on 16 to 50 equal nodes; times as long as the bound."""
    counts = [*range(16, 51)] if is_full else [16, 17, 23, 25, 29, 30, 36, 37, 46, 47]
    started = [(n, [runs.lu(f"{n}chetemi", 100, name) for name in ("block-cyclic", "1d1d")]) for n in counts]
    rows = [[n, f"{bound(of[0]):.1f}", *(f"{seconds(run) / bound(run):.3f}" for run in of)] for n, of in started]
    return table(["chetemis", "bound, s", "block-cyclic", "1d1d"], rows)


def sets(runs, _):
    """C4 to C7: LU of 100 x 100 tiles on the sets of table 5.1, in seconds."""
    names = ["6chifflet", "8chifflet", "8chifflet+2chetemi", "8chifflet+4chetemi", "8chifflet+8chetemi",
             "8chifflet+14chetemi", "7chifflet+14chetemi"]
    started = [(name, {how: runs.lu(name, 100, how) for how in ALL}) for name in names]
    rows = [[name, f"{bound(of['1d1d']):.1f}", *(f"{seconds(of[how]):.2f}" for how in ALL),
             *(messages(of[how]) for how in ALL)] for name, of in started]
    head = ["nodes", "bound", *ALL, *(f"messages, {how}" for how in ALL)]
    return table(head, rows)


def search(runs, _):
    """Maps of 50 x 50 tiles found by 60 simulations each, beside 1D-1D and C+S, in seconds."""
    names = ["8chifflet+2chetemi", "8chifflet+8chetemi", "8chifflet+14chetemi", "7chifflet+14chetemi",
             "16chifflet+30chetemi", "20chetemi"]
    started = [(name, runs.lu(name, 50, "1d1d"), runs.lu(name, 50, "1d1d-c+s"),
                runs.start("plan", "lu", "--platform", name, "--tiles", 50, "--search", 60)) for name in names]
    rows = []
    for name, free, shuffled, found in started:
        result = found.result()
        best = result["search"]["makespan_seconds"]
        rows.append([name, f"{bound(free):.2f}", f"{seconds(free):.2f}", f"{seconds(shuffled):.2f}", f"{best:.2f}",
                     share(best, seconds(shuffled)), share(best, seconds(free)), messages(shuffled),
                     result["messages"]["factorization"]])
    return table(["nodes", "bound", "1d1d", "1d1d-c+s", "found", "less than c+s", "less than 1d1d",
                  "messages, c+s", "found"], rows)


def sizes(runs, _):
    """C8 to C11: LU on 16 chifflets and 30 chetemis; times as long as the bound. In one memory: the same workers on one
    memory, where no tile is anyone's and nothing is sent."""
    counts = [25, 50, 75, 100, 125, 150]
    one = one_machine("one-memory", (16, "chifflet"), (30, "chetemi"))
    started = [(n, {**{how: runs.lu("16chifflet+30chetemi", n, how) for how in ALL},
                    "in one memory": runs.simulate("lu", one, n)}) for n in counts]
    rows = [[n, f"{bound(of['1d1d']):.2f}", *(f"{seconds(of[how]) / bound(of[how]):.3f}" for how in of),
             *(messages(of[how]) for how in ALL)] for n, of in started]
    return table(["tiles", "bound, s", *started[0][1], *(f"messages, {how}" for how in ALL)], rows)


def hundred(runs, is_full):
    """C12 to C15: LU on 100 nodes; times as long as the bound."""
    levels = {
        "one 25 % slower": cluster("one-slower", (99, "chetemi", []), (1, "chetemi", ["speed = 0.75"])),
        "68 half as fast": cluster("half-as-fast", (32, "chetemi", []), (68, "chetemi", ["speed = 0.5"])),
    }
    counts = [80, 100, 150, *([200, 300] if is_full else [])]
    started = [(level, n, {how: runs.lu(path, n, how) for how in ALL})
               for n in counts for level, path in levels.items()]
    rows = [[level, n, f"{bound(of['1d1d']):.2f}", *(f"{seconds(of[how]) / bound(of[how]):.3f}" for how in ALL),
             *(messages(of[how]) for how in ALL)] for level, n, of in started]
    return table(["nodes", "tiles", "bound, s", *ALL, *(f"messages, {how}" for how in ALL)], rows)


# What is added, one after the other, to a synchronous likelihood (figure 6.4); memory is not simulated.
LIKELIHOOD = ["overlap", "local-solve", "priorities", "submission-order", "critical-worker"]
EMBEDDING = ["overlap", "split-gram", "read-order", "priorities"]


def ablation(runs, program, measures, cases):
    steps = [(f"with {measures[count - 1]}" if count else "synchronous", measures[count:])
             for count in range(len(measures) + 1)]
    started = []
    for label, arguments in cases:
        of = [runs.simulate(program, *arguments, *(["--without", ",".join(less)] if less else []))
              for _, less in steps]
        started.append((label, of))
    rows = [[label, *(f"{seconds(run):.2f}" for run in of), share(seconds(of[-1]), seconds(of[0])),
             f"{100 * of[-1].result()['utilization']:.1f} %", messages(of[0]), messages(of[-1])]
            for label, of in started]
    return table(["case", *(name for name, _ in steps), "gain", "busy in the end", "messages at first",
                  "and in the end"], rows)


def likelihood(runs, _):
    """C19 to C23: what overlap is worth in a likelihood on equal nodes, in seconds."""
    cases = [(f"{tiles} x {tiles} tiles, {nodes}", (nodes, tiles, "--distribution", "block-cyclic"))
             for tiles in (60, 101) for nodes in ("4chifflet", "6chifflet")]
    return ablation(runs, "exageostat", LIKELIHOOD, cases)


def embedding(runs, _):
    """C24 and C25: what overlap is worth in a pass over distances on equal nodes, in seconds."""
    cases = [(f"{tiles} x {tiles} tiles, {nodes}, {width} columns",
              (nodes, tiles, "--tile-size", 640, "--width", width, "--distribution", "block-cyclic"))
             for tiles in (75, 100) for nodes in ("4chifflet", "6chifflet") for width in (320, 1000)]
    return ablation(runs, "diodon", EMBEDDING, cases)


def ranks(first, count):
    return f"{first}-{first + count - 1}" if count > 1 else f"{first}"


class Set:
    """Unequal nodes, the fastest first."""

    def __init__(self, *nodes):
        self.nodes = nodes
        self.name = "+".join(f"{count}{kind}" for count, kind in nodes)
        self.fast = ranks(0, nodes[0][0])
        with_devices = sum(count for count, kind in nodes if kind not in ("chetemi", "chiclet", "b715"))
        self.devices = ranks(0, with_devices)


SETS = [
    Set((1, "chifflot"), (4, "chiclet")), Set((2, "chifflot"), (4, "chiclet")), Set((4, "chifflot"), (6, "chiclet")),
    Set((1, "chifflot"), (6, "chetemi")), Set((2, "chifflot"), (6, "chetemi")),
    Set((4, "chifflet"), (4, "chetemi")), Set((6, "chifflet"), (6, "chetemi")), Set((8, "chifflet"), (4, "chetemi")),
    Set((4, "chifflet"), (4, "chiclet")), Set((6, "chifflet"), (6, "chiclet")),
    Set((1, "chifflot"), (4, "chifflet")), Set((2, "chifflot"), (4, "chifflet")),
    Set((1, "chifflot"), (6, "chifflet"), (6, "chetemi")), Set((2, "chifflot"), (6, "chifflet"), (6, "chetemi")),
    Set((2, "chifflot"), (4, "chifflet"), (4, "chetemi")), Set((1, "chifflot"), (4, "chifflet"), (4, "chiclet")),
    Set((4, "b715-gpu"), (12, "b715")), Set((8, "b715-gpu"), (8, "b715")),
]


def planned(runs, program, tiles, more, hows, sets=SETS):
    """Distributions beside each other on some sets; the last column is the gain of the best plan."""
    started = []
    for nodes in sets:
        of = {label: runs.simulate(program, nodes.name, tiles, *more, "--distribution", how(nodes))
              for label, how in hows.items()}
        started.append((nodes, of))
    rows = []
    for nodes, of in started:
        best = min(seconds(run) for label, run in of.items() if label.startswith("lp"))
        rows.append([nodes.name, f"{bound(of['lp']):.2f}", *(f"{seconds(run):.2f}" for run in of.values()),
                     share(best, seconds(of["block-cyclic, fast"]))])
    return table(["nodes", "bound", *hows, "best plan beside block-cyclic on the fast"], rows)


PLANS = {
    "block-cyclic": lambda nodes: "block-cyclic",
    "block-cyclic, fast": lambda nodes: f"block-cyclic@{nodes.fast}",
    "1d1d": lambda nodes: "1d1d",
    "lp, free network": lambda nodes: "lp:free",
    "lp": lambda nodes: "lp",
    "lp-constrained": lambda nodes: "lp-constrained",
    "lp, devices factorise": lambda nodes: f"lp@{nodes.devices}",
}


def likelihoods(runs, is_full):
    """C26 to C29: a likelihood of 60 x 60 tiles on 18 sets of nodes, and of 101 x 101 on some, in seconds."""
    named = [SETS[0], SETS[2], SETS[12], SETS[13]]
    small = planned(runs, "exageostat", 60, (), PLANS)
    return small + "\n" + planned(runs, "exageostat", 101, (), PLANS, SETS if is_full else named)


DEALINGS = {
    "block-cyclic": lambda nodes: "block-cyclic",
    "block-cyclic, fast": lambda nodes: f"block-cyclic@{nodes.fast}",
    "1d1d": lambda nodes: "1d1d",
    "lp, free network": lambda nodes: "lp:free",
    "lp": lambda nodes: "lp",
}


PASS = ("--tile-size", 640, "--width", 1000)


def embeddings(runs, _):
    """C30 to C32: a pass over distances of 75 x 75, 100 x 100 and 200 x 200 tiles of 640 with 1000 columns, in seconds. The
    bound is what all readers take, or all workers, whichever is longer. Then what four nodes hold of the largest."""
    tables = [planned(runs, "diodon", tiles, PASS, DEALINGS) for tiles in (75, 100, 200)]
    large = runs.simulate("diodon", "4b715-gpu", 200, *PASS).result()
    gib = [f"{large[key] / 2**30:.1f}" for key in ("peak_bytes", "installed_bytes")]
    held = table(["200 x 200 tiles", "a node holds at most, GiB", "of"], [["4b715-gpu", *gib]])
    return "\n".join([*tables, held])


def times_of_nodes(runs, _):
    """C6: seconds until the last task of each node, of all 22 nodes together; LU of 100 x 100 tiles."""
    started = {how: runs.lu("8chifflet+14chetemi", 100, how) for how in ONES}
    base = started["1d1d"].result()["node_seconds"]
    return table(["tiles", "thesis, s", "here, s", "less than 1d1d"],
                 [[how, theirs, f"{of.result()['node_seconds']:.0f}", share(of.result()["node_seconds"], base)]
                  for (how, of), theirs in zip(started.items(), (768, 695, 722))])


def order(runs, _):
    """C20: priorities of all phases and the order of submission on unequal nodes, likelihoods of 101 x 101 tiles."""
    names = ["4chifflet", "1chifflot+4chiclet", "4chifflet+4chetemi", "2chifflot+4chifflet+4chetemi"]
    started = [(name, [runs.simulate("exageostat", name, 101, *more)
                       for more in ((), ("--without", "priorities,submission-order"))]) for name in names]
    rows = [[name, f"{seconds(without):.2f}", f"{seconds(whole):.2f}", share(seconds(whole), seconds(without))]
            for name, (whole, without) in started]
    return table(["nodes", "without, s", "with, s", "less"], rows)


def told(runs, *command):
    """What a command of the program writes to standard output."""
    command = [runs.program, *map(str, command), "--quiet"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


@contextlib.contextmanager
def trace_of(runs, program, platform, tiles, *more):
    """The JSON of a simulation and the path of its trace."""
    STORE.parent.mkdir(parents=True, exist_ok=True)
    path = STORE.parent / "unequal_nodes.trace"
    of_run = ("simulate", program, "--platform", platform, "--tiles", tiles, *more, "--trace", path)
    yield json.loads(told(runs, *of_run, "--json", "-")), path
    path.unlink()


def traced(runs, *of_run):
    """The JSON of a simulation and the summary of its trace."""
    with trace_of(runs, *of_run) as (run, path):
        return run, json.loads(told(runs, "trace", path, "--json", "-"))


def early(runs, _):
    """C23: busy workers in the first 95 % of a likelihood of 101 x 101 tiles on 4 chifflets, in per cent."""
    cases = [("asynchronous", "local-solve,priorities,submission-order,critical-worker", "93.01"),
             ("with local-solve", "priorities,submission-order,critical-worker", "99.55, with allocation"),
             ("all", None, "99.55")]
    rows = []
    for name, without, theirs in cases:
        more = ("--without", without) if without else ()
        _, trace = traced(runs, "exageostat", "4chifflet", 101, "--distribution", "block-cyclic", *more)
        classes = trace["classes"]
        workers = sum(of["workers"] for of in classes)
        rows.append([name, theirs, *(f"{100 * sum(of[key] * of['workers'] for of in classes) / workers:.1f}"
                                     for key in ("early_utilisation", "utilisation"))])
    return table(["overlap", "thesis, first 95 %", "here, first 95 %", "here, all"], rows)


def waiting(runs, *of_run):
    """Seconds of a simulation, and the share of the middle half of it in which devices run nothing, in per cent."""
    with trace_of(runs, *of_run) as (run, path):
        table_of_tasks = told(runs, "trace", path, "--table", "tasks")
    makespan = run["makespan_seconds"]
    first, last = 1e3 * makespan / 4, 3e3 * makespan / 4
    devices = [row for row in csv.DictReader(table_of_tasks.splitlines()) if "GPU" in row["ResourceId"]]
    busy = sum(max(0, min(float(row["End"]), last) - max(float(row["Start"]), first)) for row in devices)
    return makespan, 100 - 100 * busy / (last - first) / len({row["ResourceId"] for row in devices})


def locality(runs, _):
    """C41: what is urgent and has just come to the RAM is not on the device yet. A likelihood of 101 x 101 tiles on 6 chiclets
    and 2 chifflots with slower and slower links to the devices: seconds, and for which share of the middle half of the time a
    device runs nothing."""
    chifflot = (ROOT / "plan/platforms/chifflot.toml").read_text()
    rows = []
    for rate in (12, 6, 3):
        name = f"chifflot-{rate}"
        described(name, [chifflot.replace("12e9", f"{rate}e9").replace('name = "chifflot"', f'name = "{name}"')])
        nodes = cluster(f"6chiclet+2{name}", (6, "chiclet", []), (2, str(CLUSTERS / f"{name}.toml"), []))
        row = [f"{rate} GB/s"]
        for policy in ("dmdas", "dmdal"):
            makespan, idle = waiting(runs, "loglik", nodes, 101, "--distribution", "lp", "--policy", policy)
            row += [f"{makespan:.2f}", f"{idle:.1f} %"]
        rows.append(row)
    return table(["links of devices", "dmdas, s", "idle", "dmdal, s", "idle"], rows)


def evaluations(runs, _):
    """C40: evaluations of one fit of 101 x 101 tiles, generated and factorised by 8 or 23 of 8 chifflots and 15 chetemis,
    in seconds."""
    hows = [("8 and 8", "lp@0-7/0-7"), ("23 and 23", "lp@0-22/0-22"), ("23 and 8", "lp@0-22/0-7")]
    given = [text for _, how in hows for text in ("--distribution", how)]
    fit = runs.simulate("fit", "8chifflot+15chetemi", 101, "--evaluations", 3, *given)
    alone = [runs.simulate("loglik", "8chifflot+15chetemi", 101, "--distribution", how) for _, how in hows]
    rows = [[name, f"{own['seconds']:.2f}", f"{seconds(of):.2f}"]
            for (name, _), own, of in zip(hows, fit.result()["evaluations"], alone)]
    return table(["generation and factorisation", "in one fit", "alone"], rows)


FAULTS = [
    ("two slow nodes of 30", "lu", 60, ("--slow", "7,21=0.5"), "7, 21"),
    ("a node at 75 %", "lu", 60, ("--slow", "7=0.75"), "7"),
    ("a slow link", "lu", 60, ("--slow-link", "7=0.1"), "7"),
    ("a slow disk", "mds", 60, ("--slow-disk", "7=0.25"), "7"),
    ("a slow network", "lu", 60, ("--slow-link", "0-29=0.25"), "all"),
]


def faults(runs, _):
    """C42: crafted faults on 30 equal nodes, block-cyclic: the ranks that are behind most others in the progression of the
    trace at half of the time, the pair whose messages are slowest, and how much longer the run takes."""
    rows = []
    for name, program, tiles, more, is_there in FAULTS:
        common = (program, "30chetemi", tiles, "--distribution", "block-cyclic")
        even = seconds(runs.simulate(*common))
        run, trace = traced(runs, *common, *more)
        groups = trace["progression"][4]["groups"]
        most = max(groups, key=lambda group: len(group["ranks"]))
        behind = sorted(rank for group in groups[:groups.index(most)] for rank in group["ranks"])
        slowest = min(trace["pairs"], key=lambda pair: pair["bytes_per_second"] or float("inf"))
        rows.append([name, is_there, ", ".join(map(str, behind)) or "none", f"{100 * groups[0]['share']:.0f} %",
                     f"{100 * most['share']:.0f} %", f"{slowest['from']} to {slowest['to']}",
                     f"{run['makespan_seconds'] / even:.2f}"])
    return table(["fault", "nodes", "behind most", "the last's progress", "that of most", "slowest messages",
                  "times as long"], rows)


PARTS = {part.__name__: part for part in
         (real, scaling, sets, search, sizes, hundred, likelihood, embedding, likelihoods, embeddings, times_of_nodes,
          order, early, locality, evaluations, faults)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} [default: all]")
    parser.add_argument("--tegula", default=str(ROOT / "target/release/tegula"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--write", action="store_true")
    flags = parser.parse_args()
    if unknown := [part for part in flags.parts if part not in PARTS]:
        parser.error(f"there is no part {', '.join(unknown)}; give some of {', '.join(PARTS)}")
    runs = Runs(flags.tegula)
    text = ""
    for name in flags.parts or PARTS:
        part = PARTS[name]
        text += f"{textwrap.fill(' '.join(part.__doc__.split()), 99)}\n\n{part(runs, flags.full)}\n"
    print(text)
    if flags.write:
        BENCH.write({"unequal nodes, simulated": text.strip()})


if __name__ == "__main__":
    main()
