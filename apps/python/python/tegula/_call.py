"""Runs commands of tegula in this process, and raises what they refuse as Python's exceptions."""

import json
import re
import sys
import warnings

import numpy as np

from . import _tegula

#: The names under which a command keeps what it would write.
RESULT, COLUMNS, MATRIX = "result.json", "columns.csv", "matrix.npy"

_KINDS = {
    "refused": ValueError,
    "not found": FileNotFoundError,
    "file": OSError,
    "memory": MemoryError,
    "numerical": np.linalg.LinAlgError,
    "stopped": KeyboardInterrupt,
    "failed": RuntimeError,
}

#: What flags of the command line are called here.
_HERE = {
    "--covariance": "covariance=",
    "--coords": "coords=",
    "--distance": "distance=",
    "--time": "time=",
    "--values": "y",
    "--replicates": "replicates=True",
    "--noise": "noise= of fit",
    "--drop-missing": "drop_missing=True",
    "--mean": "mean=",
    "--transform": "transformation=",
    "--fix": "fix={...}",
    "--bounds": "bounds={...}",
    "--start": "start={...}",
    "--nugget": "nugget=VALUE",
    "--estimate-nugget": "nugget='estimate'",
    "--method": "method=",
    "--memory": "memory=",
    "--scratch": "scratch=",
    "--axes": "axes=",
    "--passes": "passes=",
    "--correction": "correction=",
    "--symmetry-tolerance": "symmetry_tolerance=",
    "--fill": "fill=",
    "--metric": "metric=",
    "--simulate": "n_samples=",
    "--joint": "return_cov=True",
    "--params": "params={...}",
}


class TegulaWarning(UserWarning):
    """What a person should know of a result."""


def hint(message):
    """What the flags that ``message`` names are called in Python; empty if it names none."""
    names = dict.fromkeys(re.findall(r"--[a-z]+(?:-[a-z]+)*", message))
    known = [f"{flag} is {_HERE[flag]}" for flag in names if flag in _HERE]
    if "missing value" in message:
        known.insert(0, "NaN is a missing value")
    if "tegula diodon distances" in message:
        known.append("points take metric=")
    return f" [in Python: {', '.join(known)}]" if known else ""


def flag(name, value):
    """The words of a flag; none if ``value`` is None or False."""
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, (float, np.floating)):
        value = repr(float(value))
    return [f"{name}={value}"]


def pairs(name, values):
    """The words of a flag that takes NAME=VALUE for each item; a pair of bounds is LOW:HIGH."""
    words = []
    for key, value in (values or {}).items():
        ends = value if isinstance(value, (tuple, list)) else (value,)
        words.append(f"{name}={key}=" + ":".join(repr(float(end)) for end in ends))
    return words


class Progress:
    """A line on standard error that says how far a run is, as tqdm has it."""

    def __init__(self):
        self.width = 0

    def __call__(self, text):
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self):
        """Clears the line."""
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def run(words, tables=(), sources=(), models=(), progress=None):
    """Runs the command that ``words`` are; returns what it has left, the result as a dict.

    Parameters
    ----------
    words : list of str
        What would stand after ``tegula`` on a command line.
    tables, sources, models
        What the words name, as ``_tegula.run`` takes it.
    progress : bool or callable, optional
        True shows a line on standard error; a callable gets the lines.
    """
    own = Progress() if progress is True else None
    report = own or (progress if callable(progress) else None)
    try:
        kept = _tegula.run([*words, f"--json={RESULT}"], list(tables), list(sources), list(models), report)
    except _tegula.Failure as failure:
        kind, message = failure.args
        message = message.split("\ngo on from there with:")[0]
        raise _KINDS[kind](message + hint(message)) from None
    finally:
        if own:
            own.close()
    for text in kept["warnings"]:
        warnings.warn(text + hint(text), TegulaWarning, stacklevel=3)
    kept["text"] = kept["result"]
    kept["result"] = json.loads(kept["result"])
    return kept
