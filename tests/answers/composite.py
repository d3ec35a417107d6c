"""Answers for covariances that are put together from others: sums, several variables, space and time,
and for noise whose variance is known of each value.

Places, times, variables and values follow from their numbers, so that tests make the same. Needs NumPy
and SciPy; prints JSON.
"""

import json

import numpy as np
from scipy.special import gamma, kv

N = 60


def fraction(x):
    return x - np.floor(x)


def places(count, shift=0.0):
    i = np.arange(count) + shift
    return np.stack([fraction(0.754877666246693 * i), fraction(0.569840290998053 * i)], axis=1)


def matern(d, range_, nu):
    x = np.where(d == 0, 1.0, d / range_)
    return np.where(d == 0, 1.0, 2 ** (1 - nu) / gamma(nu) * x**nu * kv(nu, x))


def parsimonious(variances, range_, nus, bs):
    count = len(variances)
    b = np.eye(count)
    b[np.triu_indices(count, 1)] = bs
    b = b + np.triu(b, 1).T

    def entry(p, q, d):
        nu = (nus[p] + nus[q]) / 2
        rho = b[p, q] * np.sqrt(gamma(nus[p] + 1) * gamma(nus[q] + 1) / (gamma(nus[p]) * gamma(nus[q])))
        rho *= gamma(nu) / gamma(nu + 1)
        return rho * np.sqrt(variances[p] * variances[q]) * matern(d, range_, nu)

    return entry


def flexible(a1, a2, A, B, nu1, nu2, D, E, w1, w2, r):
    a, nus, w = (a1, a2), (nu1, nu2), (w1, w2)

    def entry(p, q, d):
        if p == q:
            return w[p] ** 2 * a[p] ** (2 * D + 2 * nus[p]) * gamma(nus[p]) * matern(d, a[p], nus[p])
        a12 = ((a1**-2 + a2**-2) / 2 + A * (1 - B)) ** -0.5
        nu12 = (nu1 + nu2) / 2 + D * (1 - E)
        rho = w1 * w2 * r * a12 ** (2 * D + nu1 + nu2) * gamma((nu1 + nu2) / 2 + 1) * gamma(nu12) / gamma(nu12 + 1)
        return rho * matern(d, a12, nu12)

    return entry


def in_time(entry, scale, alpha, b, delta):
    def timed(p, q, d, u):
        psi = np.abs(u) ** (2 * alpha) / scale + 1
        return entry(p, q, d / psi ** (b / 2)) / psi ** (b + delta)

    return timed


def nonstationary(v):
    a, b, d_, e, f, g, h, i = v

    def entry(x1, x2):
        def fields(x):
            s = x.sum(axis=1)
            square = a * np.exp(np.sin(b * x[:, 0]) + np.sin(b * x[:, 1]))
            return square, d_ * np.exp(e * s) + f, g * np.exp(h * s) + i

        (l1, s1, v1), (l2, s2, v2) = fields(x1), fields(x2)
        mean = (l1[:, None] + l2[None, :]) / 2
        nu = (v1[:, None] + v2[None, :]) / 2
        q = ((x1[:, None, :] - x2[None, :, :]) ** 2).sum(axis=2) / mean
        shape = np.sqrt(l1[:, None] * l2[None, :]) / mean
        return s1[:, None] * s2[None, :] * shape * matern(2 * np.sqrt(nu * q), 1.0, nu)

    return entry


def spherical(d, range_):
    x = d / range_
    return np.where(x < 1, 1 - 1.5 * x + 0.5 * x**3, 0.0)


MODELS = {
    "matern+exponential": lambda v: lambda p, q, d: v[0] * matern(d, v[1], v[2]) + v[3] * np.exp(-d / v[4]),
    "spherical+matern-scaled+gaussian": lambda v: lambda p, q, d: (
        v[0] * spherical(d, v[1])
        + v[2] * matern(d, v[3] / np.sqrt(2 * v[4]), v[4])
        + v[5] * np.exp(-((d / v[6]) ** 2))
    ),
    "bivariate-matern-parsimonious": lambda v: parsimonious(v[:2], v[2], v[3:5], v[5:]),
    "trivariate-matern-parsimonious": lambda v: parsimonious(v[:3], v[3], v[4:7], v[7:]),
    "bivariate-matern-flexible": lambda v: flexible(*v),
    "matern": lambda v: lambda p, q, d: v[0] * matern(d, v[1], v[2]),
    "gneiting-matern": lambda v: in_time(lambda p, q, d: v[0] * matern(d, v[1], v[2]), *v[3:]),
    "bivariate-gneiting-matern": lambda v: in_time(parsimonious(v[:2], v[2], v[3:5], v[5:6]), *v[6:]),
}

CASES = [
    ("matern+exponential", [1.2, 0.15, 0.8, 0.5, 0.4], 0.1),
    ("spherical+matern-scaled+gaussian", [0.7, 0.45, 1.1, 0.2, 1.3, 0.4, 0.1], 0.2),
    ("bivariate-matern-parsimonious", [1.3, 0.6, 0.2, 0.5, 1.1, 0.6], 0.05),
    ("bivariate-matern-parsimonious", [1.3, 2.6, 0.1, 1.5, 0.4, -0.7], 0.0),
    ("trivariate-matern-parsimonious", [1.3, 0.6, 2.0, 0.2, 0.5, 1.1, 0.8, 0.3, -0.4, 0.2], 0.05),
    ("bivariate-matern-flexible", [0.2, 0.3, 2.0, 0.3, 0.6, 1.1, 0.2, 0.4, 3.0, 5.0, 0.5], 0.05),
    ("gneiting-matern", [1.4, 0.2, 0.7, 1.5, 0.8, 0.6, 0.3], 0.05),
    ("gneiting-matern", [1.4, 0.3, 0.5, 0.7, 0.5, 0.0, 0.5], 0.0),
    ("bivariate-gneiting-matern", [1.4, 0.8, 0.2, 0.7, 1.2, 0.4, 1.5, 0.8, 0.6, 0.3], 0.05),
    ("nonstationary-matern", [0.02, 1.5, 0.8, 0.4, 0.3, 0.5, 0.3, 0.2], 0.05),
    ("matern", [1.2, 0.2, 0.8], 0.05, 0.4),
    ("matern", [1.2, 0.2, 0.8], 0.0, 0.4),
    ("bivariate-matern-parsimonious", [1.3, 0.6, 0.2, 0.5, 1.1, 0.6], 0.05, 0.3),
]


def variables(name):
    return 3 if name.startswith("tri") else 2 if name.startswith("bi") else 1


def matrix(name, values, first, second):
    """Covariances between (places, times, variables), each three arrays."""
    (x1, t1, v1), (x2, t2, v2) = first, second
    if name == "nonstationary-matern":
        return nonstationary(values)(x1, x2)
    entry = MODELS[name](values)
    d = np.sqrt(((x1[:, None, :] - x2[None, :, :]) ** 2).sum(axis=2))
    u = t1[:, None] - t2[None, :]
    result = np.zeros(d.shape)
    for p in np.unique(v1):
        for q in np.unique(v2):
            with_u = (u,) if "gneiting" in name else ()
            block = entry(min(p, q), max(p, q), d, *with_u)
            result = np.where((v1[:, None] == p) & (v2[None, :] == q), block, result)
    return result


def answer(name, values, nugget, noisy=0.0):
    count = variables(name)
    i = np.arange(N)
    at = (places(N), fraction(0.3819660112501051 * i) * 4, i % count)
    z = np.sin(3.0 * i) + 0.5 * np.cos(7.0 * at[0][:, 0])
    own = matrix(name, values, at, at)
    noise = noisy * fraction(0.6180339887498949 * i)
    c = own + nugget * np.eye(N) + np.diag(noise)
    sign, logdet = np.linalg.slogdet(c)
    solved = np.linalg.solve(c, z)
    loglik = -0.5 * (N * np.log(2 * np.pi) + logdet + z @ solved)
    j = np.arange(3 * count)
    to = (places(3 * count, 0.5), fraction(0.3819660112501051 * (j + 0.5)) * 4, j % count)
    cross = matrix(name, values, at, to)
    weights = np.linalg.solve(c, cross)
    prior = np.array([matrix(name, values, [a[k : k + 1] for a in to], [a[k : k + 1] for a in to])[0, 0] for k in j])
    derivatives = []
    for k in range(len(values)):
        total = np.zeros(c.shape)
        for step, weight in ((1, 45), (2, -9), (3, 1)):
            for sign in (1, -1):
                moved = list(values)
                moved[k] += sign * step * 1e-3 * max(abs(values[k]), 0.1)
                total += sign * weight * matrix(name, moved, at, at)
        derivatives.append(np.linalg.solve(c, total / (60e-3 * max(abs(values[k]), 0.1))))
    information = [[0.5 * np.trace(a @ b) for b in derivatives] for a in derivatives]
    return {
        "covariance": name,
        "values": values,
        "nugget": nugget,
        "noise": noisy,
        "loglik": loglik,
        "means": list(weights.T @ z),
        "variances": list(prior - (cross * weights).sum(axis=0)),
        "information": information,
    }


print(json.dumps([answer(*case) for case in CASES], indent=1))
