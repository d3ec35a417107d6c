from typing import Any, Literal

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LinAlgError",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "get_num_threads",
    "inv",
    "lstsq",
    "lu_factor",
    "lu_solve",
    "pinv",
    "qr",
    "set_num_threads",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]

# Real or complex, in 32 or 64 bits.
_Array = NDArray[Any]
_Trans = Literal[0, 1, 2, "N", "T", "C"]

def set_num_threads(count: int) -> None: ...
def get_num_threads() -> int: ...
def install() -> None: ...
def uninstall() -> None: ...
def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[_Array, bool]: ...
def cholesky(a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> _Array: ...
def cho_solve(
    c_and_lower: tuple[ArrayLike, bool], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> _Array: ...
def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[_Array, NDArray[np.intc]]: ...
def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: Literal[0, 1, 2] = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> _Array: ...
def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
    transposed: bool = False,
) -> _Array: ...
def inv(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> _Array: ...
def slogdet(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Any, Any]: ...
def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Any: ...
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic", "r"] = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[_Array, ...]: ...
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> Any: ...
def svdvals(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> _Array: ...
def eigh(
    a: ArrayLike,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> Any: ...
def eigvalsh(
    a: ArrayLike, lower: bool = True, overwrite_a: bool = False, check_finite: bool = True
) -> _Array: ...
def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: _Trans = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> _Array: ...
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> tuple[_Array, _Array, int, _Array]: ...
def pinv(a: ArrayLike, rtol: float | None = None, check_finite: bool = True) -> _Array: ...
