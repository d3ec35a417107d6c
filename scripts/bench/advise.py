#!/usr/bin/env python3
"""Measures what `tegula batch advise` gains on a Slurm: jobs that share files, as listed and as advised. As root.

    cargo build --release
    sudo scripts/bench/advise.py [--rounds N] [--write]

Three hosts with two cores each (network namespaces of this machine, links of 200 Mbit/s, a Slurm over them) run 120 jobs,
ten of each of twelve files of 20 MB, which a web server on the head node has; jobs compute for 2 s. Each job by itself
copies its file to its host's scratch folder. With copies that stay, it does so unless the file is there, and Slurm
chooses the hosts; as advised, the script that `advise` has written names them. Jobs say how long they waited. --write
puts the table into scripts/bench/results/advise.md.
"""

import argparse
import datetime
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from common import BENCH

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOSTS = ROOT / "scripts/slurm/hosts"
FILES, JOBS_OF_EACH, SECONDS, MEGABYTES, PORT = 12, 10, 2, 20, 8711
CLUSTER = ["--cluster", "3x2x2GB:0.025GB/s", "--file-system", "25MB"]


def at_head(folder, *words):
    """Runs a command on the head node."""
    run = subprocess.run([HOSTS, "at", folder / "hosts", "head", *words], capture_output=True, text=True, cwd=folder / "work")
    if run.returncode:
        sys.exit(f"{' '.join(map(str, words))}\nfailed:\n{run.stdout}{run.stderr}")
    return run.stdout


def prepare(folder):
    """Files, the table of jobs, the command that copies, and the script that submits."""
    work = folder / "work"
    (work / "shared").mkdir(parents=True)
    for number in range(FILES):
        (work / f"shared/data{number}.bin").write_bytes(random.Random(number).randbytes(MEGABYTES * 10**6))
    lines = [f"sleep {SECONDS}; test -s {{file}},shared/data{number}.bin,1,120,{SECONDS}" for number in range(FILES)] * JOBS_OF_EACH
    random.Random(0).shuffle(lines)
    (work / "jobs.csv").write_text("\n".join(["command,file,cores,walltime,duration", *lines]) + "\n")
    copy = work / "copy"
    copy.write_text(f'#!/bin/sh\necho "$1" >> "{folder}/copies-$ROUND"\nexec curl -sf -o "$2" "http://head:{PORT}/$(basename "$1")"\n')
    copy.chmod(0o755)
    scratch = f"{folder}/scratch-$SLURMD_NODENAME-$ROUND"
    words = ["batch", "advise", "jobs.csv", *CLUSTER, "--nodelist", "n[1-3]", "--scratch", scratch]
    command = [BENCH.TEGULA, *words, "--copy", copy, "-o", "advised.sh"]
    print(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, cwd=work).stdout)
    advised = (work / "advised.sh").read_text()
    # The same jobs in the order of the table, on hosts that Slurm chooses.
    head = advised.partition("\nsubmit 'n")[0]
    submits = re.findall(r"^submit 'n.*$", advised, re.MULTILINE)
    by_file = {number: [line for line in submits if f"data{number}.bin" in line] for number in range(FILES)}
    listed = [by_file[int(re.search(r"data(\d+)", line).group(1))].pop() for line in lines]
    anywhere = head.replace('--nodelist="$1" ', "", 1) + "\n" + "\n".join(listed) + "\n"
    (work / "stay.sh").write_text(anywhere)
    (work / "alone.sh").write_text(anywhere.replace(scratch, scratch + "-$SLURM_JOB_ID", 1))


def measure(folder, script, number):
    """Seconds of waiting of all jobs, files that were copied, seconds until the last job has ended."""
    out = folder / f"out-{script}-{number}"
    out.mkdir()
    flags = f"--output={out}/%j.txt --export=ALL,ROUND={script}-{number}"
    begin = time.monotonic()
    at_head(folder, "env", f"SBATCH_FLAGS={flags}", f"ROUND={script}-{number}", "bash", f"{script}.sh")
    while at_head(folder, "squeue", "--noheader", "--name=" + f"{script}.sh", "--format=%i").strip():
        time.sleep(0.5)
    seconds = time.monotonic() - begin
    texts = [path.read_text() for path in out.glob("*.txt")]
    waited = [int(ms) / 1000 for text in texts for ms in re.findall(r"waited (\d+) ms", text)]
    assert len(waited) == FILES * JOBS_OF_EACH, f"{len(waited)} jobs ran: {out}"
    copies = len((folder / f"copies-{script}-{number}").read_text().splitlines())
    for scratch in folder.glob(f"scratch-*-{script}-{number}*"):
        shutil.rmtree(scratch)
    return sum(waited), copies, seconds


def main():
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("must be run as root: it makes network namespaces")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tegula-advise."))
    folder.chmod(0o755)
    server = None
    try:
        prepare(folder)
        subprocess.run([HOSTS, "up", folder / "hosts", "--count", "3", "--rate", "200mbit", "--slurm"], check=True, stdout=subprocess.DEVNULL)
        serve = [HOSTS, "at", folder / "hosts", "head", sys.executable, "-m", "http.server", str(PORT), "--directory", folder / "work/shared"]
        server = subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = {"alone": [], "stay": [], "advised": []}
        for number in range(arguments.rounds):
            for script, results in found.items():
                results.append(measure(folder, script, number))
                print(script, *(f"{value:.1f}" for value in results[-1]), file=sys.stderr, flush=True)
    finally:
        if server:
            server.terminate()
        subprocess.run([HOSTS, "down", folder / "hosts"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["rm", "-rf", folder], check=False)
    rows = []
    for script, results in found.items():
        waited, copies, seconds = zip(*results)
        less = [100 * (1 - one / stay[0]) for one, stay in zip(waited, found["stay"])]
        name = {"alone": "each by itself", "stay": "copies that stay", "advised": "as advised"}[script]
        rows.append([name, BENCH.spread(waited, 1), BENCH.spread(less, 0), f"{statistics.median(copies):.0f}", BENCH.spread(seconds, 1)])
    table = BENCH.table(["jobs", "waiting for files, s", "less than with copies that stay, %", "copies", "all done after, s"], rows)
    print(table)
    if arguments.write:
        about = " ".join(__doc__.split("\n\n")[2].rsplit(" --write", 1)[0].split())
        stamp = f"{BENCH.machine()}; {datetime.date.today()}; {arguments.rounds} rounds."
        text = f"# Jobs that share files, on a Slurm\n\n`sudo scripts/bench/advise.py --write`. {about}\n{stamp}\n\n{table}\n"
        lines = [BENCH.textwrap.fill(line, 100) if not line.startswith("|") else line for line in text.split("\n")]
        (ROOT / "scripts/bench/results/advise.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
