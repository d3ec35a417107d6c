"""The number of BLAS threads, from the command line into the environment, before NumPy is loaded."""

import os
import sys


def set_from_arguments(default=2):
    """Obeys `--threads N` wherever it stands among the arguments."""
    count = str(default)
    for before, argument in zip(sys.argv, sys.argv[1:] + [""]):
        if before == "--threads":
            count = argument
        elif before.startswith("--threads="):
            count = before.removeprefix("--threads=")
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = count
