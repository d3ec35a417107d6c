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

#: What flags that all commands have are called here.
_OF_RUNS = {
    "--workers": "n_jobs=",
    "--memory": "memory=",
    "--scratch": "scratch=",
    "--precision": "precision=",
    "--seed": "random_state=",
}

#: Those of drawing without data.
_OF_DRAWS = {
    "--covariance": "covariance=",
    "--coords": "coords=",
    "--distance": "distance=",
    "--nugget": "nugget=VALUE",
}

#: Those of fields.
_OF_FIELDS = {
    **_OF_RUNS,
    **_OF_DRAWS,
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
    "--estimate-nugget": "nugget='estimate'",
    "--method": "method=",
    "--reml": "reml=True",
    "--optimizer": "optimizer=",
    "--information": "information=",
    "--starts": "starts=",
    "--max-evaluations": "max_evaluations=",
    "--tolerance": "tolerance=",
    "--profile-intervals": "profile_intervals=True",
}

#: Those of ordination.
_OF_ORDINATION = {
    **_OF_RUNS,
    "--axes": "axes=",
    "--method": "method=",
    "--passes": "passes=",
    "--oversample": "oversample=",
    "--tolerance": "tolerance=",
    "--fill": "fill=",
}

#: What flags are called by the functions that run each command.
_HERE = {
    "exageostat fit": _OF_FIELDS,
    "exageostat predict": {**_OF_FIELDS, "--simulate": "n_samples=", "--joint": "return_cov=True"},
    "exageostat assess": {**_OF_FIELDS, "--cross-validate": "cross_validate=", "--blocks": "blocks="},
    "exageostat variogram": {**_OF_FIELDS, "--bins": "bins="},
    "exageostat sample": {**_OF_DRAWS, "--params": "params={...}", "--seed": "random_state="},
    "diodon mds": {
        **_OF_ORDINATION,
        "--metric": "metric=",
        "--correction": "correction=",
        "--symmetry-tolerance": "symmetry_tolerance=",
    },
    "diodon pca": {**_OF_ORDINATION, "--pretreatment": "pretreatment="},
    "diodon coa": _OF_ORDINATION,
}

#: More threads than any machine has cores: the system would end the process.
_MOST_THREADS = 4096


class TegulaWarning(UserWarning):
    """What a person should know of a result."""


class Unsent:
    """A column that commands cannot take: refused, with the reason, if one asks for it.

    Attributes
    ----------
    reason : str
    """

    def __init__(self, reason, rows):
        self.reason, self._rows = reason, rows

    def __len__(self):
        return self._rows


def hint(message, command="exageostat fit"):
    """What the flags that ``message`` of a command names are called in Python; empty if it names none."""
    names, here = dict.fromkeys(re.findall(r"--[a-z]+(?:-[a-z]+)*", message)), _HERE.get(command, {})
    known = [f"{flag} is {here[flag]}" for flag in names if flag in here]
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
    for key, value in mapping(name.lstrip("-"), {} if values is None else values).items():
        ends = value if isinstance(value, (tuple, list, np.ndarray)) else (value,)
        words.append(f"{name}={key}=" + ":".join(repr(float(end)) for end in ends))
    return words


def mapping(name, values):
    """``values``, which has to be a dict of parameters."""
    if not hasattr(values, "items"):
        example = "(0.1, 10)" if name == "bounds" else "0.5"
        raise TypeError(f"{name}= is a dict of parameters, as {name}={{'range': {example}}}, not {values!r}")
    return values


def whole(name, value, least=1, most=_MOST_THREADS):
    """``value`` as an int from ``least`` to ``most``."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not (is_whole and least <= value <= most):
        raise ValueError(f"{name}={value!r}: give a whole number, at least {least} and at most {most}")
    return int(value)


def workers(n_jobs, least=0):
    """The number of threads that ``n_jobs`` says; None is all cores."""
    if n_jobs is None or (n_jobs == -1 and not isinstance(n_jobs, bool)):
        return None
    try:
        return whole("n_jobs", n_jobs, least)
    except ValueError as error:
        raise ValueError(f"{error}; or None or -1 for all cores") from None


def seed(random_state):
    """A seed of a number, a generator or None."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    raise ValueError(f"random_state={random_state!r}: give a whole number, a generator of NumPy, or None")


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


def run(words, tables=(), sources=(), models=(), progress=None, callers=1):
    """Runs the command that ``words`` are; returns what it has left, the result as a dict.

    Parameters
    ----------
    words : list of str
        What would stand after ``tegula`` on a command line.
    tables, sources, models
        What the words name, as ``_tegula.run`` takes it. Columns of tables may be ``Unsent``.
    progress : bool or callable, optional
        True shows a line on standard error; a callable gets the lines.
    callers : int
        Functions of the package above: where warnings point at is above these.
    """
    own = Progress() if progress is True else None
    report = own or (progress if callable(progress) else None)
    command = " ".join(words[:2])
    unsent = {name: cells for _, table in tables for name, cells in table if isinstance(cells, Unsent)}
    tables = [(called, [one for one in table if not isinstance(one[1], Unsent)]) for called, table in tables]
    try:
        kept = _tegula.run([*words, f"--json={RESULT}"], tables, list(sources), list(models), report)
    except _tegula.Failure as failure:
        kind, message = failure.args
        message = message.split("\ngo on from there with:")[0]
        asked = re.search("no column '([^']*)'", message)
        if asked and asked[1] in unsent:
            raise ValueError(unsent[asked[1]].reason) from None
        raise _KINDS[kind](message + hint(message, command)) from None
    finally:
        if own:
            own.close()
    for text in kept["warnings"]:
        warnings.warn(text + hint(text, command), TegulaWarning, stacklevel=2 + callers)
    kept["text"] = kept["result"]
    kept["result"] = json.loads(kept["result"])
    return kept
