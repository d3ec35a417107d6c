"""Runs programs with libtegula.so put before their BLAS and LAPACK, and finds out who serves them.

The dynamic linker itself says, on request, to which library it binds each name (LD_DEBUG=bindings), so that neither
the library nor the programs need to know that they are tested.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINDING = re.compile(r"binding file (.+?) \[\d+\] to (.+?) \[\d+\]: normal symbol `(.+?)'")


def library(path=None):
    """The library to test: the one given, or else the one that cargo builds now."""
    if path is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "tegula-capi"], cwd=ROOT, check=True)
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
        path = ROOT / target / "release/libtegula.so"
    path = pathlib.Path(path).resolve()
    if not path.exists():
        sys.exit(f"there is no library {path}")
    return path


def missing(what, packages):
    """Stops with status 77, as tests do that cannot run: something is not installed."""
    print(f"{what}: apt-get install {packages}", file=sys.stderr)
    sys.exit(77)


def need(tool, package):
    """Stops if a tool is missing."""
    if shutil.which(tool) is None:
        missing(f"{tool} is missing", package)


def exported(path):
    """Names of functions that a library offers."""
    need("nm", "binutils")
    nm = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True)
    if nm.returncode != 0:
        sys.exit(f"{path} is no library: {nm.stderr.strip()}")
    return {words[2] for words in map(str.split, nm.stdout.splitlines()) if len(words) == 3 and words[1] in "TW"}


def above_reference():
    """An environment in which the reference BLAS and LAPACK serve what no library before them does."""
    folders = sorted(pathlib.Path("/usr/lib").glob("*/lapack/liblapack.so.3")) + sorted(pathlib.Path("/usr/lib").glob("*/blas/libblas.so.3"))
    if len(folders) < 2:
        missing("reference BLAS and LAPACK are missing", "liblapack3 libblas3")
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(str(file.parent) for file in folders)}


def with_preload(path, environment=None):
    """An environment in which programs load the library first; unchanged if there is none."""
    environment = dict(os.environ if environment is None else environment)
    if path is not None:
        environment["LD_PRELOAD"] = str(path)
    return environment


def bindings(command, environment):
    """(file, file that serves it, name) for all names that a run binds; its input is empty, its result of no interest."""
    with tempfile.TemporaryDirectory() as folder:
        debug = {"LD_DEBUG": "bindings", "LD_BIND_NOW": "1", "LD_DEBUG_OUTPUT": f"{folder}/log"}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([str(word) for word in command], env={**environment, **debug}, cwd=folder, timeout=300, **quiet)
        logs = [path.read_text(errors="replace") for path in pathlib.Path(folder).glob("log.*")]
    return {match.groups() for log in logs for match in BINDING.finditer(log)}


def served(command, path, environment):
    """Names that a program, and what it loads, gets from the library; and complaints, empty if all is as it should be.

    A name that the program defines itself, as LAPACK's tests do with xerbla_, stays the program's.
    """
    names, complaints, program = set(), [], os.path.realpath(command[0])
    offered = exported(path)
    for user, server, name in sorted(bindings(command, with_preload(path, environment))):
        server = os.path.realpath(server)
        if os.path.realpath(user) == str(path) or name not in offered:
            continue
        if server == str(path):
            names.add(name)
        elif server != program:
            complaints.append(f"{name} of {user} is served by {server}")
    if not names:
        complaints.append(f"{command[0]} binds nothing to {path}")
    return names, complaints
