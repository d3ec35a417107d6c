"""Figures of a fit, by matplotlib."""

import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

#: Places of data beyond which a map does not show them: they would cover it.
_MOST_CIRCLES = 1000


def draw(field, kind, X=None, ax=None):
    """Draws one figure; returns its axes."""
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r}: there are {', '.join(_KINDS)}")
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
    _KINDS[kind](field, ax, X)
    return ax


def _coordinates(field):
    """The columns of the coordinates in the data, with their names."""
    names = field.result_["data"]["columns"]["coords"]
    table = dict(field._training)
    if any(not isinstance(table.get(name), bytes) for name in names):
        raise ValueError(f"a map takes columns as coordinates, not the expressions {', '.join(names)}")
    return names, [np.frombuffer(table[name]) for name in names]


class _WideLocator(MaxNLocator):
    """Places of so few ticks that labels have room: coordinates in metres have long numbers."""

    def __call__(self):
        # Matplotlib's own guess is that a label is three times as wide as high.
        letters = 2 + max(len(f"{abs(end):.0f}") for end in self.axis.get_view_interval())
        room = 3 * self.axis.get_tick_space() / (0.7 * letters)
        self.set_params(nbins=int(np.clip(room, 1, 4)), min_n_ticks=1 if room < 2 else 2)
        return super().__call__()


def _map(field, ax, X):
    """Predictions as colours, the data as circles."""
    names, places = _coordinates(field)
    if len(places) != 2:
        raise ValueError(f"a map has 2 coordinates, and the data have {len(places)} ({', '.join(names)})")
    right, up = (1, 0) if "lat" in names[0].lower() else (0, 1)
    if X is None:
        inputs = {one["name"] for one in field.result_["mean"].get("variables", [])} - set(names)
        if inputs or field.result_["data"]["columns"]["time"]:
            raise ValueError(f"the mean takes {', '.join(sorted(inputs)) or 'a time'}: give places that have it, as X=")
        x, y = (np.linspace(one.min(), one.max(), 100) for one in (places[right], places[up]))
        grid = [np.tile(x, 100), np.repeat(y, 100)]
        columns = {names[right]: grid[0], names[up]: grid[1]}
        shown = field._predicted_at(columns)
        image = ax.pcolormesh(x, y, shown.reshape(100, 100), shading="nearest", cmap="viridis", rasterized=True)
    else:
        from . import _frames

        table = dict(zip(*_frames.table_of(field._in_crs(X))))
        at = [np.frombuffer(table[name]) for name in (names[right], names[up])]
        values = np.ravel(field.predict(X))
        x, y = map(np.unique, at)
        if min(len(x), len(y)) > 1 and len(x) * len(y) == len(values) == len(set(zip(*at))):
            nodes = values[np.lexsort(at)].reshape(len(y), len(x))
            image = ax.pcolormesh(x, y, nodes, shading="nearest", cmap="viridis", rasterized=True)
        else:
            image = ax.scatter(*at, c=values, s=12, cmap="viridis")
    are_shown = len(places[0]) <= _MOST_CIRCLES
    if are_shown:
        ax.scatter(places[right], places[up], s=8, facecolors="none", edgecolors="white", linewidths=0.6)
    ax.set(xlabel=names[right], ylabel=names[up], title="Prediction, and places of the data" if are_shown else "Prediction")
    if field.result_["data"]["distance"] == "euclidean":
        ax.set_aspect("equal")
    else:
        ax.set_aspect(1 / np.cos(np.radians(np.mean(places[up]))))
    ax.xaxis.set_major_locator(_WideLocator())
    ax.figure.colorbar(image, ax=ax, label=field.result_["data"]["columns"]["values"])


def _residuals(field, ax, _):
    """Observed values against what the others predict."""
    _, left = field.assess(return_residuals=True)
    ax.errorbar(
        left["predicted"], left["observed"], xerr=1.96 * left["std_error"], fmt="o", ms=3, lw=0.5, color="C0", alpha=0.7
    )
    low, high = np.nanmin(left["observed"]), np.nanmax(left["observed"])
    ax.plot([low, high], [low, high], color="0.3", lw=1)
    ax.set(xlabel="predicted from all others, with 95 % intervals", ylabel="observed", title="Each one left out")


def _variogram(field, ax, _):
    """The empirical variogram, and that of the model."""
    found = field.variogram()
    ax.scatter(found["distance"], found["semivariance"], s=60 * np.sqrt(found["pairs"] / max(found["pairs"])), label="data")
    distances = np.linspace(0, max(found["distance"]), 200)[1:]
    ax.plot(distances, field._semivariance(distances), color="C1", label="fitted covariance")
    unit = "" if field.result_["data"]["distance"] == "euclidean" else " (km)"
    ax.set(xlabel="distance" + unit, ylabel="semivariance", title="Variogram of what the mean leaves", ylim=(0, None))
    ax.legend()


def _intervals(field, ax, _):
    """Estimates with their intervals, on a logarithmic axis."""
    rows = [(name, value, field.intervals_.get(name)) for name, value in field.params_.items()]
    rows = [(name, value, pair) for name, value, pair in rows if pair and min(value, *pair) > 0]
    if not rows:
        raise ValueError("no parameter has an interval of positive numbers")
    for place, (name, value, (low, high)) in enumerate(reversed(rows)):
        ax.plot([low, high], [place, place], color="C0", lw=2)
        ax.plot(value, place, "o", color="C0")
    ax.set_yticks(range(len(rows)), [name for name, *_ in reversed(rows)])
    ax.set(xscale="log", xlabel="estimate and 95 % interval", title="Parameters of the covariance", ylim=(-0.6, len(rows) - 0.4))
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


_KINDS = {"map": _map, "residuals": _residuals, "variogram": _variogram, "intervals": _intervals}
