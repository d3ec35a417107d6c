import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._summary import Summary

# An array, or a table of pandas, GeoPandas or xarray.
_Table = Any
_Numbers = NDArray[np.float64]
_Distance = Literal["euclidean", "great-circle", "chordal"]

class GaussianField:
    covariance: str
    nugget: Literal["estimate"] | float | None
    mean: str
    method: str
    coords: str | int | Sequence[str | int] | None
    time: str | int | None
    distance: _Distance | None
    transformation: str
    fix: Mapping[str, float] | None
    bounds: Mapping[str, tuple[float, float]] | None
    start: Mapping[str, float] | None
    reml: bool
    optimizer: str | None
    information: str | None
    starts: int | None
    max_evaluations: int | None
    tolerance: float | None
    profile_intervals: bool
    drop_missing: bool
    replicates: bool
    n_jobs: int | None
    memory: str | None
    scratch: str | os.PathLike[str] | None
    precision: Literal["d", "s"]
    random_state: Any
    verbose: bool | Callable[[str], object]

    params_: dict[str, float]
    std_errors_: dict[str, float | None]
    intervals_: dict[str, Any]
    coef_: _Numbers
    coef_names_: list[str]
    coef_std_errors_: _Numbers
    loglik_: float
    aic_: float
    bic_: float
    converged_: bool
    n_iter_: int
    result_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        covariance: str = "matern",
        nugget: Literal["estimate"] | float | None = "estimate",
        mean: str = "constant",
        method: str = "exact",
        coords: str | int | Sequence[str | int] | None = None,
        time: str | int | None = None,
        distance: _Distance | None = None,
        transformation: str = "none",
        fix: Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        start: Mapping[str, float] | None = None,
        reml: bool = False,
        optimizer: str | None = None,
        information: str | None = None,
        starts: int | None = None,
        max_evaluations: int | None = None,
        tolerance: float | None = None,
        profile_intervals: bool = False,
        drop_missing: bool = False,
        replicates: bool = False,
        n_jobs: int | None = None,
        memory: str | None = None,
        scratch: str | os.PathLike[str] | None = None,
        precision: Literal["d", "s"] = "d",
        random_state: Any = 0,
        verbose: bool | Callable[[str], object] = False,
    ) -> None: ...
    def fit(self, X: _Table, y: ArrayLike | str, noise: ArrayLike | str | None = None) -> Self: ...
    @overload
    def predict(self, X: _Table, return_std: Literal[False] = False, return_cov: Literal[False] = False) -> _Numbers: ...
    @overload
    def predict(self, X: _Table, return_std: bool = False, return_cov: bool = False) -> tuple[_Numbers, _Numbers]: ...
    def predict_table(self, X: _Table) -> Any: ...
    def sample(self, X: _Table, n_samples: int = 1, random_state: Any = 0) -> _Numbers: ...
    def sample_y(self, X: _Table, n_samples: int = 1, random_state: Any = 0) -> _Numbers: ...
    def score(self, X: _Table, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def summary(self) -> Summary: ...
    def plot(
        self,
        kind: Literal["map", "residuals", "variogram", "intervals"] = "map",
        X: _Table | None = None,
        ax: Any = None,
    ) -> Any: ...
    @overload
    def assess(
        self, cross_validate: int | None = None, blocks: int | None = None, return_residuals: Literal[False] = False
    ) -> dict[str, Any]: ...
    @overload
    def assess(
        self, cross_validate: int | None = None, blocks: int | None = None, return_residuals: bool = False
    ) -> tuple[dict[str, Any], dict[str, _Numbers]]: ...
    def variogram(self, bins: int = 15) -> dict[str, _Numbers]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...

def sample(
    X: _Table,
    covariance: str,
    params: Mapping[str, float],
    nugget: float = 0.0,
    coords: str | int | Sequence[str | int] | None = None,
    distance: _Distance | None = None,
    random_state: Any = 0,
) -> _Numbers: ...
def covariances() -> dict[str, Any]: ...
