"""Gaussian random fields, ordination, tiled linear algebra and task flows, on all cores.

``GaussianField`` fits fields by maximum likelihood and predicts; ``mds``, ``pca`` and ``coa`` place
items on axes; ``linalg`` has SciPy's names; ``Flow`` runs functions as tasks.
"""

import importlib

from . import linalg
from ._call import TegulaWarning
from ._tegula import __version__
from .flow import Flow, Task
from .ordination import OrdinationResults, coa, mds, pca

__all__ = [
    "Flow",
    "GaussianField",
    "OrdinationResults",
    "Task",
    "TegulaWarning",
    "__version__",
    "coa",
    "covariances",
    "linalg",
    "mds",
    "pca",
    "sample",
]

#: What stands on scikit-learn, which takes a second to import: imported when it is first used.
_LATER = ("GaussianField", "covariances", "sample")


def __getattr__(name):
    if name == "field":
        return importlib.import_module(".field", __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(".field", __name__), name)
    return value


def __dir__():
    return sorted({*globals(), *_LATER, "field"})
