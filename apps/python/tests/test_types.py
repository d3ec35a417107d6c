"""The stubs (``.pyi``) say what is there, and a checker of types reads them."""

import ast
import importlib
import inspect
import pathlib
import subprocess
import sys

import pytest
import tegula

FOLDER = pathlib.Path(tegula.__file__).parent
MODULES = ["field", "flow", "ordination", "linalg"]


def stubs(name):
    """The definitions of a stub, the last of each name."""
    return {node.name: node for node in ast.parse((FOLDER / f"{name}.pyi").read_text()).body if hasattr(node, "name")}


def parameters_of(definition):
    """Names, and texts of defaults, in order."""
    a = definition.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    pairs = [*zip(plain, defaults), *zip(a.kwonlyargs, a.kw_defaults)]
    return [(arg.arg, None if default is None else ast.literal_eval(default)) for arg, default in pairs]


def parameters_at_runtime(function):
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = [one for one in inspect.signature(function).parameters.values() if one.kind not in kinds]
    return [(one.name, None if one.default is inspect.Parameter.empty else one.default) for one in found]


@pytest.mark.parametrize("name", MODULES)
def test_stubs_have_the_signatures_of_the_modules(name):
    module, found = importlib.import_module(f"tegula.{name}"), stubs(name)
    for one, definition in found.items():
        real = getattr(module, one)
        if isinstance(definition, ast.FunctionDef):
            assert parameters_of(definition) == parameters_at_runtime(real), one
            continue
        for method in (node for node in definition.body if isinstance(node, ast.FunctionDef)):
            own = inspect.getattr_static(real, method.name)
            if not isinstance(own, property) and method.name not in ("set_params", "get_params", "score"):
                assert parameters_of(method) == parameters_at_runtime(own), f"{one}.{method.name}"


@pytest.mark.parametrize("name", MODULES)
def test_what_is_public_has_a_stub(name):
    module, found = importlib.import_module(f"tegula.{name}"), stubs(name)
    own = {one for one, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__}
    assert {one for one in own if not one.startswith("_")} <= set(found)
    for one, definition in found.items():
        if isinstance(definition, ast.ClassDef):
            named = {node.name for node in definition.body if isinstance(node, ast.FunctionDef)}
            methods = {key for key, value in vars(getattr(module, one)).items() if inspect.isfunction(value)}
            assert {key for key in methods if not key.startswith("_")} <= named, one


PROGRAM = """
import numpy as np
import tegula

X = np.zeros((10, 2))
field = tegula.GaussianField("exponential", nugget=0.1).fit(X, np.zeros(10))
mean: np.ndarray = field.predict(X)
mean, std = field.predict(X, return_std=True)
aic: float = field.aic_
with tegula.Flow(n_jobs=2) as flow:
    total: int = flow.submit(len, [1, 2]).result()
factor: np.ndarray = tegula.linalg.cholesky(np.eye(3))
axes: int = tegula.mds("D.h5", axes=2).eigvals.size
"""


def test_a_checker_takes_a_right_program_and_refuses_a_wrong_one(tmp_path):
    pytest.importorskip("mypy")
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM)
    wrong.write_text("import tegula\n\ntegula.GaussianField(nugget='some')\ntegula.Flow(n_jobs='all')\n")
    check = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", "--ignore-missing-imports"]
    run = subprocess.run([*check, right], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    run = subprocess.run([*check, wrong], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 1 and "nugget" in run.stdout and "n_jobs" in run.stdout, run.stdout
