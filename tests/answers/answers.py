"""Reference answers for the geostatistics tests, computed with NumPy and SciPy alone.

    python answers.py check           recompute what the answer files say and compare
    python answers.py check MEUSE     also the answers of the Meuse set, from its CSV file
    python answers.py texas           write texas_wind.json and texas_wind_kriging.csv anew

Covariance: Matern in the form s2 * 2^(1-nu)/Gamma(nu) * u^nu * K_nu(u) with u = distance/range, equal to s2 at
distance 0; a nugget is added to the diagonal of the data's covariance only. The Bessel function is SciPy's `kve`
(the AMOS library). Great-circle distance: haversine formula on a sphere of radius 6371 km.
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import gammaln, kve

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "data" / "samples"
EARTH_RADIUS_KM = 6371.0


def read_columns(path, *names):
    """Columns of a CSV file as arrays; by position where `names` are whole numbers."""
    with open(path, newline="") as file:
        if isinstance(names[0], int):
            rows = list(csv.reader(file))
        else:
            rows = list(csv.DictReader(file))
    return [np.array([float(row[name]) for row in rows]) for name in names]


def plane_distance(x, y):
    """Distances between the points (x, y)."""
    return np.hypot(x[:, None] - x, y[:, None] - y)


def great_circle_distance(lon, lat):
    """Distances in km between points given in degrees."""
    lon, lat = np.radians(lon), np.radians(lat)
    haversine = (
        np.sin((lat[:, None] - lat) / 2) ** 2
        + np.cos(lat[:, None]) * np.cos(lat) * np.sin((lon[:, None] - lon) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_KM * np.arcsin(np.minimum(1, np.sqrt(haversine)))


def matern(distance, variance, scale, smoothness):
    """Matern covariance at the distances given."""
    u = distance / scale
    near = np.where(u > 0, u, 1.0)
    log_front = (1 - smoothness) * np.log(2) - gammaln(smoothness) + smoothness * np.log(near) - near
    return np.where(u > 0, variance * np.exp(log_front) * kve(smoothness, near), variance)


def covariance(distance, theta):
    """Covariance of the data for theta = (variance, range, smoothness[, nugget])."""
    nugget = theta[3] if len(theta) > 3 else 0.0
    return matern(distance, *theta[:3]) + nugget * np.eye(len(distance))


def loglik(matrix, z):
    """Gaussian log-likelihood of z with mean zero, with its two ingredients."""
    factor = cholesky(matrix, lower=True)
    white = solve_triangular(factor, z, lower=True)
    logdet = 2 * np.log(np.diag(factor)).sum()
    quadratic = white @ white
    value = -0.5 * (len(z) * np.log(2 * np.pi) + logdet + quadratic)
    return {"loglik": float(value), "logdet": float(logdet), "quad": float(quadratic)}


def with_mean(matrix, z, design):
    """Generalised least squares: coefficients, their errors, and the likelihood at them (ML and REML)."""
    factor = cholesky(matrix, lower=True)
    white_design = solve_triangular(factor, design, lower=True)
    white = solve_triangular(factor, z, lower=True)
    information = white_design.T @ white_design
    beta = np.linalg.solve(information, white_design.T @ white)
    rest = white - white_design @ beta
    logdet = 2 * np.log(np.diag(factor)).sum()
    n, p = design.shape
    ml = -0.5 * (n * np.log(2 * np.pi) + logdet + rest @ rest)
    freedom = np.linalg.slogdet(information)[1] - np.linalg.slogdet(design.T @ design)[1]
    reml = -0.5 * ((n - p) * np.log(2 * np.pi) + logdet + freedom + rest @ rest)
    return {
        "beta": beta.tolist(),
        "beta_se": np.sqrt(np.diag(np.linalg.inv(information))).tolist(),
        "loglik_ML": float(ml),
        "loglik_REML": float(reml),
    }


def krige(matrix, cross, sill, z, design=None, design_at=None):
    """Predictions and variances of the noise-free field: simple kriging, or universal kriging with a design."""
    factor = (cholesky(matrix, lower=True), True)
    weights = cho_solve(factor, cross.T).T
    variance = sill - np.einsum("ij,ij->i", weights, cross)
    if design is None:
        return weights @ z, variance
    information = design.T @ cho_solve(factor, design)
    beta = np.linalg.solve(information, design.T @ cho_solve(factor, z))
    rest = design_at - weights @ design
    prediction = design_at @ beta + weights @ (z - design @ beta)
    return prediction, variance + np.einsum("ij,ij->i", rest @ np.linalg.inv(information), rest)


def maximise(objective, starts):
    """The best end of Nelder-Mead searches over the logarithms of the parameters, each restarted once."""
    def loss(logs):
        try:
            return -objective(np.exp(logs))
        except np.linalg.LinAlgError:
            return 1e10

    best = None
    for start in starts:
        point = np.log(start)
        for tolerance in (1e-8, 1e-10):
            options = {"xatol": tolerance, "fatol": tolerance, "maxiter": 10000, "maxfev": 10000}
            found = minimize(loss, point, method="Nelder-Mead", options=options)
            point = found.x
        if best is None or found.fun < best.fun:
            best = found
    return np.exp(best.x)


def texas():
    """Answers for the Texas stations: air temperature in degrees C, great-circle distance."""
    lon, lat, z = read_columns(SAMPLES / "texas-wind.csv", "longitude", "latitude", "air_temperature_c")
    distance = great_circle_distance(lon, lat)
    n = len(z)
    designs = {"constant": np.ones((n, 1)), "latitude": np.c_[np.ones(n), lat]}
    out = {
        "data": "texas-wind.csv: longitude, latitude (degrees), air_temperature_c",
        "distance": "great circle, km; entry 0,1 of the matrix is " + repr(float(distance[0, 1])),
        "loglik_zero_mean": [
            {"theta": theta, **loglik(covariance(distance, theta), z)}
            for theta in [[100, 500, 0.5], [20, 300, 0.3, 0.5], [200, 2000, 0.5, 1.5]]
        ],
    }
    for name, design in designs.items():
        def value(p, design=design):
            return with_mean(covariance(distance, (p[0], p[1], 0.5, p[2])), z, design)["loglik_ML"]

        best = maximise(value, [(10, 300, 1), (3, 100, 0.5)])
        theta = [float(best[0]), float(best[1]), 0.5, float(best[2])]
        detail = with_mean(covariance(distance, theta), z, design)
        out[f"ml_exponential_nugget_{name}"] = {"theta": theta, **detail}
    held_out = np.arange(n) % 5 == 0
    theta = [8, 400, 0.5, 1]
    matrix = covariance(distance, theta)[np.ix_(~held_out, ~held_out)]
    cross = matern(distance[np.ix_(held_out, ~held_out)], *theta[:3])
    columns = {"row0": np.flatnonzero(held_out)}
    mspe = {}
    for name, design in designs.items():
        prediction, variance = krige(
            matrix, cross, theta[0], z[~held_out], design[~held_out], design[held_out]
        )
        columns[f"{name}_pred"], columns[f"{name}_var"] = prediction, variance
        mspe[name] = float(((prediction - z[held_out]) ** 2).mean())
    out["kriging"] = {"theta": theta, "file": "texas_wind_kriging.csv", "held_out": "row0 % 5 == 0", "mspe": mspe}
    with open(HERE / "texas_wind.json", "w") as file:
        json.dump(out, file, indent=1)
        file.write("\n")
    with open(HERE / "texas_wind_kriging.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values()):
            writer.writerow([int(row[0]), *(repr(float(value)) for value in row[1:])])


class Comparison:
    """Counts comparisons and remembers the worst."""

    def __init__(self):
        self.count, self.worst, self.failed = 0, 0.0, []

    def same(self, what, found, expected, tolerance=1e-9):
        """Compares relatively where the expected value is above one."""
        error = float(np.max(np.abs(np.subtract(found, expected)) / np.maximum(1, np.abs(expected))))
        self.count, self.worst = self.count + 1, max(self.worst, error)
        if not error <= tolerance:
            self.failed.append(f"{what}: off by {error:.2e} where {tolerance:.0e} is allowed")


def check_logliks(comparison, name, distance, z, rows, tolerance=1e-9):
    """Compares rows of {theta, loglik, logdet, quad}."""
    for row in rows:
        found = loglik(covariance(distance, row["theta"]), z)
        for key in ("loglik", "logdet", "quad"):
            comparison.same(f"{name} {row['theta']} {key}", found[key], float(row[key]), tolerance)


def fisher(distance, theta):
    """Fisher's information on (variance, range, smoothness), by differences of fourth order."""
    inverse = np.linalg.inv(matern(distance, *theta))

    def derivative(k):
        step = 2e-3 * theta[k]
        at = lambda times: matern(distance, *(t + times * step * (i == k) for i, t in enumerate(theta)))
        return (-at(2) + 8 * at(1) - 8 * at(-1) + at(-2)) / (12 * step)

    made = [inverse @ derivative(k) for k in range(3)]
    return np.array([[0.5 * np.sum(a * b.T) for b in made] for a in made])


def check_fisher(comparison):
    x, y = read_columns(SAMPLES / "a_synth1600.csv", "x", "y")
    large = json.loads((HERE / "a_synth1600.json").read_text())["fisher"]
    small = json.loads((HERE / "fisher16.json").read_text())
    some = plane_distance(x[:400], y[:400])
    sixteen = plane_distance(np.array(small["x"]), np.array(small["y"]))
    for distance, answer in [(some, large[0]), (some, large[1]), (sixteen, small)]:
        found = fisher(distance, answer["theta"])
        for j, k in np.ndindex(3, 3):
            comparison.same(f"fisher {answer['theta']} {j} {k}", found[j, k], answer["fisher"][j][k], 1e-6)


def check_synthetic(comparison):
    """The synthetic set of 1600 points and its 140-point part."""
    x, y, z = read_columns(SAMPLES / "a_synth1600.csv", "x", "y", "z")
    distance = plane_distance(x, y)
    answers = json.loads((HERE / "a_synth1600.json").read_text())
    # The condition numbers go up to 1e9, hence the wider tolerance.
    check_logliks(comparison, "synth", distance, z, answers["loglik"] + answers["loglik_nugget"], 1e-7)
    for row in answers["loglik_powexp"]:
        variance, scale, power = row["theta"]
        found = loglik(variance * np.exp(-(distance**power) / scale), z)["loglik"]
        comparison.same(f"synth powered exponential {row['theta']}", found, row["loglik"])
    for key in ("mle", "mle_nu_half"):
        found = loglik(covariance(distance, answers[key]["theta"]), z)["loglik"]
        comparison.same(f"synth {key}", found, answers[key]["loglik"])
    held_out = np.arange(len(z)) % 16 == 7
    file = HERE / "a_synth1600_kriging.csv"
    thetas = {"true": [1, 0.1, 0.5], "mle": answers["mle"]["theta"], "misspec": [1.3, 0.05, 1.2]}
    for name, theta in thetas.items():
        matrix = covariance(distance, theta)[np.ix_(~held_out, ~held_out)]
        cross = matern(distance[np.ix_(held_out, ~held_out)], *theta)
        prediction, variance = krige(matrix, cross, theta[0], z[~held_out])
        expected = read_columns(file, f"{name}_pred", f"{name}_var")
        comparison.same(f"synth kriging {name}", prediction, expected[0])
        comparison.same(f"synth kriging variance {name}", variance, expected[1])
        comparison.same(f"synth mspe {name}", ((prediction - z[held_out]) ** 2).mean(), answers["mspe"][name])
    x, y, z = read_columns(SAMPLES / "e_sub140.csv", "x", "y", "z")
    exact = json.loads((HERE / "e_sub140_mp.json").read_text())["loglik"]
    # The last two are nearly singular on purpose: double precision cannot reach them.
    check_logliks(comparison, "sub140", plane_distance(x, y), z, exact[:2])


def check_texas(comparison):
    """The Texas stations: the answers are those of this script, and each optimum is one."""
    lon, lat, z = read_columns(SAMPLES / "texas-wind.csv", "longitude", "latitude", "air_temperature_c")
    distance = great_circle_distance(lon, lat)
    answers = json.loads((HERE / "texas_wind.json").read_text())
    check_logliks(comparison, "texas", distance, z, answers["loglik_zero_mean"])
    designs = {"constant": np.ones((len(z), 1)), "latitude": np.c_[np.ones(len(z)), lat]}
    for name, design in designs.items():
        answer = answers[f"ml_exponential_nugget_{name}"]
        best = with_mean(covariance(distance, answer["theta"]), z, design)
        for key in ("beta", "beta_se", "loglik_ML", "loglik_REML"):
            comparison.same(f"texas {name} {key}", best[key], answer[key])
        for entry in (0, 1, 3):
            for factor in (0.99, 1.01):
                theta = list(answer["theta"])
                theta[entry] *= factor
                if with_mean(covariance(distance, theta), z, design)["loglik_ML"] > best["loglik_ML"]:
                    comparison.failed.append(f"texas {name}: {theta} is better")


def check_meuse(comparison, path):
    """The Meuse set: logarithm of zinc, coordinates in km, a mean linear in the square root of `dist`."""
    x, y, zinc, dist = read_columns(path, "x", "y", "zinc", "dist")
    distance, z = plane_distance(x / 1000, y / 1000), np.log(zinc)
    answers = json.loads((HERE / "b_meuse.json").read_text())
    check_logliks(comparison, "meuse", distance, z - z.mean(), answers["loglik_zero_mean_demeaned"])
    designs = {"const": np.ones((len(z), 1)), "sqrtdist": np.c_[np.ones(len(z)), np.sqrt(dist)]}
    for name, design in designs.items():
        for criterion in ("loglik_ML", "loglik_REML"):
            answer = answers[f"mle_{name}_exp_nugget_{criterion}"]
            found = with_mean(covariance(distance, answer["theta"]), z, design)
            # The REML optimum of the constant mean lies at infinity and is no answer to compare closely.
            tolerance = 1e-5 if (name, criterion) == ("const", "loglik_REML") else 1e-9
            comparison.same(f"meuse {name} {criterion}", found[criterion], answer["value"], tolerance)
    theta = answers["kriging"]["theta"]
    held_out = np.arange(len(z)) % 5 == 0
    matrix = covariance(distance, theta)[np.ix_(~held_out, ~held_out)]
    cross = matern(distance[np.ix_(held_out, ~held_out)], *theta[:3])
    for name, design in {"ordinary": designs["const"], "universal": designs["sqrtdist"]}.items():
        found = krige(matrix, cross, theta[0], z[~held_out], design[~held_out], design[held_out])
        expected = read_columns(HERE / "b_meuse_kriging.csv", f"{name}_pred", f"{name}_var")
        comparison.same(f"meuse {name} kriging", found, expected)
    # Each value from all the others, by a system of its own; the variances have the nugget in them.
    answer = answers["loo_simple"]
    matrix, centred, found = covariance(distance, answer["theta"]), z - z.mean(), []
    for left_out in range(len(z)):
        others = np.arange(len(z)) != left_out
        weights = np.linalg.solve(matrix[np.ix_(others, others)], matrix[others, left_out])
        variance = matrix[left_out, left_out] - weights @ matrix[others, left_out]
        found.append((weights @ centred[others], variance))
    predictions, variances = np.array(found).T
    comparison.same("meuse leave-one-out", predictions[:5] + z.mean(), answer["first5_pred"])
    comparison.same("meuse leave-one-out variance", variances[:5], answer["first5_var"])
    mean_square = ((predictions - centred) ** 2).mean()
    comparison.same("meuse leave-one-out mspe", mean_square, answer["mspe"])


def main():
    """Runs the command named on the command line."""
    match sys.argv[1:]:
        case ["texas"]:
            texas()
        case ["check", *meuse]:
            comparison = Comparison()
            check_synthetic(comparison)
            check_fisher(comparison)
            check_texas(comparison)
            if meuse:
                check_meuse(comparison, meuse[0])
            print(f"{comparison.count} comparisons, worst relative error {comparison.worst:.1e}")
            if comparison.failed:
                sys.exit("\n".join(comparison.failed))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
