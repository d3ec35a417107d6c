"""What a field says on the command line: its parameters, and which columns are what."""

import re
import warnings

import numpy as np

from . import _call, _frames, _tegula
from ._base import HAS_SKLEARN


class Words:
    """The part of ``GaussianField`` that makes words of its parameters."""

    def _values(self, y, names, table, rows):
        """What ``--values`` says, with columns added to the table if need be."""
        if isinstance(y, str):
            return y
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        given = list(y.columns) if _frames.is_frame(y) else [getattr(y, "name", None)]
        values = np.asarray(y)
        if values.dtype.kind == "c":
            raise ValueError("Complex data not supported: y holds complex numbers")
        if values.ndim == 2 and values.shape[1] == 1:
            self._say_column_vector()
            values = values.ravel()
        if values.ndim not in (1, 2):
            raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead.")
        if len(values) != rows:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {rows} rows, y has {len(values)}"
            )
        if rows == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(names)})) while a minimum of 2 is required.")
        if rows == 1:
            raise ValueError("Found array with 1 sample(s), n_samples=1, while a minimum of 2 is required.")
        if values.ndim == 1:
            values, given = values[:, None], given[:1]
        said = []
        for place in range(values.shape[1]):
            name = str(given[place]) if place < len(given) and given[place] is not None else "value"
            plain = re.fullmatch(r"[A-Za-z_]\w*", name) and name not in names and name not in said
            if not plain:
                name = next(n for n in _free_names("value") if n not in names and n not in said)
            cells = _frames.column("y", values[:, place])
            if not isinstance(cells, bytes):
                raise ValueError("Unknown label type: y holds texts; it has to be numbers")
            table.append((name, cells))
            said.append(name)
        return ",".join(said)

    @staticmethod
    def _say_column_vector():
        text = "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, )"
        if HAS_SKLEARN:
            from sklearn.exceptions import DataConversionWarning as Warned
        else:
            Warned = _call.TegulaWarning
        warnings.warn(text, Warned, stacklevel=4)

    def _noise(self, noise, names, table, rows):
        if noise is None or isinstance(noise, str):
            return noise
        given = np.asarray(noise)
        if given.ndim > 1 or (given.ndim == 1 and len(given) != rows):
            found = f"{len(given)} values" if given.ndim == 1 else f"shape {given.shape}"
            raise ValueError(f"noise has {found}, X has {rows} rows: give a variance for each row, or one number")
        values = np.broadcast_to(given, (rows,))
        name = next(n for n in _free_names("noise") if n not in [name for name, _ in table])
        table.append((name, _frames.column("noise", values)))
        return name

    @staticmethod
    def _column(given, names, what):
        """The name of a column that is given by name, expression or place."""
        if isinstance(given, str):
            return given
        try:
            return names[given]
        except (IndexError, TypeError):
            raise ValueError(f"{what}: there is no column {given!r} in X, which has {len(names)} feature(s)") from None

    def _coords(self, X, names, y):
        if self.coords is not None:
            given = [self.coords] if isinstance(self.coords, (str, int)) else list(self.coords)
            if not given:
                raise ValueError(
                    f"coords={self.coords!r}: say which columns of X are the coordinates, as coords=('x', 'y') or "
                    "coords=(0, 1), or leave it out"
                )
            return ",".join(self._column(one, names, "coords") for one in given)
        time = None if self.time is None else self._column(self.time, names, "time")
        if _frames.is_frame(X) or _frames.is_xarray(X):
            y = y if isinstance(y, str) else None
            left = [name for name in names if name not in (time, y)]
            return None if len(left) > 3 or _tegula.has_coordinates(left) else ",".join(left)
        left = [name for name in names if name != time]
        if len(left) > 3:
            raise ValueError(
                f"X has {len(left)} columns, and places have 1, 2 or 3 coordinates: say which columns they are, as "
                "coords=(0, 1); the others can stand in the mean, as mean='x2 + x3'"
            )
        return ",".join(left)

    def _model_words(self):
        words = _call.flag("--covariance", self.covariance) + _call.flag("--transform", self.transformation)
        words.append(f"--mean={re.sub(r'(?<![A-Za-z0-9_.])C[(]', 'factor(', str(self.mean))}")
        if isinstance(self.nugget, str) and self.nugget == "estimate":
            words.append("--estimate-nugget")
        else:
            words += _call.flag("--nugget", variance(self.nugget, "'estimate', a variance, or None"))
        words += _call.flag("--method", self.method) + _call.flag("--reml", bool(self.reml))
        words += _call.pairs("--fix", self.fix) + _call.pairs("--bounds", self.bounds)
        words += _call.pairs("--start", self.start)
        words += _call.flag("--optimizer", self.optimizer) + _call.flag("--information", self.information)
        words += _call.flag("--starts", self.starts) + _call.flag("--max-evaluations", self.max_evaluations)
        words += _call.flag("--tolerance", self.tolerance)
        words += _call.flag("--profile-intervals", bool(self.profile_intervals))
        words += _call.flag("--drop-missing", bool(self.drop_missing))
        return words + _call.flag("--replicates", bool(self.replicates))

    def _run_words(self, given=None):
        words = _call.flag("--workers", _call.workers(self.n_jobs)) + _call.flag("--memory", self.memory)
        words += _call.flag("--scratch", self.scratch) + _call.flag("--precision", self.precision)
        return words + _call.flag("--seed", _call.seed(self.random_state if given is None else given))


def _free_names(first):
    """``first``, then with numbers."""
    yield first
    number = 1
    while True:
        yield f"{first}{number}"
        number += 1


def variance(nugget, choices="a variance"):
    """The variance that ``nugget`` says; None if there is none."""
    if nugget is None:
        return None
    if isinstance(nugget, (str, bool, np.bool_)):
        raise ValueError(f"nugget={nugget!r}: write {choices}")
    try:
        return float(nugget)
    except (TypeError, ValueError):
        raise ValueError(f"nugget={nugget!r}: write {choices}") from None
