"""A Matern field on the nodes of a square grid, drawn by circulant embedding, with noise, as a CSV file of x, y, z.

The covariance of the grid is embedded in that of a torus, whose matrix the Fourier transform diagonalises: A. T. A. Wood,
G. Chan, "Simulation of stationary Gaussian processes in [0, 1]^d", J. Comput. Graph. Statist. 3 (1994) 409-432. The torus
grows until its eigenvalues are positive up to rounding, so that the draw is exact. The Matern is of distance/range.
Writes the number of places and the smallest relative eigenvalue as JSON.
"""

import argparse
import json

import numpy as np

from gaussian_field import matern


def eigenvalues(side, size, scale, smoothness):
    """Those of a torus of `size` nodes a side, with as many to the unit as the grid of `side` has."""
    steps = np.arange(size)
    along = np.minimum(steps, size - steps) / side
    distance = np.hypot(along[:, None], along[None, :]).ravel()
    row = np.ones_like(distance)
    # Many distances are the same; the Bessel function is dear.
    known, where = np.unique(distance[1:], return_inverse=True)
    row[1:] = matern(known / scale, smoothness)[where]
    return np.fft.fft2(row.reshape(size, size)).real


def draw(side, variance, scale, smoothness, seed):
    """The field at the grid's nodes, and the smallest eigenvalue relative to the greatest."""
    for factor in (2, 3, 4, 6, 8):
        size = factor * side
        values = eigenvalues(side, size, scale, smoothness)
        least = values.min() / values.max()
        if least > -1e-10:
            break
    else:
        raise SystemExit("the range is too long for this grid: no embedding has positive eigenvalues")
    random = np.random.default_rng(seed)
    white = random.standard_normal((size, size)) + 1j * random.standard_normal((size, size))
    field = np.fft.fft2(np.sqrt(np.maximum(values, 0)) * white).real / size
    return np.sqrt(variance) * field[:side, :side], least, random


def main():
    """Reads the arguments, draws, writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="CSV file to write")
    parser.add_argument("--side", type=int, required=True, help="nodes of a side of the unit square")
    parser.add_argument("--params", required=True, help="variance,range,smoothness")
    parser.add_argument("--nugget", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", help="CSV file that takes a random tenth of the places")
    arguments = parser.parse_args()
    variance, scale, smoothness = map(float, arguments.params.split(","))
    field, least, random = draw(arguments.side, variance, scale, smoothness, arguments.seed)
    nodes = np.arange(arguments.side) / arguments.side
    x, y = np.meshgrid(nodes, nodes, indexing="ij")
    noise = np.sqrt(arguments.nugget) * random.standard_normal(field.size)
    table = np.column_stack([x.ravel(), y.ravel(), field.ravel() + noise])
    table = table[random.permutation(len(table))]
    held = len(table) // 10 if arguments.held_out else 0
    options = {"delimiter": ",", "header": "x,y,z", "comments": "", "fmt": "%.17g"}
    np.savetxt(arguments.output, table[held:], **options)
    if arguments.held_out:
        np.savetxt(arguments.held_out, table[:held], **options)
    print(json.dumps({"n": len(table) - held, "held_out": held, "least_eigenvalue": float(least)}))


if __name__ == "__main__":
    main()
