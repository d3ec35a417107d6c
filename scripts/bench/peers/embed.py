"""Principal coordinates of a matrix of distances in HDF5 with another tool; prints one JSON object.

`seconds` is the embedding with the reading of the file, without importing packages.
"""

import argparse
import json
import time

import h5py
import numpy as np


def read(path):
    """All distances, in 64 bits."""
    with h5py.File(path) as file:
        return file["values"][:].astype(np.float64)


def fsvd(path, axes):
    """scikit-bio's pcoa by randomised SVD."""
    from skbio import DistanceMatrix
    from skbio.stats.ordination import pcoa

    return lambda: pcoa(DistanceMatrix(read(path)), method="fsvd", dimensions=axes, seed=1).eigvals.to_numpy()


def eigsh(path, axes):
    """SciPy's Lanczos on the Gram matrix."""
    from scipy.sparse.linalg import eigsh as solve

    def embed():
        squares = read(path)
        squares *= squares
        means = squares.mean(0)
        squares -= means[:, None]
        squares -= means[None, :]
        squares += means.mean()
        squares *= -0.5
        return solve(squares, k=axes, which="LA")[0][::-1]

    return embed


def pydiodon(path, axes):
    """pydiodon's randomised projection: the eigenvalues it returns are squares."""
    import pydiodon as dio

    return lambda: np.sqrt(np.abs(np.asarray(dio.mds(read(path), k=axes, meth="grp")[1]).ravel()))


METHODS = {"fsvd": fsvd, "eigsh": eigsh, "pydiodon": pydiodon}


def main():
    """Embeds once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("distances")
    parser.add_argument("--axes", type=int, default=10)
    arguments = parser.parse_args()
    embed = METHODS[arguments.method](arguments.distances, arguments.axes)
    start = time.perf_counter()
    values = embed()
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "eigenvalues": [float(value) for value in values]}))


if __name__ == "__main__":
    main()
