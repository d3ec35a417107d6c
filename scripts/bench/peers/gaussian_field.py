"""What the SciPy peers share: points from a CSV file, a Matern covariance by SciPy's Bessel function, a likelihood.

The Bessel function is the dear part. NumPy releases the interpreter's lock in it, so the distances are cut into as many
pieces as there are threads; Cholesky factor and solves use as many BLAS threads.
"""

import csv
import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist, pdist, squareform
from scipy.special import gammaln, kv


def read_points(path, rows=None):
    """Coordinates (n x 2) and values (n) from the first three columns of a CSV file, with a header or without."""
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    try:
        float(lines[0][0])
    except ValueError:
        lines = lines[1:]
    table = np.array([[float(cell) for cell in line[:3]] for line in lines[:rows]])
    if rows is not None and len(table) < rows:
        raise SystemExit(f"{path} has {len(table)} rows, not {rows}")
    return table[:, :2], table[:, 2]


def scores(observed, mean, variance):
    """Root mean squared error of predictions, and coverage of their 95 % intervals."""
    error = observed - mean
    inside = np.abs(error) <= 1.959964 * np.sqrt(variance)
    return {"rmse": float(np.sqrt(np.mean(error**2))), "coverage": float(inside.mean())}


def matern(u, smoothness):
    """Matern correlation 2^(1-nu)/Gamma(nu) u^nu K_nu(u) at u = distance/range > 0."""
    if smoothness == 0.5:
        return np.exp(-u)
    if smoothness == 1.5:
        return (1 + u) * np.exp(-u)
    if smoothness == 2.5:
        return (1 + u + u * u / 3) * np.exp(-u)
    front = math.exp((1 - smoothness) * math.log(2) - gammaln(smoothness))
    # Far away the Bessel function is zero in double precision, and so is the product.
    return front * u**smoothness * kv(smoothness, u)


class GaussianField:
    """Points with values, and the likelihood of a Matern field of mean zero or unknown constant mean."""

    def __init__(self, points, values, mean="zero", threads=2):
        self.points = points
        self.values = values
        self.mean = mean
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)
        self.distances = pdist(points)
        self.seconds = {"generation": 0.0, "factorization": 0.0, "solve": 0.0}

    def correlation(self, scale, smoothness, noise=0.0):
        """The full correlation matrix, with the variance of noise over that of the field on its diagonal."""
        pieces = np.array_split(self.distances, 8 * self.threads)
        correlations = self.pool.map(lambda d: matern(d / scale, smoothness), pieces)
        matrix = squareform(np.concatenate(list(correlations)))
        np.fill_diagonal(matrix, 1.0 + noise)
        return matrix

    def factor(self, scale, smoothness, noise=0.0):
        """Cholesky factor of the correlation matrix, as `cho_solve` takes it, and the log-determinant."""
        start = time.perf_counter()
        matrix = self.correlation(scale, smoothness, noise)
        made = time.perf_counter()
        # The transpose of a symmetric C-ordered matrix is itself in Fortran order: nothing is copied.
        factor = cho_factor(matrix.T, lower=True, overwrite_a=True, check_finite=False)
        logdet = 2 * np.log(np.diag(factor[0])).sum()
        self.seconds["generation"] += made - start
        self.seconds["factorization"] += time.perf_counter() - made
        return factor, logdet

    def quadratic(self, factor):
        """z' R^-1 z, after the estimated mean is subtracted, and that mean."""
        start = time.perf_counter()
        mean = 0.0
        if self.mean == "constant":
            weights = cho_solve(factor, np.ones_like(self.values), check_finite=False)
            mean = float(weights @ self.values / weights.sum())
        rest = self.values - mean
        value = float(rest @ cho_solve(factor, rest, check_finite=False))
        self.seconds["solve"] += time.perf_counter() - start
        return value, mean

    def loglik(self, variance, scale, smoothness):
        """Log-likelihood at a variance."""
        factor, logdet = self.factor(scale, smoothness)
        n = len(self.values)
        quadratic, _ = self.quadratic(factor)
        return -0.5 * (n * math.log(2 * math.pi * variance) + logdet + quadratic / variance)

    def profile(self, scale, smoothness, noise=0.0):
        """Log-likelihood at the best variance (and mean), with that variance and mean; noise as in `correlation`."""
        factor, logdet = self.factor(scale, smoothness, noise)
        n = len(self.values)
        quadratic, mean = self.quadratic(factor)
        variance = quadratic / n
        return -0.5 * (n * math.log(2 * math.pi * variance) + logdet + n), variance, mean

    def predict(self, places, parameters, mean, noise=0.0):
        """Mean and variance of new observations at `places`; the constant mean counts as known."""
        variance, scale, smoothness = (parameters[name] for name in ("variance", "range", "smoothness"))
        factor, _ = self.factor(scale, smoothness, noise)
        u = cdist(places, self.points) / scale
        across = np.where(u > 0, matern(np.maximum(u, 1e-300), smoothness), 1.0)
        weights = cho_solve(factor, across.T, check_finite=False)
        left = 1.0 + noise - np.einsum("ij,ji->i", across, weights)
        return mean + weights.T @ (self.values - mean), variance * left
