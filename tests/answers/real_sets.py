"""Answers for five sets of real data, which `scripts/fetch-sets` fetches: log-likelihoods with the best
mean, maxima, and krigings.

    python real_sets.py FOLDER      prints JSON; needs NumPy and SciPy

The models: rainfall (mean linear in the elevation, known errors of the observations, great circle),
ozone (space and time, on the chord), quakes (three dimensions, a range for each, duplicates of places
told apart by the nugget), jura (three variables, a factor in the mean, and predictions at the places
of validation), weather (two variables, on the chord). Formulas as in `composite.py`.
"""

import csv
import json
import pathlib
import sys

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize
from scipy.special import gamma, kv

RADIUS = 6371.0


def matern(d, range_, nu):
    x = np.where(d == 0, 1.0, d / range_)
    return np.where(d == 0, 1.0, 2 ** (1 - nu) / gamma(nu) * x**nu * kv(nu, x))


def read(name):
    with open(pathlib.Path(sys.argv[1]) / name, newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def chord(lon, lat):
    lon, lat = np.radians(lon), np.radians(lat)
    unit = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    return RADIUS * np.sqrt(np.maximum(((unit[:, None] - unit[None, :]) ** 2).sum(axis=2), 0.0))


def great_circle(lon, lat):
    lon, lat = np.radians(lon), np.radians(lat)
    a, b = (lat[:, None] - lat[None, :]) / 2, (lon[:, None] - lon[None, :]) / 2
    h = np.sin(a) ** 2 + np.cos(lat)[:, None] * np.cos(lat)[None, :] * np.sin(b) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(np.minimum(h, 1.0)))


def plane(*axes):
    return np.sqrt(sum((x[:, None] - x[None, :]) ** 2 for x in axes))


def repeated(design, variables):
    """The columns of the mean of each variable, for all values, one variable after the other."""
    return np.kron(np.eye(variables), design)


def likelihood(covariance, z, design):
    """The log-likelihood with the best coefficients, and these."""
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return -1e300, None
    white = solve_triangular(lower, np.column_stack([z, design]), lower=True)
    beta, *_ = np.linalg.lstsq(white[:, 1:], white[:, 0], rcond=None)
    rest = white[:, 0] - white[:, 1:] @ beta
    logdet = 2 * np.log(np.diag(lower)).sum()
    return -0.5 * (len(z) * np.log(2 * np.pi) + logdet + rest @ rest), beta


def maximum(build, z, design, start):
    """The best log-likelihood from `start`, by Nelder and Mead's search, restarted until it stays."""

    def loss(x):
        value = likelihood(build(x), z, design)[0] if np.all(np.abs(x) < 50) else -1e300
        return -value if np.isfinite(value) else 1e300

    x, best = np.array(start, dtype=float), np.inf
    for _ in range(12):
        found = minimize(loss, x, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-7, "maxfev": 4000})
        x = found.x
        if best - found.fun < 1e-5:
            break
        best = found.fun
    return -found.fun, x


def several(distances, parameters, count):
    """Covariances of `count` variables at the same places, one variable after the other."""
    variances, (range_, *nus), bs = parameters[:count], parameters[count : 2 * count + 1], parameters[2 * count + 1 :]
    b = np.eye(count)
    b[np.triu_indices(count, 1)] = bs
    b = b + np.triu(b, 1).T
    blocks = []
    for p in range(count):
        row = []
        for q in range(count):
            nu = (nus[p] + nus[q]) / 2
            rho = b[p, q] * np.sqrt(gamma(nus[p] + 1) * gamma(nus[q] + 1) / (gamma(nus[p]) * gamma(nus[q])))
            rho *= gamma(nu) / gamma(nu + 1) * np.sqrt(variances[p] * variances[q])
            row.append(rho * matern(distances, range_, nu))
        blocks.append(row)
    return np.block(blocks)


def rainfall():
    data = read("rainfall.csv")
    d, z = great_circle(data["lon"], data["lat"]), data["precip"]
    noise = np.diag(data["precipSE"] ** 2)
    design = np.column_stack([np.ones(len(z)), data["elev"]])
    build = lambda variance, range_: variance * np.exp(-d / range_) + noise
    loglik, beta = likelihood(build(9e5, 400.0), z, design)
    return {"params": [9e5, 400.0], "nugget": 0.0, "loglik": loglik, "coefficients": list(beta)}


def ozone():
    data = read("ozone.csv")
    first = data["t"] <= 8
    lon, lat, t, z = (data[key][first] for key in ("lon", "lat", "t", "o3"))
    d, u = chord(lon, lat), np.abs(t[:, None] - t[None, :])
    variance, range_, nu, scale, alpha, b, delta = parameters = [250.0, 300.0, 0.5, 1.5, 0.8, 0.6, 0.3]
    psi = u ** (2 * alpha) / scale + 1
    c = variance * matern(d / psi ** (b / 2), range_, nu) / psi ** (b + delta) + 20.0 * np.eye(len(z))
    loglik, beta = likelihood(c, z, np.ones((len(z), 1)))
    return {"params": parameters, "nugget": 20.0, "loglik": loglik, "coefficients": list(beta)}


def quakes():
    data = read("quakes.csv")
    x, y, depth, z = data["long"], data["lat"], data["depth"], data["mag"]
    build = lambda p: (
        np.exp(p[0]) * np.exp(-plane(x / np.exp(p[1]), y / np.exp(p[2]), depth / np.exp(p[3]))) + np.exp(p[4]) * np.eye(len(z))
    )
    design = np.column_stack([np.ones(len(z)), data["depth"]])
    parameters = [0.05, 2.0, 4.0, 150.0]
    loglik, beta = likelihood(build(np.log([*parameters, 0.12])), z, design)
    return {"params": parameters, "nugget": 0.12, "loglik": loglik, "coefficients": list(beta)}


def factor(codes):
    return np.column_stack([np.ones(len(codes)), *((codes == level) * 1.0 for level in np.unique(codes)[1:])])


def jura():
    data, to = read("jura.csv"), read("jura-validation.csv")
    names = ("Cd", "Ni", "Zn")
    x, y = data["Xloc"], data["Yloc"]
    z = np.concatenate([np.log(data[name]) for name in names])
    n, m = len(x), len(to["Xloc"])
    all_x, all_y = np.concatenate([x, to["Xloc"]]), np.concatenate([y, to["Yloc"]])
    design = factor(data["Rock"])
    parameters = [0.5, 0.15, 0.2, 0.25, 0.4, 0.8, 0.6, 0.3, 0.6, 0.5]
    nugget = 0.05
    own = several(plane(x, y), parameters, 3) + nugget * np.eye(3 * n)
    loglik, beta = likelihood(own, z, repeated(design, 3))
    whole = several(plane(all_x, all_y), parameters, 3)
    at = np.concatenate([k * (n + m) + np.arange(n) for k in range(3)])
    new = np.concatenate([k * (n + m) + n + np.arange(m) for k in range(3)])
    cross, prior = whole[np.ix_(at, new)], np.diag(whole)[new]
    big, small = repeated(design, 3), repeated(factor(to["Rock"]), 3)
    solved = cho_factor(own, lower=True)
    weights, white = cho_solve(solved, cross), cho_solve(solved, big)
    means = small @ beta + weights.T @ (z - big @ beta)
    rest = small - weights.T @ big
    spread = np.einsum("ij,ji->i", rest, np.linalg.solve(big.T @ white, rest.T))
    variances = prior - np.einsum("ij,ij->j", cross, weights) + spread
    return {
        "params": parameters,
        "nugget": nugget,
        "loglik": loglik,
        "coefficients": list(beta),
        **{f"mean_{name}": list(means[k * m : (k + 1) * m : 7]) for k, name in enumerate(names)},
        **{f"variance_{name}": list(variances[k * m : (k + 1) * m : 7]) for k, name in enumerate(names)},
    }


def weather():
    data = read("weather.csv")
    d, n = chord(data["lon"], data["lat"]), len(data["lon"])
    z = np.concatenate([data["pressure"] / 100, data["temperature"]])
    design = repeated(np.ones((n, 1)), 2)
    parameters, nugget = [6.0, 7.0, 120.0, 1.2, 0.6, -0.4], 0.01
    loglik, beta = likelihood(several(d, parameters, 2) + nugget * np.eye(2 * n), z, design)

    def build(p):
        free = [*np.exp(p[:5]), np.tanh(p[5])]
        return several(d, free, 2) + 0.0 * np.eye(2 * n)

    best, x = maximum(build, z, design, [*np.log(parameters[:5]), np.arctanh(parameters[5])])
    return {
        "params": parameters,
        "nugget": nugget,
        "loglik": loglik,
        "coefficients": list(beta),
        "maximum": best,
        "at_maximum": [*np.exp(x[:5]), float(np.tanh(x[5]))],
    }


print(json.dumps({f.__name__: f() for f in (rainfall, ozone, quakes, jura, weather)}, indent=1))
