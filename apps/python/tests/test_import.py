"""What an import costs, and that names which come later are there."""

import doctest
import inspect
import subprocess
import sys

import pytest
import tegula


def _ran(program):
    """What a Python of its own prints."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_scikit_learn_is_imported_with_the_first_field():
    pytest.importorskip("sklearn")
    program = """
import sys, tegula
print("sklearn" in sys.modules)
tegula.mds([[0.0, 1.0], [1.0, 0.0]], axes=1)
print("sklearn" in sys.modules)
from tegula import GaussianField
print("sklearn" in sys.modules, GaussianField is tegula.GaussianField is tegula.field.GaussianField)
"""
    assert _ran(program).split() == ["False", "False", "True", "True"]


def test_all_names_are_there():
    program = "import tegula; print(set(tegula.__all__) <= set(dir(tegula))); from tegula import *; print(sample, mds)"
    assert _ran(program).startswith("True\n<function sample")
    assert _ran("import tegula; print(tegula.field)").startswith("<module 'tegula.field'")
    with pytest.raises(AttributeError, match="module 'tegula' has no attribute 'GaussField'"):
        tegula.GaussField


@pytest.mark.parametrize("name", ["tegula", "tegula.field", "tegula.flow"])
def test_examples_of_the_documentation_run(name):
    __import__(name)
    found = doctest.testmod(sys.modules[name])
    assert found.failed == 0 and (found.attempted > 0) == (name != "tegula")


def test_names_that_come_later_are_pickled_and_shown():
    program = "import pickle, tegula; print(pickle.loads(pickle.dumps(tegula.GaussianField('cauchy'))).covariance)"
    assert _ran(program) == "cauchy\n"
    assert "GaussianField" in dict(inspect.getmembers(tegula))
