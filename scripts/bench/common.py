"""What the scripts beside it share: the functions of scripts/bench/run, and simulations."""

import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess


def load(path):
    """A script, as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


BENCH = load(pathlib.Path(__file__).resolve().parent / "run")


def simulated(tegula, *words):
    """The result of a simulation: what `tegula simulate WORDS --json` says."""
    command = [tegula, "simulate", *words, "--json", "-", "--quiet"]
    return json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)
