"""The functions of scripts/bench/run, for the other scripts beside it."""

import importlib.machinery
import importlib.util
import pathlib

LOADER = importlib.machinery.SourceFileLoader("bench_run", str(pathlib.Path(__file__).resolve().parent / "run"))
BENCH = importlib.util.module_from_spec(importlib.util.spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(BENCH)
