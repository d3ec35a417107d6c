"""Writes Euclidean distances between drawn points to HDF5, a band of rows at a time, and prints what is known of them.

Points are N(0, 1 / j^2) in 20 dimensions; the eigenvalues of their Gram matrix come from the points, not from distances. Distances
are 32-bit floats, contiguous, or with --gzip in chunks of 256 x 256 with shuffle and gzip 4. The points go beside them as CSV.
"""

import argparse
import json

import h5py
import numpy as np

DIMENSIONS = 20


def main():
    """Draws, writes, prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", type=int)
    parser.add_argument("output", help="FILE.h5; the points go to FILE.csv")
    parser.add_argument("--gzip", action="store_true", help="compress")
    parser.add_argument("--points-alone", action="store_true", help="write no distances")
    arguments = parser.parse_args()
    n = arguments.n
    points = np.random.default_rng(1).standard_normal((n, DIMENSIONS)) / np.arange(1, DIMENSIONS + 1)
    points -= points.mean(0)
    head = ",".join(f"x{j}" for j in range(DIMENSIONS))
    np.savetxt(arguments.output.replace(".h5", ".csv"), points, delimiter=",", fmt="%.17g", header=head, comments="")
    if not arguments.points_alone:
        store(points, arguments)
    print(json.dumps({"n": n, "eigenvalues": (np.linalg.svd(points, compute_uv=False)[:10] ** 2).tolist()}))


def store(points, arguments):
    """Writes the distances."""
    n, how = len(points), {}
    if arguments.gzip:
        how = {"chunks": (256, 256), "shuffle": True, "compression": "gzip", "compression_opts": 4}
    squares = (points**2).sum(1)
    with h5py.File(arguments.output, "w") as file:
        values = file.create_dataset("values", (n, n), dtype="f4", **how)
        for i in range(0, n, 1024):
            band = squares[i : i + 1024, None] + squares[None, :] - 2 * points[i : i + 1024] @ points.T
            place = np.arange(len(band))
            band[place, i + place] = 0
            values[i : i + 1024] = np.sqrt(np.maximum(band, 0))


if __name__ == "__main__":
    main()
