"""Tables of NumPy, pandas, xarray and GeoPandas, as columns, and results back in their form."""

import datetime
import os
from collections.abc import Hashable

import numpy as np

from ._call import Unsent


def is_frame(data):
    """Whether ``data`` is a table of pandas (or GeoPandas)."""
    return hasattr(data, "columns") and hasattr(data, "iloc")


def is_xarray(data):
    """Whether ``data`` is a data set or an array of xarray."""
    return hasattr(data, "dims") and hasattr(data, "to_dataframe")


def is_geo(data):
    """Whether ``data`` is a table of GeoPandas."""
    return is_frame(data) and hasattr(data, "to_crs")


def is_missing(value):
    """Whether ``value``, of an array of objects, is None, NaN, or NA or NaT of pandas."""
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def column(name, values):
    """A column for a command: bytes of 64-bit numbers, or texts."""
    values = np.asarray(values)
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: {name!r} holds complex numbers")
    if kind in "fiub":
        return np.ascontiguousarray(values, dtype=float).tobytes()
    missing = np.array([is_missing(value) for value in values], dtype=bool)
    there = values[~missing]
    if kind in "mM" or any(isinstance(value, (datetime.date, datetime.timedelta)) for value in there):
        raise ValueError(f"the column {name!r} holds dates: make numbers of them, as days since the first one")
    odd = next((value for value in there if not isinstance(value, Hashable)), None)
    if odd is not None:
        found = type(odd).__name__
        raise ValueError(f"the column {name!r} holds objects of type {found}: make numbers or texts of them")
    if not all(isinstance(value, str) for value in there):
        try:
            return np.where(missing, np.nan, values).astype(float).tobytes()
        except (TypeError, ValueError):
            pass
    return ["" if gone else str(value) for value, gone in zip(values, missing)]


def frame_of(data):
    """``data`` of xarray or GeoPandas as a plain table of pandas with coordinates as columns."""
    if is_xarray(data):
        return rows_of_xarray(data).reset_index()
    geometry = getattr(data, "geometry", None) if is_geo(data) else None
    if geometry is None:
        return data
    if not (geometry.geom_type == "Point").all():
        raise ValueError("the geometry is not made of points: take its centroids, as frame.set_geometry(frame.centroid)")
    names = ("longitude", "latitude") if data.crs is not None and data.crs.is_geographic else ("x", "y")
    plain = data.drop(columns=geometry.name)
    taken = [name for name in names if name in plain.columns]
    if taken:
        raise ValueError(f"the columns {', '.join(taken)} stand beside a geometry that gives them: drop them")
    return plain.assign(**{names[0]: geometry.x, names[1]: geometry.y})


def rows_of_xarray(data):
    """``data`` of xarray as a table of pandas, by its dimensions."""
    return (data if hasattr(data, "data_vars") or data.name else data.rename("value")).to_dataframe()


def aligned(y, X, called="y"):
    """``y``, values for the rows of ``X``; of xarray, both, by the names of dimensions."""
    if not is_xarray(y):
        return y
    if is_xarray(X):
        dimensions = list(X.sizes)
        strange = [name for name in y.dims if name not in dimensions]
        if strange:
            raise ValueError(f"{called} has the dimension {strange[0]!r}, and X has {', '.join(map(repr, dimensions))}")
        for name in y.dims:
            same = name not in X.indexes or name not in y.indexes or X.indexes[name].equals(y.indexes[name])
            if not same or X.sizes[name] != y.sizes[name]:
                raise ValueError(
                    f"{called} and X have other coordinates along {name!r}: take y at those of X, as "
                    f"{called}.reindex_like(X) or {called}.interp_like(X)"
                )
        more = {name: X.sizes[name] for name in dimensions if name not in y.dims}
        y = y.expand_dims(more).transpose(*dimensions)
    variables = list(y.data_vars) if hasattr(y, "data_vars") else [y.name or "value"]
    table = rows_of_xarray(y)[variables]
    return table if len(variables) > 1 else table.iloc[:, 0]


def sent(name, values):
    """The column, or why commands cannot take it."""
    try:
        return column(name, values)
    except ValueError as error:
        return Unsent(str(error), len(values))


def table_of(X):
    """Names of the columns of ``X``, and the columns, which are what ``column`` gives.

    Arrays have columns ``x0``, ``x1`` and so on. Columns of tables may be ``Unsent``: perhaps nobody
    asks for them.
    """
    if isinstance(X, (str, os.PathLike)):
        name = os.fspath(X)
        raise TypeError(f"X is the name of a file, {name!r}: read the file first, as X = pandas.read_csv({name!r})")
    if is_xarray(X) or is_frame(X):
        frame = frame_of(X)
        names = [str(name) for name in frame.columns]
        if len(set(names)) < len(names):
            raise ValueError("two columns have the same name: rename one")
        return names, [sent(name, frame.iloc[:, place].to_numpy()) for place, name in enumerate(names)]
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise TypeError("Sparse data was passed for X, but dense data is required: use '.toarray()' to convert it")
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: X has a row for each place and a column for each "
            "coordinate. Reshape your data using array.reshape(-1, 1) if it is of one coordinate."
        )
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    names = [f"x{place}" for place in range(array.shape[1])]
    columns = []
    for place, name in enumerate(names):
        try:
            columns.append(column(name, np.asarray(array[:, place], dtype=float)))
        except (TypeError, ValueError):
            if any(not isinstance(value, (str, int, float, type(None), np.generic)) for value in array[:, place]):
                raise TypeError(
                    f"X, column {name}: argument must be a string or a number, not {type(array[0, place]).__name__!r}"
                ) from None
            columns.append(column(name, array[:, place]))
    return names, columns


def rows_of(cells):
    """Number of rows of a column."""
    return len(cells) // 8 if isinstance(cells, bytes) else len(cells)


def back(columns, X):
    """``columns``, a dict, as a table in the form of ``X``: a data set of xarray for one of these, a
    table of pandas or GeoPandas with its index, else a table of pandas."""
    import pandas as pd

    if is_xarray(X):
        return pd.DataFrame(columns, index=rows_of_xarray(X).index).to_xarray()
    if is_frame(X):
        return X.assign(**columns)
    return pd.DataFrame(columns)
