"""GPBoost's Vecchia approximation of a Matern field with smoothness, noise and constant mean estimated.

GPBoost's Matern is of sqrt(2 smoothness) distance/range, our matern-scaled. Prints one JSON object with the parameters
in that form.
"""

import threads

threads.set_from_arguments()

import argparse
import json
import os
import sys
import time

import gpboost
import numpy as np

from gaussian_field import read_points, scores


def contiguous(path, rows=None):
    """Points and values as arrays of their own: of a column of a table GPBoost takes other numbers, and says nothing."""
    return tuple(np.ascontiguousarray(array) for array in read_points(path, rows))


def main():
    """Reads the arguments, fits, prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV file: x, y, z in the first three columns")
    parser.add_argument("--rows", type=int, help="use the first ROWS rows only")
    parser.add_argument("--neighbours", type=int, default=30)
    parser.add_argument("--at", help="CSV file of places, with values in the third column, to predict at")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    points, values = contiguous(arguments.data, arguments.rows)
    # The library says what it meets on standard output, which is for the result alone.
    result = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    start = time.perf_counter()
    model = gpboost.GPModel(
        gp_coords=points,
        cov_function="matern_estimate_shape",
        likelihood="gaussian",
        gp_approx="vecchia",
        num_neighbors=arguments.neighbours,
        num_parallel_threads=arguments.threads,
    )
    model.fit(y=values, X=np.ones((len(values), 1)))
    seconds = time.perf_counter() - start
    predicted = {}
    if arguments.at:
        places, observed = contiguous(arguments.at)
        begin = time.perf_counter()
        made = model.predict(gp_coords_pred=places, X_pred=np.ones((len(places), 1)), predict_var=True, predict_response=True)
        predicted = {"prediction_seconds": time.perf_counter() - begin, **scores(observed, made["mu"], made["var"])}
    nugget, variance, scale, smoothness = np.asarray(model.get_cov_pars()).ravel()[:4].tolist()
    print(
        json.dumps(
            {
                "n": len(values),
                "threads": arguments.threads,
                "loglik": -float(model.get_current_neg_log_likelihood()),
                "params": {"variance": variance, "range": scale, "smoothness": smoothness},
                "nugget": nugget,
                "seconds": seconds,
                **predicted,
            }
        ),
        file=result,
    )


if __name__ == "__main__":
    main()
