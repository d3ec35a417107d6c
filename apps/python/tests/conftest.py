"""What the tests share: the project's data, and the program to compare with."""

import os
import pathlib
import signal
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]

# A shell has what it starts in the background ignore interrupts, and Python then raises none.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """Runs the program with some arguments; ``TEGULA`` is its path, as ``scripts/python-tests`` sets it."""
    path = os.environ.get("TEGULA")
    if not path:
        pytest.skip("TEGULA does not say where the program is")

    def run(*words):
        words = [path, *map(str, words)]
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=tmp_path_factory.getbasetemp())

    return run


@pytest.fixture(scope="session")
def texas_file():
    """Temperature and wind at 186 stations."""
    return ROOT / "data/samples/texas-wind.csv"


@pytest.fixture
def texas(texas_file):
    """The same as a table of pandas."""
    return pytest.importorskip("pandas").read_csv(texas_file)


@pytest.fixture(scope="session")
def meuse_file():
    """Heavy metals in the soil at 155 places; fetched by ``scripts/fetch-meuse``."""
    path = ROOT / "target/peers/meuse.csv"
    if not path.exists():
        pytest.skip("scripts/fetch-meuse has not fetched the Meuse set")
    return path


@pytest.fixture(scope="session")
def synthetic():
    """Places and values of a field, 140 rows."""
    data = np.genfromtxt(ROOT / "data/samples/e_sub140.csv", delimiter=",", skip_header=1)
    return data[:, :2], data[:, 2]


@pytest.fixture
def random():
    """Random numbers, the same in each test."""
    return np.random.default_rng(1)
