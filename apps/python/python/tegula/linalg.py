"""Dense linear algebra on all cores, with the names and conventions of ``scipy.linalg``.

Arrays of float32, float64, complex64 and complex128 are worked on in their own precision, others in
float64. Small problems are solved on the calling thread, large ones in tiles on all cores; the
interpreter's lock is released. A copy is made of an array that may not be overwritten; with
``overwrite_a=True`` none is made of one that is contiguous, by columns or by rows.
"""

import ctypes
from ctypes import byref, c_int, c_void_p

import numpy as np
from numpy.linalg import LinAlgError

from . import _call, _scipy, _tegula

__all__ = [
    "LinAlgError", "cho_factor", "cho_solve", "cholesky", "det", "eigh", "eigvalsh", "get_num_threads", "install", "inv",
    "lstsq", "lu_factor", "lu_solve", "pinv", "qr", "set_num_threads", "slogdet", "solve", "solve_triangular", "svd",
    "svdvals", "uninstall",
]  # fmt: skip

#: The extension module: it has LAPACK's names, and calls through ctypes release the lock.
_LIBRARY = ctypes.CDLL(_tegula.__file__)
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def set_num_threads(count):
    """From now on large problems run on ``count`` threads (1 to 4096)."""
    _LIBRARY.tegula_set_num_threads(c_int(_call.whole("count", count)))


def get_num_threads():
    """Threads that large problems run on."""
    return _LIBRARY.tegula_get_num_threads()


def _lapack(routine, *arguments):
    """Calls LAPACK's ``routine`` with the precision letter; raises if an argument is wrong.

    Returns
    -------
    int
        ``info``, 0 or positive.
    """
    info = c_int(0)
    passed = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            passed.append(argument.ctypes.data_as(c_void_p))
        elif isinstance(argument, str):
            passed.append(ctypes.c_char_p(argument.encode()))
        else:
            passed.append(byref(c_int(argument)))
    getattr(_LIBRARY, routine + "_")(*passed, byref(info))
    if info.value < 0:
        raise ValueError(f"illegal value in argument {-info.value} of internal {routine}")
    return info.value


def _checked(a, check_finite, name="a"):
    """``a`` as an array of a precision that LAPACK has."""
    a = np.asarray_chkfinite(a) if check_finite else np.asarray(a)
    if a.dtype.char not in _LETTERS:
        a = a.astype("D" if a.dtype.kind == "c" else "d")
    if a.dtype.byteorder not in "=|":
        a = a.astype(a.dtype.newbyteorder("="))
    return a


def _matrix(a, check_finite):
    a = _checked(a, check_finite)
    if a.ndim != 2:
        raise ValueError(f"Expected matrix: the array has {a.ndim} dimensions, shape {a.shape}")
    return a


def _square(a, check_finite):
    a = _matrix(a, check_finite)
    if a.shape[0] != a.shape[1]:
        raise LinAlgError(f"expected square matrix, got shape {a.shape}")
    return a


def _by_columns(a, overwrite):
    """``a`` contiguous by columns: itself if it is and may be overwritten."""
    return a if overwrite and a.flags.f_contiguous and a.flags.writeable else np.array(a, order="F")


def _either_way(a, overwrite):
    """``a`` or its transpose, contiguous by columns, and whether it is the transpose: no copy of an
    array by rows that may be overwritten."""
    if overwrite and a.flags.c_contiguous and not a.flags.f_contiguous and a.flags.writeable:
        return a.T, True
    return _by_columns(a, overwrite), False


def _same(*arrays):
    """The arrays in the precision that holds them all."""
    kind = np.result_type(*arrays)
    return [array if array.dtype == kind else array.astype(kind) for array in arrays]


def _right(a, b, check_finite):
    """``a`` and ``b`` in one precision; ``b`` as a matrix, and whether it was a vector."""
    b = _checked(b, check_finite, "b")
    if b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ValueError(f"incompatible dimensions: a has shape {a.shape}, b has {b.shape}")
    a, b = _same(a, b)
    return a, b[:, None] if b.ndim == 1 else b, b.ndim == 1


def _name(a, routine):
    return _LETTERS[a.dtype.char] + routine


def _ld(a):
    return max(1, a.shape[0])


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The Cholesky factor, for ``cho_solve``; the other triangle holds what ``a`` does.

    Returns
    -------
    c : ndarray of shape (n, n)
    lower : bool

    Raises
    ------
    LinAlgError
        If ``a`` is not positive definite.
    """
    a = _square(a, check_finite)
    work, is_transposed = _either_way(a, overwrite_a)
    uplo = "L" if lower != is_transposed else "U"
    if work.size:
        info = _lapack(_name(work, "potrf"), uplo, len(work), work, _ld(work))
        if info > 0:
            raise LinAlgError(f"{info}-th leading minor of the array is not positive definite")
    return (work.T if is_transposed else work), lower


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The Cholesky factor of a positive definite matrix: ``a = L L^H`` or ``U^H U``.

    Parameters
    ----------
    a : array of shape (n, n)
        Of which the triangle that ``lower`` says is read.

    Returns
    -------
    ndarray of shape (n, n)

    Raises
    ------
    LinAlgError
        If ``a`` is not positive definite.
    """
    factor, _ = cho_factor(a, lower, overwrite_a, check_finite)
    for column in range(len(factor)):
        if lower:
            factor[:column, column] = 0
        else:
            factor[column + 1 :, column] = 0
    return factor


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves with the factor of ``cho_factor``."""
    factor, lower = c_and_lower
    factor, b, is_vector = _right(_square(factor, check_finite), b, check_finite)
    work, is_transposed = _either_way(factor, True)
    x = _by_columns(b, overwrite_b)
    if x.size:
        uplo = "L" if lower != is_transposed else "U"
        if is_transposed and work.dtype.kind == "c":
            work, uplo = np.array(factor, order="F"), "L" if lower else "U"
        _lapack(_name(work, "potrs"), uplo, len(work), x.shape[1], work, _ld(work), x, _ld(x))
    return x[:, 0] if is_vector else x


def lu_factor(a, overwrite_a=False, check_finite=True):
    """LU factors with partial pivoting of an (m, n) matrix.

    Returns
    -------
    lu : ndarray of shape (m, n)
    piv : ndarray of int, the row that row i was exchanged with, from 0

    Notes
    -----
    Of a singular matrix the factors are as far as they go, and a warning says so, as in SciPy.
    """
    lu, piv, info = _factors(_by_columns(_matrix(a, check_finite), overwrite_a))
    if info > 0:
        import warnings

        warnings.warn(f"Diagonal number {info} is exactly zero. Singular matrix.", RuntimeWarning, stacklevel=2)
    return lu, piv


def _factors(work):
    pivots = np.zeros(min(work.shape), dtype=np.intc)
    info = 0
    if work.size:
        info = _lapack(_name(work, "getrf"), *work.shape, work, _ld(work), pivots)
    return work, pivots - 1, info


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solves ``a x = b`` (``trans`` 1: ``a^T x = b``, 2: ``a^H x = b``) with factors of ``lu_factor``."""
    lu, piv = lu_and_piv
    lu, b, is_vector = _right(_square(lu, check_finite), b, check_finite)
    work, x = _by_columns(lu, True), _by_columns(b, overwrite_b)
    if x.size:
        pivots = np.asarray(piv, dtype=np.intc) + np.intc(1)
        _lapack(_name(work, "getrs"), "NTC"[trans], len(work), x.shape[1], work, _ld(work), pivots, x, _ld(x))
    return x[:, 0] if is_vector else x


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a="gen", transposed=False):
    """Solves ``a x = b``, or ``a^T x = b`` if it is to be ``transposed``.

    Parameters
    ----------
    a : array of shape (n, n)
    b : array of shape (n,) or (n, k)
    assume_a : {"gen", "pos", "sym", "her"}
        What is known of ``a``; ``"pos"``: it is positive definite, and one triangle is read.

    Raises
    ------
    LinAlgError
        If ``a`` is singular, or not positive definite where that is assumed.
    """
    names = {"general": "gen", "positive definite": "pos", "symmetric": "sym", "hermitian": "her"}
    assume_a = names.get(assume_a, assume_a)
    if assume_a not in names.values():
        raise ValueError(f"{assume_a} is not a recognized matrix structure: gen, pos, sym or her")
    a, b, is_vector = _right(_square(a, check_finite), b, check_finite)
    if assume_a == "pos":
        if transposed and a.dtype.kind == "c":
            a = a.conj()
        x = cho_solve(cho_factor(a, lower, overwrite_a, False), b, overwrite_b, False)
        return x[:, 0] if is_vector else x
    if assume_a in ("sym", "her"):
        half = np.tril(a, -1) if lower else np.triu(a, 1)
        other = half.conj().T if assume_a == "her" else half.T
        a, overwrite_a = half + other + np.diag(np.diag(a)), True
    work, is_transposed = _either_way(a, overwrite_a)
    lu, pivots, info = _factors(work)
    if info > 0:
        raise LinAlgError("Matrix is singular.")
    x = lu_solve((lu, pivots), b, int(bool(transposed) != is_transposed), overwrite_b, False)
    return x[:, 0] if is_vector else x


def inv(a, overwrite_a=False, check_finite=True):
    """The inverse; LinAlgError if there is none."""
    work, is_transposed = _either_way(_square(a, check_finite), overwrite_a)
    lu, pivots, info = _factors(work)
    if info > 0:
        raise LinAlgError("singular matrix")
    if lu.size:
        room = np.zeros(64 * len(lu), dtype=lu.dtype)
        pivots = pivots + np.intc(1)
        if _lapack(_name(lu, "getri"), len(lu), lu, _ld(lu), pivots, room, len(room)) > 0:
            raise LinAlgError("singular matrix")
    return lu.T if is_transposed else lu


def slogdet(a, overwrite_a=False, check_finite=True):
    """Sign (a number of modulus 1, or 0) and logarithm of the modulus of the determinant."""
    lu, pivots, info = _factors(_either_way(_square(a, check_finite), overwrite_a)[0])
    kind = lu.dtype.type(0).real.dtype.type
    if info > 0:
        return lu.dtype.type(0), kind(-np.inf)
    diagonal = np.diag(lu)
    sign = np.prod(diagonal / np.abs(diagonal)) * (-1) ** int(np.sum(pivots != np.arange(len(pivots))))
    return lu.dtype.type(sign), kind(np.sum(np.log(np.abs(diagonal))))


def det(a, overwrite_a=False, check_finite=True):
    """The determinant."""
    lu, pivots, _ = _factors(_either_way(_square(a, check_finite), overwrite_a)[0])
    sign = (-1) ** int(np.sum(pivots != np.arange(len(pivots))))
    return lu.dtype.type(np.prod(np.diag(lu)) * sign)


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    """QR factors: ``a = q r``.

    Parameters
    ----------
    mode : {"full", "economic", "r"}
        ``q`` of shape (m, m), of shape (m, min(m, n)), or ``r`` alone, as a tuple of one.
    """
    if pivoting:
        raise ValueError("pivoting=True: column pivoting is not there; scipy.linalg.qr has it")
    if mode not in ("full", "economic", "r"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    work = _by_columns(_matrix(a, check_finite), overwrite_a)
    (m, n), k = work.shape, min(work.shape)
    tau = np.zeros(k, dtype=work.dtype)
    room = np.zeros(max(1, 64 * max(m, n)), dtype=work.dtype)
    if work.size:
        _lapack(_name(work, "geqrf"), m, n, work, _ld(work), tau, room, len(room))
    r = np.triu(work[:k] if mode == "economic" else work)
    if mode == "r":
        return (r,)
    q = np.zeros((m, m if mode == "full" else k), dtype=work.dtype, order="F")
    q[:, :k] = work[:, :k]
    if q.size and k == 0:
        return np.eye(m, dtype=work.dtype), r
    if q.size:
        routine = "ungqr" if work.dtype.kind == "c" else "orgqr"
        _lapack(_name(work, routine), m, q.shape[1], k, q, _ld(q), tau, room, len(room))
    return q, r


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True):
    """The singular value decomposition ``a = (u * s) @ vh``.

    Returns
    -------
    u, s, vh : ndarray
        Singular values from the largest on; ``s`` alone without ``compute_uv``.
    """
    work = _by_columns(_matrix(a, check_finite), overwrite_a)
    (m, n), k = work.shape, min(work.shape)
    kind = work.real.dtype
    s = np.zeros(k, dtype=kind)
    job = ("A" if full_matrices else "S") if compute_uv else "N"
    u = np.zeros((m, m if full_matrices else k) if compute_uv else (1, 1), dtype=work.dtype, order="F")
    vh = np.zeros((n if full_matrices else k, n) if compute_uv else (1, 1), dtype=work.dtype, order="F")
    if k == 0:
        return (np.eye(*u.shape, dtype=work.dtype), s, np.eye(*vh.shape, dtype=work.dtype)) if compute_uv else s
    arguments = [job, m, n, work, _ld(work), s, u, _ld(u), vh, _ld(vh)]
    real = [np.zeros(max(1, 5 * k * k + 7 * k + 2 * max(m, n) * k), dtype=kind)] if work.dtype.kind == "c" else []
    integers = np.zeros(8 * k, dtype=np.intc)
    routine = _name(work, "gesdd")
    query = np.zeros(1, dtype=work.dtype)
    _lapack(routine, *arguments, query, -1, *real, integers)
    room = np.zeros(max(1, int(query[0].real)), dtype=work.dtype)
    if _lapack(routine, *arguments, room, len(room), *real, integers) > 0:
        raise LinAlgError("SVD did not converge")
    return (u, s, vh) if compute_uv else s


def svdvals(a, overwrite_a=False, check_finite=True):
    """The singular values, from the largest on."""
    return svd(a, compute_uv=False, overwrite_a=overwrite_a, check_finite=check_finite)


def eigh(a, lower=True, eigvals_only=False, overwrite_a=False, check_finite=True):
    """Eigenvalues, from the least on, and eigenvectors of a Hermitian matrix.

    Returns
    -------
    w : ndarray of shape (n,)
    v : ndarray of shape (n, n), its columns
        Not with ``eigvals_only``.
    """
    a = _square(a, check_finite)
    work, is_transposed = _either_way(a, overwrite_a)
    n, kind = len(work), work.real.dtype
    w = np.zeros(n, dtype=kind)
    if n:
        uplo = "L" if lower != is_transposed else "U"
        routine = _name(work, "heevd" if work.dtype.kind == "c" else "syevd")
        arguments = ["N" if eigvals_only else "V", uplo, n, work, _ld(work), w]
        query, integers = np.zeros(1, dtype=work.dtype), np.zeros(1, dtype=np.intc)
        if work.dtype.kind == "c":
            real = np.zeros(1, dtype=kind)
            _lapack(routine, *arguments, query, -1, real, -1, integers, -1)
            room = np.zeros(int(query[0].real), dtype=work.dtype)
            real, integers = np.zeros(int(real[0]), dtype=kind), np.zeros(int(integers[0]), dtype=np.intc)
            info = _lapack(routine, *arguments, room, len(room), real, len(real), integers, len(integers))
        else:
            _lapack(routine, *arguments, query, -1, integers, -1)
            room, integers = np.zeros(int(query[0]), dtype=kind), np.zeros(int(integers[0]), dtype=np.intc)
            info = _lapack(routine, *arguments, room, len(room), integers, len(integers))
        if info > 0:
            raise LinAlgError("the eigenvalues did not converge")
    # Of the transpose of a Hermitian matrix the vectors are the conjugate ones.
    return w if eigvals_only else (w, work.conj() if is_transposed and work.dtype.kind == "c" else work)


def eigvalsh(a, lower=True, overwrite_a=False, check_finite=True):
    """Eigenvalues of a Hermitian matrix, from the least on."""
    return eigh(a, lower, True, overwrite_a, check_finite)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """Solves with a triangle of ``a``; ``trans`` 1 or "T": its transpose, 2 or "C": the conjugate of it."""
    a, b, is_vector = _right(_square(a, check_finite), b, check_finite)
    work, x = _by_columns(a, True), _by_columns(b, overwrite_b)
    if x.size:
        letters = ["L" if lower else "U", {0: "N", 1: "T", 2: "C"}.get(trans, trans), "U" if unit_diagonal else "N"]
        info = _lapack(_name(work, "trtrs"), *letters, len(work), x.shape[1], work, _ld(work), x, _ld(x))
        if info > 0:
            raise LinAlgError(f"singular matrix: resolution failed at diagonal {info - 1}")
    return x[:, 0] if is_vector else x


def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True):
    """The least squares solution of least norm, by singular values.

    Returns
    -------
    x : ndarray of shape (n,) or (n, k)
    residues : ndarray
        Squared norms of the residuals, if ``a`` has full rank and more rows than columns; else empty.
    rank : int
        Singular values that are larger than ``cond`` (by default the precision) times the largest.
    s : ndarray
        Singular values.
    """
    a, b, is_vector = _right(_matrix(a, check_finite), b, check_finite)
    m, n = a.shape
    u, s, vh = svd(a, full_matrices=False, overwrite_a=overwrite_a, check_finite=False)
    cond = np.finfo(s.dtype).eps if cond is None else cond
    rank = int(np.sum(s > cond * s[0])) if len(s) else 0
    c = u[:, :rank].conj().T @ b
    x = vh[:rank].conj().T @ (c / s[:rank, None])
    residues = np.zeros(0, dtype=s.dtype)
    if rank == n and m > n:
        rest = np.abs(b - a @ x) ** 2 if not overwrite_a else np.abs(b - (u[:, :rank] @ c)) ** 2
        residues = rest.sum(axis=0)
        residues = residues[0] if is_vector else residues
    return (x[:, 0] if is_vector else x), residues, rank, s


def pinv(a, rtol=None, check_finite=True):
    """The Moore-Penrose inverse, by singular values larger than ``rtol`` (by default max(m, n) times the
    precision) times the largest."""
    a = _matrix(a, check_finite)
    u, s, vh = svd(a, full_matrices=False, check_finite=False)
    rtol = max(a.shape) * np.finfo(s.dtype).eps if rtol is None else rtol
    rank = int(np.sum(s > rtol * s[0])) if len(s) else 0
    return (vh[:rank].conj().T / s[:rank]) @ u[:, :rank].conj().T


def install():
    """Puts these functions in the place of those that ``scipy.linalg`` has by the same names.

    Also in modules that have imported them before, such as scikit-learn's and SciPy's own. What these
    functions do not take (batches of matrices, generalised eigenvalues, other types ...) is left to
    SciPy's. There is no warning of a matrix that is badly conditioned.
    """
    _scipy.install(
        [cho_factor, cho_solve, cholesky, det, eigh, eigvalsh, inv, lstsq, lu_factor, lu_solve, pinv, qr, solve]
        + [solve_triangular, svd, svdvals]
    )


def uninstall():
    """Puts SciPy's functions back."""
    _scipy.uninstall()
