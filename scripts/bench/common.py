"""The functions of scripts/bench/run, for the other scripts beside it."""

import importlib.machinery
import importlib.util
import pathlib


def load(path):
    """A script, as a module."""
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


BENCH = load(pathlib.Path(__file__).resolve().parent / "run")
