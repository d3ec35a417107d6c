"""The notebooks of docs/examples run, each in a folder of its own."""

import os
import sys

import pytest

from conftest import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

_EXAMPLES = ROOT / "docs/examples"
_NOTEBOOKS = sorted(path.stem for path in _EXAMPLES.glob("*.ipynb"))


def _fetched(name):
    """What the script of the same name says that it needs, which is fetched."""
    lines = (_EXAMPLES / f"{name}.sh").read_text().splitlines()
    return [needed for line in lines if line.startswith("# needs: ") for needed in line[len("# needs: ") :].split(", ")]


def test_each_script_is_a_notebook_too():
    assert _NOTEBOOKS == sorted(path.stem for path in _EXAMPLES.glob("*.sh"))


@pytest.mark.parametrize("name", _NOTEBOOKS)
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    for lent in ["data/samples", *_fetched(name)]:
        if not (ROOT / lent).exists():
            pytest.skip(f"no {lent} (scripts/setup tests)")
        (tmp_path / lent).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / lent).symlink_to(ROOT / lent)
    # The program that the wheel has brought, beside python.
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    notebook = nbformat.read(_EXAMPLES / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are no part of the sources"
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    figures = [one for cell in notebook.cells for one in cell.get("outputs", []) if "image/png" in one.get("data", {}) or "image/svg+xml" in one.get("data", {})]
    assert figures, "a notebook shows something"
    # Stays to be looked at: jupyter nbconvert makes a page of it.
    done = ROOT / "target/python/notebooks"
    done.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, done / f"{name}.ipynb")
