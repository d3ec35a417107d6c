import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

# A matrix, a table, a data set of h5py or Zarr, or the name of a file.
_Matrix = Any

@dataclass
class OrdinationResults:
    short_method_name: str
    long_method_name: str
    eigvals: Any
    samples: Any
    sample_ids: Any = None
    features: Any = None
    feature_ids: Any = None
    biplot_scores: Any = None
    sample_constraints: Any = None
    proportion_explained: Any = None
    tegula: dict[str, Any] = field(default_factory=dict)

def mds(
    distances: _Matrix,
    axes: int = 10,
    *,
    ids: Sequence[str] | None = None,
    metric: str | None = None,
    method: Literal["exact", "lanczos", "randomized", "nystrom"] | None = None,
    passes: int | None = None,
    oversample: int | None = None,
    tolerance: float | None = None,
    correction: str | None = None,
    symmetry_tolerance: float | None = None,
    fill: str | float | None = None,
    n_jobs: int | None = None,
    memory: str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    precision: Literal["d", "s"] = "d",
    random_state: Any = 0,
    verbose: bool | Callable[[str], object] = False,
) -> OrdinationResults: ...
def pca(
    table: _Matrix,
    axes: int = 10,
    *,
    pretreatment: str = "standard",
    ids: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    method: Literal["exact", "krylov"] | None = None,
    passes: int | None = None,
    oversample: int | None = None,
    tolerance: float | None = None,
    fill: str | float | None = None,
    n_jobs: int | None = None,
    memory: str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    precision: Literal["d", "s"] = "d",
    random_state: Any = 0,
    verbose: bool | Callable[[str], object] = False,
) -> OrdinationResults: ...
def coa(
    table: _Matrix,
    axes: int = 10,
    *,
    ids: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    method: Literal["exact", "krylov"] | None = None,
    passes: int | None = None,
    oversample: int | None = None,
    tolerance: float | None = None,
    fill: str | float | None = None,
    n_jobs: int | None = None,
    memory: str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    precision: Literal["d", "s"] = "d",
    random_state: Any = 0,
    verbose: bool | Callable[[str], object] = False,
) -> OrdinationResults: ...
