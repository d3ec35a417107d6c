"""Linear algebra beside SciPy: backward errors in units of n eps norm, and what is unique."""

import numpy as np
import pytest
from tegula import linalg

scipy_linalg = pytest.importorskip("scipy.linalg")

#: Orders: nothing, one, small problems on this thread, and large ones in tiles.
_ORDERS = (0, 1, 7, 150, 700)
_TYPES = ("f", "d", "F", "D")
#: Backward errors over n eps norm; well above what stable algorithms reach.
_BOUND = 30.0


@pytest.fixture(params=[(n, kind, order) for n in _ORDERS for kind in _TYPES for order in "CF"], ids=str)
def case(request):
    """Order, random matrices of a type, and the order of their entries in memory."""
    n, kind, order = request.param
    random = np.random.default_rng(n)

    def draw(*shape):
        a = random.standard_normal(shape)
        a = a + 1j * random.standard_normal(shape) if kind in "FD" else a
        return np.array(a, dtype=kind, order=order)

    return n, np.finfo(kind).eps, draw


def _close(found, expected, n, eps, scale):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    error = np.abs(found - expected).max(initial=0.0)
    assert error <= _BOUND * max(n, 1) * eps * scale


def _norm(a):
    return max(np.abs(a).sum(axis=0).max(initial=0.0), 1e-300)


def test_positive_definite(case):
    n, eps, draw = case
    a = draw(n, n)
    a = np.array(a @ a.conj().T + np.eye(n), dtype=a.dtype, order="F" if a.flags.f_contiguous else "C")
    kept = a.copy()
    for lower in (False, True):
        factor = linalg.cholesky(a, lower)
        product = factor @ factor.conj().T if lower else factor.conj().T @ factor
        _close(product, a, n, eps, _norm(a))
        b = draw(n, 3)
        x = linalg.cho_solve(linalg.cho_factor(a, lower), b)
        _close(a @ x, b, n, eps, _norm(a) * _norm(x))
    x = linalg.solve(a, b, assume_a="pos")
    _close(a @ x, b, n, eps, _norm(a) * _norm(x))
    assert np.array_equal(a, kept)


def test_general(case):
    n, eps, draw = case
    a = draw(n, n)
    a[np.arange(n), np.arange(n)] += 2 * n**0.5
    kept, b = a.copy(), draw(n, 2)
    x = linalg.solve(a, b)
    _close(a @ x, b, n, eps, _norm(a) * _norm(x))
    x = linalg.solve(a, b[:, 0], transposed=True)
    _close(a.T @ x, b[:, 0], n, eps, _norm(a.T) * _norm(x[:, None]))
    lu, piv = linalg.lu_factor(a)
    for trans, of in ((0, a), (1, a.T), (2, a.conj().T)):
        x = linalg.lu_solve((lu, piv), b, trans)
        _close(of @ x, b, n, eps, _norm(of) * _norm(x))
    inverse = linalg.inv(a)
    _close(a @ inverse, np.eye(n, dtype=a.dtype), n, eps, _norm(a) * _norm(inverse))
    sign, logarithm = linalg.slogdet(a)
    expected = np.linalg.slogdet(a)
    assert np.allclose([sign, logarithm], expected, rtol=1e3 * max(n, 1) * eps)
    if n < 100:
        assert np.allclose(linalg.det(a), np.linalg.det(a), rtol=1e3 * max(n, 1) * eps)
    assert np.array_equal(a, kept)


def test_triangles(case):
    n, eps, draw = case
    a, b = draw(n, n), draw(n, 2)
    a[np.arange(n), np.arange(n)] += 2 * n**0.5
    for lower in (False, True):
        for trans in (0, 1, 2):
            half = np.tril(a) if lower else np.triu(a)
            of = (half, half.T, half.conj().T)[trans]
            x = linalg.solve_triangular(a, b, trans=trans, lower=lower)
            _close(of @ x, b, n, eps, _norm(of) * _norm(x))


def test_orthogonal_factors(case):
    n, eps, draw = case
    for a in (draw(n + 5, n), draw(n, n + 5)):
        m, k = a.shape[0], min(a.shape)
        for mode in ("full", "economic"):
            q, r = linalg.qr(a, mode=mode)
            assert (q.shape, r.shape) == tuple(part.shape for part in scipy_linalg.qr(a, mode=mode))
            _close(q @ r, a, m, eps, _norm(a))
            _close(q.conj().T @ q, np.eye(q.shape[1], dtype=a.dtype), m, eps, 1.0)
        (r,) = linalg.qr(a, mode="r")
        _close(np.abs(np.diag(r)), np.abs(np.diag(scipy_linalg.qr(a, mode="r")[0])), m, eps, _norm(a))
        assert k == 0 or np.array_equal(r, np.triu(r))


def test_singular_values(case):
    n, eps, draw = case
    if n > 200:
        n = 200
    for a in (draw(n + 5, n), draw(n, n + 5)):
        for full in (False, True):
            u, s, vh = linalg.svd(a, full_matrices=full)
            assert (u.shape, vh.shape) == (
                ((n + 5, n), (n, n)) if not full and a.shape[0] > n else
                ((n, n), (n, n + 5)) if not full else ((a.shape[0],) * 2, (a.shape[1],) * 2)
            )
            k = len(s)
            _close((u[:, :k] * s) @ vh[:k], a, n + 5, eps, _norm(a))
        expected = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros(0, dtype=s.dtype)
        _close(linalg.svdvals(a), expected, n + 5, eps, _norm(a))


def test_eigenvalues(case):
    n, eps, draw = case
    if n > 200:
        n = 200
    a = draw(n, n)
    a = np.array((a + a.conj().T) / 2, dtype=a.dtype, order="F" if a.flags.f_contiguous else "C")
    for lower in (False, True):
        # The other triangle is not read.
        half = np.tril(a) if lower else np.triu(a)
        w, v = linalg.eigh(half, lower=lower)
        _close((v * w) @ v.conj().T, a, n, eps, _norm(a))
        _close(linalg.eigvalsh(half, lower=lower), np.linalg.eigvalsh(a).astype(w.dtype), n, eps, _norm(a))


def test_least_squares(case):
    n, eps, draw = case
    if n > 200:
        n = 200
    a, b = draw(n + 5, n), draw(n + 5, 2)
    x, residues, rank, s = linalg.lstsq(a, b)
    assert rank == n
    if n == 0:
        assert x.shape == (0, 2)
        return
    expected = scipy_linalg.lstsq(a, b)
    condition = s[0] / s[-1]
    _close(x, expected[0], n, eps * condition, _norm(expected[0]))
    assert np.allclose(residues, expected[1], rtol=1e3 * n * eps)
    alone = linalg.lstsq(a, b[:, 0])
    assert alone[0].shape == (n,) and np.ndim(alone[1]) == 0
    # Of deficient rank: the solution of least norm.
    a[:, -1] = a[:, 0]
    if n > 1:
        x, residues, rank, _ = linalg.lstsq(a, b)
        assert rank == n - 1 and len(residues) == 0
        assert np.allclose(x[-1], x[0], rtol=0, atol=1e3 * n * eps * _norm(x))
    inverse = linalg.pinv(a)
    _close(a @ inverse @ a, a, n + 5, eps, _norm(a) ** 2 * _norm(inverse))


@pytest.mark.parametrize("order", "CF")
def test_what_may_be_overwritten_is_not_copied(order):
    a = np.array(np.eye(300) * 4, order=order)
    factor = linalg.cholesky(a, overwrite_a=True)
    assert np.shares_memory(factor, a)
    assert not np.shares_memory(linalg.cholesky(np.array(np.eye(300) * 4, order=order)), a)
    lu, _ = linalg.lu_factor(np.asfortranarray(a), overwrite_a=True)
    assert np.allclose(np.diag(lu), 2)


def test_other_numbers_are_computed_in_double_precision():
    for a in ([[4, 1], [1, 3]], np.array([[4, 1], [1, 3]], dtype=">f8"), np.array([[4, 1], [1, 3]], dtype="f2")):
        assert np.allclose(linalg.inv(a) @ np.asarray(a, dtype=float), np.eye(2))
    assert linalg.inv(np.eye(2, dtype=int)).dtype == float


def test_threads_are_counted():
    before = linalg.get_num_threads()
    linalg.set_num_threads(1)
    assert linalg.get_num_threads() == 1
    linalg.set_num_threads(before)
    assert linalg.get_num_threads() == before


def test_these_stand_in_the_place_of_scipys(monkeypatch):
    import sys
    import types

    held = types.ModuleType("held")
    held.cholesky = scipy_linalg.cholesky
    monkeypatch.setitem(sys.modules, "held", held)
    a = np.cov(np.random.default_rng(3).normal(size=(40, 90)))
    b = np.ones((40, 2))
    before = scipy_linalg.cholesky
    expected = [scipy_linalg.cholesky(a, lower=True), scipy_linalg.solve(a, b, assume_a="pos"), scipy_linalg.eigh(a, eigvals_only=True)]
    asked = []
    lapack = linalg._lapack
    monkeypatch.setattr(linalg, "_lapack", lambda routine, *rest: (asked.append(routine), lapack(routine, *rest))[1])
    linalg.install()
    linalg.install()
    try:
        found = [held.cholesky(a, lower=True), scipy_linalg.solve(a, b, assume_a="pos"), scipy_linalg.eigh(a, eigvals_only=True)]
        assert asked[:1] == ["dpotrf"] and len(asked) > 3
        for one, other in zip(found, expected):
            assert np.allclose(one, other, rtol=1e-10)
        # What these do not take is SciPy's: batches, generalised problems, pivoting, lists.
        asked.clear()
        assert scipy_linalg.inv(np.stack([a, a])).shape == (2, 40, 40)
        assert len(scipy_linalg.eigh(a, np.eye(40), eigvals_only=True)) == 40
        assert len(scipy_linalg.qr(a, pivoting=True)) == 3
        assert scipy_linalg.det([[2.0]]) == 2.0
        assert not asked
        with pytest.raises(TypeError):
            scipy_linalg.cholesky(a, uplo="L")
        gp = pytest.importorskip("sklearn.gaussian_process")
        X = np.random.default_rng(4).uniform(size=(50, 2))
        gp.GaussianProcessRegressor(alpha=1e-6, optimizer=None).fit(X, X[:, 0])
        assert "dpotrf" in asked
    finally:
        linalg.uninstall()
    assert scipy_linalg.cholesky is before and held.cholesky is before
