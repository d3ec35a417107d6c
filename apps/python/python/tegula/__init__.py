"""Gaussian random fields, ordination, tiled linear algebra and task flows, on all cores.

``GaussianField`` fits fields by maximum likelihood and predicts; ``mds``, ``pca`` and ``coa`` place
items on axes; ``linalg`` has SciPy's names; ``Flow`` runs functions as tasks.
"""

from . import linalg
from ._call import TegulaWarning
from ._tegula import __version__
from .field import GaussianField, covariances, sample
from .flow import Flow, Task
from .ordination import OrdinationResults, coa, mds, pca

__all__ = ["Flow", "GaussianField", "OrdinationResults", "Task", "TegulaWarning", "__version__", "coa", "covariances", "linalg", "mds", "pca", "sample"]
