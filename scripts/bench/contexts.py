#!/usr/bin/env python3
"""Simulates the experiments on scheduling contexts of Hugo (2014), chapters 2 and 3 and appendix C,
on platform mirage-d, and writes scripts/bench/results/contexts.md.

    scripts/bench/contexts.py [--tegula PROGRAM] [--write]

Times are virtual, the same on every machine, but for those that decisions take.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORM = ROOT / "plan/platforms/mirage-d.toml"
LINES = []


def say(text=""):
    LINES.append(text)
    print(text)


def table(header, rows):
    say("| " + " | ".join(str(cell) for cell in header) + " |")
    say("|" + "---|" * len(header))
    for row in rows:
        say("| " + " | ".join(str(cell) for cell in row) + " |")
    say()


def kernel(name, n, nb, **more):
    return {"name": name, "algorithm": "potrf", "n": n, "tile_size": nb, **more}


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value)


def compose(kernels, moves=(), *flags):
    """Runs a composition, and returns its JSON."""
    lines = []
    for part, entries in (("kernel", kernels), ("move", moves)):
        for entry in entries:
            lines.append(f"[[{part}]]")
            lines += [f"{key} = {toml(value)}" for key, value in entry.items()]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        command = [TEGULA, "compose", file.name, "--platform", PLATFORM, *flags, "--json", "-"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit("\n".join(lines) + f"\n{done.stderr}")
    return json.loads(done.stdout)


def share(value):
    return f"{100 * value:.2f} %"


def devices(run):
    return " / ".join(share(memory["hits"]) for memory in run["hits"]["per_memory"][1:])


def hits(title, printed, runs):
    """A table of hits, bytes and times: theirs beside ours."""
    say(f"### {title}")
    say()
    names = list(runs)
    header = ["", *[f"theirs, {name}" for name in names], *[f"ours, {name}" for name in names]]
    ours = [
        [share(run["hits"]["per_memory"][0]["hits"]) for run in runs.values()],
        [devices(run) for run in runs.values()],
        [share(run["hits"]["total"]) for run in runs.values()],
        [f"{run['bytes_moved'] / 1e9:.2f}" for run in runs.values()],
        [f"{run['seconds']:.2f}" for run in runs.values()],
    ]
    labels = ["hits of the host", "hits of the devices", "hits in all", "GB moved", "s"]
    table(header, [[label, *theirs, *own] for label, theirs, own in zip(labels, printed, ours)])


def matrices(count, contexts, **more):
    """So many factorisations of order 19200, dealt out to so many contexts."""
    kernels = []
    for number in range(count):
        context = f"c{number % contexts}"
        own = {} if number >= contexts else {"workers": {"cpu": 3, "cuda": 1}, **more}
        kernels.append(kernel(f"k{number}", 19200, 960, context=context, **own))
    return kernels


def e3_and_e4(policy):
    flags = ["--policy", policy]
    three = {
        "interleaved": compose(matrices(3, 3), (), "--contexts", "none", *flags),
        "3 contexts": compose(matrices(3, 3), (), *flags),
    }
    hits(
        f"Three Cholesky factorisations, order 19200, tiles of 960, {policy} (E3)",
        [
            ["92.67 %", "91.35 %"],
            ["76.97 / 74.26 / 74.64 %", "87.96 / 88.08 / 87.86 %"],
            ["80.26 %", "88.93 %"],
            ["51.98", "22.82"],
            ["8.55", "8.43"],
        ],
        three,
    )
    nine = {
        "serial": compose(matrices(9, 3), (), "--contexts", "serial", *flags),
        "interleaved": compose(matrices(9, 3), (), "--contexts", "none", *flags),
        "3 contexts": compose(matrices(9, 3), (), *flags),
        "9 contexts": compose(matrices(9, 9, shared=True), (), *flags),
    }
    hits(
        f"Nine of them, {policy} (E4)",
        [
            ["89.19 %", "91.96 %", "90.25 %", "90.16 %"],
            ["78.29 / 74.73 / 74.73 %", "75.50 / 70.90 / 70.11 %", "91.44 / 90.98 / 91.37 %", "91.87 / 91.48 / 92.08 %"],
            ["79.33 %", "78.12 %", "90.97 %", "91.35 %"],
            ["160.70", "172.05", "66.65", "74.62"],
            ["29.20", "27.79", "25.32", "25.27"],
        ],
        nine,
    )
    return three, nine


def large_and_small(large=None, small=None):
    give = lambda workers: {} if workers is None else {"workers": workers}
    return [
        kernel("large", 39360, 960, **give(large)),
        kernel("small", 19968, 192, **give(small)),
    ]


def e6(policy):
    flags = ["--policy", policy]
    alone = compose(large_and_small(), (), "--contexts", "none", *flags)
    serial = compose(large_and_small(), (), "--contexts", "serial", *flags)
    splits = {}
    for gpus in range(4):
        for cores in range(10):
            large = {"cuda": gpus, "cpu": cores}
            small = {"cuda": 3 - gpus, "cpu": 9 - cores}
            if 0 in (gpus + cores, 12 - gpus - cores):
                continue
            run = compose(large_and_small(large, small), (), *flags)
            splits[gpus, cores] = run["seconds"]
    shared = compose(
        [
            kernel("large", 39360, 960, workers={"cuda": 3, "cpu": 1}, shared=True),
            kernel("small", 19968, 192, workers={"cuda": 3, "cpu": 8}, shared=True),
        ],
        (),
        *flags,
    )
    say(f"### Large (39360, tiles of 960) and small (19968, tiles of 192), {policy} (E6)")
    say()
    best = min(splits, key=splits.get)
    thesis = splits[3, 1]
    rows = [
        ["one scheduler for both", "32.19", f"{alone['seconds']:.2f}"],
        ["one after the other", "", f"{serial['seconds']:.2f}"],
        ["best static split", "30.61 (3 devices, 1 core)", f"{splits[best]:.2f} ({best[0]} devices, {best[1]} cores)"],
        ["3 devices and 1 core for the large one", "30.61", f"{thesis:.2f}"],
        ["devices shared by both", "worse", f"{shared['seconds']:.2f}"],
    ]
    static = {}
    for how in ("feft", "teft"):
        run = compose(large_and_small(), (), "--contexts", how, *flags)
        static[how] = run["seconds"]
        theirs = "30.61" if how == "teft" else ""
        rows.append([f"split by {how} at the start", theirs, f"{run['seconds']:.2f}"])
    table(["", "theirs, s", "ours, s"], rows)
    say("Every split, by devices and cores of the large one (s):")
    say()
    table(
        ["devices", *range(10)],
        [[gpus, *[f"{splits[gpus, c]:.1f}" if (gpus, c) in splits else "" for c in range(10)]] for gpus in range(4)],
    )
    return alone["seconds"], serial["seconds"], splits[best], static


def e7(policy, best, alone, serial):
    """From a wrong start: ISpeed, and FEFT under several idle limits."""
    wrong = large_and_small({"cuda": 3, "cpu": 7}, {"cpu": 2})
    flags = ["--policy", policy]
    still = compose(wrong, (), *flags)
    say(f"### From a wrong start: 3 devices and 7 cores for the large one, {policy} (E7, E9, E10)")
    say()
    rows = [["nobody moves workers", f"{still['seconds']:.2f}", "", ""]]
    runs = {}
    for name in ("ispeed", "feft", "teft", "idle"):
        run = compose(wrong, (), "--hypervisor", name, *flags)
        runs[name] = run
        last = run["workers_over_time"]
        rows.append([
            f"{name}, idle limit 20 ms",
            f"{run['seconds']:.2f}",
            sum(resize["policy"] == name for resize in run["resizes"]),
            f"{1e3 * run['hypervisor_seconds']:.1f}",
        ])
    table(["who moves", "s", "changes", "ms of decisions"], rows)
    say(f"The best static split takes {best:.2f} s, one scheduler {alone:.2f}, one after the other {serial:.2f}.")
    say()
    limits = ["5ms", "20ms", "50ms", "200ms", "1s", "5s", "20s"]
    sweep = [compose(wrong, (), "--hypervisor", "feft", "--idle-limit", limit, "--speed-gap", "1e9", "--window", "1000s", *flags) for limit in limits]
    say("FEFT by the idle limit alone (s):")
    say()
    table(limits, [[f"{run['seconds']:.2f}" for run in sweep]])
    windows = ["100ms", "500ms", "1s", "2s", "5s", "10s"]
    sweep = [compose(wrong, (), "--hypervisor", "feft", "--idle-limit", "1000s", "--window", window, *flags) for window in windows]
    say("FEFT by the window alone, after each of which it looks again (s):")
    say()
    table(windows, [[f"{run['seconds']:.2f}" for run in sweep]])
    return runs


def e5(policy):
    """Three large ones in turn, beside three small ones that come now and then."""
    flags = ["--policy", policy]

    def kernels(contexts):
        own = {"workers": {"cuda": 3, "cpu": 9}} if contexts else {}
        return [
            kernel("large", 29760, 960, repeat=3, **own),
            kernel("small", 14976, 192, repeat=3, every="9s", start="2s"),
        ]

    moves = [
        {"when": "small:start", "from": "large", "to": "small", "cpu": 4},
        {"when": "small:end", "from": "small", "to": "large", "cpu": 4},
    ]
    alone = compose(kernels(False), (), "--contexts", "none", *flags)
    contexts = compose(kernels(True), moves, *flags)
    say(f"### Workers on demand: three of order 29760 in turn, three of 14976 now and then, {policy} (E5)")
    say()
    mean = lambda run: sum(k["seconds"] for k in run["kernels"] if k["name"].startswith("small")) / 3
    table(
        ["", "theirs, s", "ours, s", "mean time of a small one, s"],
        [
            ["one scheduler for both", "19.7", f"{alone['seconds']:.2f}", f"{mean(alone):.2f}"],
            ["4 cores for each small one", "17.2", f"{contexts['seconds']:.2f}", f"{mean(contexts):.2f}"],
        ],
    )
    return alone, contexts


def e11(policy):
    """A factorisation and an iterative solver of two sub-domains."""
    flags = ["--policy", policy]

    def kernels(cholesky, cfd):
        give = lambda workers: {} if workers is None else {"workers": workers}
        return [
            kernel("cholesky", 14976, 960, **give(cholesky)),
            {"name": "cfd", "algorithm": "stencil", "tiles": 2, "tile_size": 18371, "passes": 200, **give(cfd)},
        ]

    say(f"### Cholesky (14976, tiles of 960) and a solver of two sub-domains, 200 iterations, {policy} (E11)")
    say()
    rows = [["one scheduler for both", "16.42", f"{compose(kernels(None, None), (), '--contexts', 'none', *flags)['seconds']:.2f}"]]
    for name, cholesky, cfd in [
        ("solver on 3 devices, Cholesky on 9 cores", {"cpu": 9}, {"cuda": 3}),
        ("solver on 2 devices, Cholesky on 1 and 9 cores", {"cuda": 1, "cpu": 9}, {"cuda": 2}),
        ("solver on 1 device, Cholesky on 2 and 9 cores", {"cuda": 2, "cpu": 9}, {"cuda": 1}),
        ("solver on 9 cores, Cholesky on 3 devices", {"cuda": 3}, {"cpu": 9}),
    ]:
        run = compose(kernels(cholesky, cfd), (), *flags)
        theirs = "best" if "2 devices, Ch" in name else ""
        rows.append([name, theirs, f"{run['seconds']:.2f}"])
    run = compose(kernels(None, None), (), "--contexts", "teft", *flags)
    rows.append(["split by teft at the start", "", f"{run['seconds']:.2f}"])
    table(["", "theirs, s", "ours, s"], rows)


def e8(policy):
    """What a decision costs."""
    say("### What a decision takes (E8)")
    say()
    rows = []
    for name, theirs in (("feft", "0.07 to 1.26"), ("teft", "16.48 to 2321.57")):
        many = [kernel(f"k{n}", 9600, 192 if n % 2 else 960) for n in range(10)]
        run = compose(many, (), "--contexts", name, "--policy", policy)
        times = sorted(1e3 * r["decision_seconds"] for r in run["resizes"] if r["policy"] == name and r["decision_seconds"] > 0)
        rows.append([name, theirs, f"{times[0]:.3f} to {times[-1]:.3f}, median {times[len(times) // 2]:.3f}"])
    table(["", "theirs, ms", "ours, 10 contexts on 9 cores and 3 devices, ms"], rows)


def main():
    global TEGULA
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tegula", default=ROOT / "target/release/tegula")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    TEGULA = options.tegula
    say("# Scheduling contexts")
    say()
    say("`scripts/bench/contexts.py --write`: the experiments of Hugo (2014) on one node, simulated on")
    say("`mirage-d`, whose times are assumed; theirs are measured. Ratios can be compared, seconds cannot.")
    say()
    for policy in ("dmda", "dmdas"):
        say(f"## {policy}")
        say()
        e3_and_e4(policy)
        e5(policy)
        alone, serial, best, static = e6(policy)
        e7(policy, best, alone, serial)
        e11(policy)
    e8("dmda")
    if options.write:
        path = ROOT / "scripts/bench/results/contexts.md"
        # Remarks stay.
        remarks = path.read_text().partition("\n## Remarks\n")[2] if path.exists() else ""
        text = "\n".join(LINES).rstrip() + "\n"
        path.write_text(text + (f"\n## Remarks\n{remarks}" if remarks else ""))


if __name__ == "__main__":
    main()
