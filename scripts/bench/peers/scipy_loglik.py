"""One Gaussian log-likelihood of a Matern field of mean zero with SciPy; prints one JSON object.

`seconds` is the evaluation alone, from the coordinates on, without reading the file.
"""

import threads

threads.set_from_arguments()

import argparse
import json
import time

from gaussian_field import GaussianField, read_points


def main():
    """Reads the arguments, evaluates once, prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV file: x, y, z in the first three columns")
    parser.add_argument("--rows", type=int, help="use the first ROWS rows only")
    parser.add_argument("--params", default="1,0.1,0.7", help="variance,range,smoothness; default: %(default)s")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    variance, scale, smoothness = (float(word) for word in arguments.params.split(","))
    points, values = read_points(arguments.data, arguments.rows)
    start = time.perf_counter()
    field = GaussianField(points, values, threads=arguments.threads)
    loglik = field.loglik(variance, scale, smoothness)
    seconds = time.perf_counter() - start
    params = {"variance": variance, "range": scale, "smoothness": smoothness}
    result = {"n": len(values), "threads": arguments.threads, "params": params, "loglik": loglik}
    print(json.dumps({**result, "seconds": seconds, "phases": field.seconds}))


if __name__ == "__main__":
    main()
