"""Maximum likelihood of a Matern field with SciPy; the variance, and the constant mean if there is one, profiled out.

The search is over the logarithms of range and smoothness (of the range alone with --fix-smoothness), and of the variance
of noise over that of the field with --noise. Each optimizer of
--optimizers starts from the same point; the result is that of the fastest whose maximum lies within 1e-4 of the best
log-likelihood that any of them found. Prints one JSON object; `tried` lists them all.
"""

import threads

threads.set_from_arguments()

import argparse
import json
import math
import time

import numpy as np
from scipy.optimize import minimize

from gaussian_field import GaussianField, read_points, scores

OPTIONS = {
    "Nelder-Mead": {"xatol": 1e-4, "fatol": 1e-5, "maxiter": 500},
    "Powell": {"xtol": 1e-4, "ftol": 1e-8, "maxiter": 100},
    "L-BFGS-B": {"ftol": 1e-9, "gtol": 1e-4, "maxiter": 200},
    "COBYQA": {"initial_tr_radius": 0.5, "final_tr_radius": 1e-4, "maxfev": 500},
}
WITHIN = 1e-4


def fit(points, values, arguments, optimizer):
    """One search; returns its outcome as a dictionary."""
    start_time = time.perf_counter()
    field = GaussianField(points, values, arguments.mean, arguments.threads)
    extent = float(field.distances.max())
    evaluations = 0

    def parameters(logs):
        smoothness = arguments.fix_smoothness or math.exp(logs[1])
        noise = math.exp(logs[-1]) if arguments.noise else 0.0
        return math.exp(logs[0]), smoothness, noise

    def loss(logs):
        nonlocal evaluations
        evaluations += 1
        try:
            return -field.profile(*parameters(logs))[0]
        except np.linalg.LinAlgError:
            return 1e10

    start = [math.log(0.1 * extent), math.log(0.8)]
    bounds = [(math.log(1e-4 * extent), math.log(100 * extent)), (math.log(0.05), math.log(5))]
    if arguments.fix_smoothness:
        start, bounds = start[:1], bounds[:1]
    if arguments.noise:
        start, bounds = start + [math.log(0.1)], bounds + [(math.log(1e-6), math.log(1e2))]
    found = minimize(loss, start, method=optimizer, bounds=bounds, options=OPTIONS[optimizer])
    scale, smoothness, noise = parameters(found.x)
    loglik, variance, mean = field.profile(scale, smoothness, noise)
    outcome = {
        "optimizer": optimizer,
        "loglik": loglik,
        "params": {"variance": variance, "range": scale, "smoothness": smoothness},
        "nugget": noise * variance,
        "evaluations": evaluations,
        "seconds": time.perf_counter() - start_time,
    }
    if arguments.at:
        places, observed = read_points(arguments.at)
        outcome |= scores(observed, *field.predict(places, outcome["params"], mean, noise))
    if arguments.mean == "constant":
        outcome["mean"] = mean
    return outcome


def main():
    """Reads the arguments, runs the searches, prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV file: x, y, z in the first three columns")
    parser.add_argument("--rows", type=int, help="use the first ROWS rows only")
    parser.add_argument("--mean", choices=["zero", "constant"], default="zero")
    parser.add_argument("--fix-smoothness", type=float)
    parser.add_argument("--noise", action="store_true", help="estimate the variance of noise, too")
    parser.add_argument("--at", help="CSV file of places, with values in the third column, to predict at")
    parser.add_argument("--optimizers", default=",".join(OPTIONS), help="comma-separated; default: %(default)s")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    points, values = read_points(arguments.data, arguments.rows)
    tried = [fit(points, values, arguments, name) for name in arguments.optimizers.split(",")]
    best = max(outcome["loglik"] for outcome in tried)
    reached = [outcome for outcome in tried if outcome["loglik"] >= best - WITHIN]
    result = min(reached, key=lambda outcome: outcome["seconds"])
    print(json.dumps({"n": len(values), "threads": arguments.threads, **result, "tried": tried}))


if __name__ == "__main__":
    main()
