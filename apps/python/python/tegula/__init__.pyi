from . import linalg as linalg
from ._call import TegulaWarning as TegulaWarning
from .field import GaussianField as GaussianField
from .field import covariances as covariances
from .field import sample as sample
from .flow import Flow as Flow
from .flow import Task as Task
from .ordination import OrdinationResults as OrdinationResults
from .ordination import coa as coa
from .ordination import mds as mds
from .ordination import pca as pca

__version__: str
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
