"""Items placed on axes: principal coordinates of distances, components of tables, correspondence
analysis.

A matrix is a NumPy array, a data set of h5py or Zarr, an array of dask, a memory map, a table of
pandas, scikit-bio's ``DistanceMatrix``, or the name of a file that the program ``tegula`` reads
(``"D.h5:DATASET"``, ``.npy``, CSV, PHYLIP ...). Arrays are read by blocks, and not held twice.
"""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _call, _frames, _tegula

#: Kinds of numbers that are read as they are.
_NUMBERS = {
    "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64",
}  # fmt: skip


@dataclass
class OrdinationResults:
    """The fields of scikit-bio's ``OrdinationResults``, where that is not installed.

    ``samples`` and ``features`` are tables of pandas if that is installed, else arrays with their
    names in ``sample_ids`` and ``feature_ids``.
    """

    short_method_name: str
    long_method_name: str
    eigvals: Any
    samples: Any
    sample_ids: Any = None
    features: Any = None
    feature_ids: Any = None
    biplot_scores: Any = None
    sample_constraints: Any = None
    proportion_explained: Any = None
    tegula: dict = field(default_factory=dict, repr=False)


def mds(
    distances,
    axes=10,
    *,
    ids=None,
    metric=None,
    method=None,
    passes=None,
    oversample=None,
    tolerance=None,
    correction=None,
    symmetry_tolerance=None,
    fill=None,
    n_jobs=None,
    memory=None,
    scratch=None,
    precision="d",
    random_state=0,
    verbose=False,
):
    """Principal coordinates (classical multidimensional scaling) of a matrix of distances.

    Parameters
    ----------
    distances : matrix of shape (n, n), or file
        See the module. With ``metric``, a table of points, or a file of points or sequences.
    axes : int, default 10
    ids : sequence of str, optional
        Names of the items; those of the matrix or 0, 1 and so on by default.
    metric : str, optional
        Compute distances of the points by this metric, and store none (``"euclidean"``,
        ``"bray-curtis"``, ``"haversine"`` ...).
    method : {"exact", "lanczos", "randomized", "nystrom"}, optional
        Exact up to 2000 items, else lanczos.
    passes, oversample, tolerance, correction, symmetry_tolerance, fill : optional
        As the flags of ``tegula diodon mds`` by these names.
    n_jobs, memory, scratch, precision, random_state, verbose : optional
        As those of ``GaussianField``. An array that is in memory does not count for ``memory``.

    Returns
    -------
    skbio.OrdinationResults, or OrdinationResults
        With an attribute ``tegula``: all that the program writes by ``--json``.

    Raises
    ------
    ValueError
        If the matrix is not square or not symmetric, or holds NaN.
    """
    words = ["diodon", "mds"] + _call.flag("--metric", metric) + _call.flag("--correction", correction)
    words += _call.flag("--symmetry-tolerance", symmetry_tolerance)
    words += _components(method, passes, oversample, tolerance, fill)
    words += _common(axes, n_jobs, memory, scratch, precision, random_state)
    if hasattr(distances, "ids") and hasattr(distances, "data"):
        distances, ids = distances.data, list(distances.ids) if ids is None else ids
    points = metric is not None
    return _ordination("PCoA", words, distances, (ids, None), "points" if points else "distances", memory, verbose)


def pca(
    table,
    axes=10,
    *,
    pretreatment="standard",
    ids=None,
    features=None,
    method=None,
    passes=None,
    oversample=None,
    tolerance=None,
    fill=None,
    n_jobs=None,
    memory=None,
    scratch=None,
    precision="d",
    random_state=0,
    verbose=False,
):
    """Principal components of a table.

    Parameters
    ----------
    table : matrix of shape (n, p), or file
        See the module.
    axes : int, default 10
    pretreatment : str, default "standard"
        What is done to the table before, as ``tegula diodon pca --pretreatment`` has it:
        ``"standard"`` centres and scales columns, ``"col-centering"`` centres them, as
        scikit-learn's PCA does ...
    ids, features : sequence of str, optional
        Names of rows and of columns.
    method : {"exact", "krylov"}, optional
    passes, oversample, tolerance, fill, n_jobs, memory, scratch, precision, random_state, verbose : optional
        As those of ``mds``.

    Returns
    -------
    skbio.OrdinationResults, or OrdinationResults
    """
    words = ["diodon", "pca"] + _call.flag("--pretreatment", pretreatment)
    words += _components(method, passes, oversample, tolerance, fill)
    words += _common(axes, n_jobs, memory, scratch, precision, random_state)
    return _ordination("PCA", words, table, (ids, features), "table", memory, verbose)


def coa(
    table,
    axes=10,
    *,
    ids=None,
    features=None,
    method=None,
    passes=None,
    oversample=None,
    tolerance=None,
    fill=None,
    n_jobs=None,
    memory=None,
    scratch=None,
    precision="d",
    random_state=0,
    verbose=False,
):
    """Correspondence analysis of a table of counts.

    Parameters
    ----------
    table : matrix of shape (n, p), or file
        Numbers that are not negative. Rows and columns of zeros are left out.
    axes, ids, features, method, passes, oversample, tolerance, fill, n_jobs, memory, scratch,
    precision, random_state, verbose : optional
        As those of ``pca``.

    Returns
    -------
    skbio.OrdinationResults, or OrdinationResults
    """
    words = ["diodon", "coa"] + _components(method, passes, oversample, tolerance, fill)
    words += _common(axes, n_jobs, memory, scratch, precision, random_state)
    return _ordination("CA", words, table, (ids, features), "table", memory, verbose)


def _components(method, passes, oversample, tolerance, fill):
    words = _call.flag("--method", method) + _call.flag("--passes", passes)
    return words + _call.flag("--oversample", oversample) + _call.flag("--tolerance", tolerance) + _call.flag("--fill", fill)


def _common(axes, n_jobs, memory, scratch, precision, random_state):
    words = _call.flag("--axes", axes) + _call.flag("--memory", memory) + _call.flag("--scratch", scratch)
    words += _call.flag("--precision", precision) + _call.flag("--workers", _call.workers(n_jobs))
    return words + _call.flag("--seed", _call.seed(random_state))


def _numbers_of(frame):
    """The array of a table of pandas, with NaN where values are missing."""
    array = frame.to_numpy()
    if array.dtype.kind != "O":
        return array
    return np.where(np.vectorize(_frames.is_missing, otypes=[bool])(array), np.nan, array)


def _matrix(array, names, called, memory):
    """``array`` as a matrix to lend, read by blocks, to a command that takes so much ``memory``."""
    if _frames.is_xarray(array):
        array = array.data if hasattr(array, "data") else array.to_array().data
    if _frames.is_frame(array):
        rows, columns = names
        names = (
            rows if rows is not None else [str(one) for one in array.index],
            columns if columns is not None else [str(one) for one in array.columns],
        )
        array = _numbers_of(array)
    if hasattr(array, "toarray") and hasattr(array, "nnz"):
        raise TypeError(f"{called}: sparse matrices are not read: use '.toarray()'")
    if not (hasattr(array, "shape") and hasattr(array, "dtype") and hasattr(array, "__getitem__")):
        array = np.asarray(array)
    if len(array.shape) != 2:
        raise ValueError(f"{called}: a matrix has 2 dimensions, not {len(array.shape)} (shape {tuple(array.shape)})")
    kind = np.dtype(array.dtype)
    if kind.kind == "c":
        raise ValueError(f"Complex data not supported: {called} holds complex numbers")
    target = np.dtype(kind.name) if kind.name in _NUMBERS else np.dtype("uint8" if kind.kind == "b" else float)
    if kind.kind not in "fiub":
        try:
            array = np.asarray(array, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{called}: {error}") from None

    def read(first_row, end_row, first_column, end_column):
        block = array[first_row:end_row, first_column:end_column]
        return np.ascontiguousarray(block, dtype=target).tobytes()

    chunks = getattr(array, "chunks", None) or getattr(array, "chunksize", None)
    if chunks and isinstance(chunks[0], tuple):
        chunks = tuple(one[0] for one in chunks)
    # What is in memory counts for the default of --memory, which is a share of the machine's.
    is_counted = memory is None and isinstance(array, np.ndarray) and not isinstance(array, np.memmap)
    stored = 0.0 if is_counted else float(target.itemsize)
    lists = [None if one is None else [str(name) for name in one] for one in names]
    shape = (int(array.shape[0]), int(array.shape[1]))
    chunks = tuple(chunks or (1, 1))
    return _tegula.LentMatrix(called, shape, target.name, chunks, stored, *lists, read)


def _ordination(short, words, data, names, called, memory, verbose):
    """Runs the analysis that ``words`` are of ``data``."""
    sources, tables = [], []
    if isinstance(data, (str, os.PathLike)):
        words.insert(2, os.fspath(data))
    elif called == "points":
        columns, cells = _frames.table_of(data)
        tables.append((called, list(zip(columns, cells))))
        words.insert(2, called)
    else:
        sources.append(_matrix(data, names, called, memory))
        words.insert(2, called)
    kept = _call.run(words, tables, sources, progress=verbose, callers=2)
    return _results(short, kept["ordination"], names, kept["result"])


def _results(short, found, names, result):
    """What scikit-bio calls ordination results."""
    count = len(found["eigenvalues"]) // 8
    values = np.frombuffer(found["eigenvalues"]).copy()
    labels = [f"{'PC' if short != 'CA' else 'CA'}{axis + 1}" for axis in range(count)]
    places = lambda cells, items: np.frombuffer(cells).reshape(count, len(items)).T.copy()  # noqa: E731
    ids = found["ids"] if names[0] is None or len(found["ids"]) != len(names[0]) else [str(name) for name in names[0]]
    samples = places(found["coordinates"], ids)
    features = found.get("variable_ids")
    scores = None if features is None else places(found["variable_coordinates"], features)
    shares = values / found["trace"] if found["trace"] else values * 0.0
    name = found["method"]
    try:
        import pandas as pd
    except ImportError:
        pd = None
    if pd is not None:
        samples = pd.DataFrame(samples, index=ids, columns=labels)
        scores = None if scores is None else pd.DataFrame(scores, index=features, columns=labels)
        values, shares = pd.Series(values, index=labels), pd.Series(shares, index=labels)
    try:
        from skbio import OrdinationResults as Results
    except ImportError:
        return OrdinationResults(
            short, name, values, samples, ids, scores, features, proportion_explained=shares, tegula=result
        )
    made = Results(short, name, values, samples, features=scores, proportion_explained=shares)
    made.tegula = result
    return made
