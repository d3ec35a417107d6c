"""scikit-learn's exact Gaussian process, fitted by its own optimizer: ConstantKernel * Matern(nu=1.5), mean zero.

With --noise a WhiteKernel is added, and the mean of the values is taken off them.

scikit-learn's Matern of smoothness 1.5 is (1 + s) exp(-s) with s = sqrt(3) distance/length_scale, so that our range is
length_scale / sqrt(3). Prints one JSON object with the parameters in our form.
"""

import threads

threads.set_from_arguments()

import argparse
import json
import math
import time
import warnings

from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from gaussian_field import read_points, scores


class Counted(GaussianProcessRegressor):
    """The regressor, which counts evaluations of its likelihood."""

    evaluations = 0

    def log_marginal_likelihood(self, *arguments, **options):
        """As in the base class."""
        self.evaluations += 1
        return super().log_marginal_likelihood(*arguments, **options)


def main():
    """Reads the arguments, fits, prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV file: x, y, z in the first three columns")
    parser.add_argument("--rows", type=int, help="use the first ROWS rows only")
    parser.add_argument("--noise", action="store_true", help="estimate the variance of noise, too")
    parser.add_argument("--at", help="CSV file of places, with values in the third column, to predict at")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    points, values = read_points(arguments.data, arguments.rows)
    mean = float(values.mean()) if arguments.noise else 0.0
    values = values - mean
    extent = float((points.max(axis=0) - points.min(axis=0)).max())
    scale_bounds = (1e-4 * extent, 1e2 * extent)
    kernel = ConstantKernel(float(values.var()), (1e-6, 1e6)) * Matern(0.1 * extent, scale_bounds, nu=1.5)
    if arguments.noise:
        kernel = kernel + WhiteKernel(0.1 * float(values.var()), (1e-6, 1e6))
    process = Counted(kernel, alpha=1e-10)
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        process.fit(points, values)
    seconds = time.perf_counter() - start
    found = process.kernel_.k1 if arguments.noise else process.kernel_
    params = {
        "variance": float(found.k1.constant_value),
        "range": float(found.k2.length_scale) / math.sqrt(3),
        "smoothness": 1.5,
    }
    more = {}
    if arguments.noise:
        more["nugget"] = float(process.kernel_.k2.noise_level)
    if arguments.at:
        places, observed = read_points(arguments.at)
        predicted, deviation = process.predict(places, return_std=True)
        more |= scores(observed, mean + predicted, deviation**2)
    print(
        json.dumps(
            {
                "n": len(values),
                "threads": arguments.threads,
                "loglik": float(process.log_marginal_likelihood_value_),
                "params": params,
                **more,
                "evaluations": process.evaluations,
                "seconds": seconds,
                "warnings": [str(warning.message) for warning in caught],
            }
        )
    )


if __name__ == "__main__":
    main()
