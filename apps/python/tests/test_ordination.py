"""Ordination beside scikit-learn, scikit-bio and the program, from arrays, tables and files."""

import tracemalloc

import numpy as np
import pytest
import tegula
from tegula import ordination


def _table(random, rows=60, columns=7):
    return random.standard_normal((rows, 3)) @ random.standard_normal((3, columns)) + 0.1 * random.standard_normal(
        (rows, columns)
    )


def _distances(points):
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def _of(results):
    """Coordinates as an array, of whatever class."""
    return np.asarray(results.samples)


def _same_axes(found, expected, tolerance=1e-8):
    """Equal up to the signs of axes."""
    signs = np.sign((found * expected).sum(axis=0))
    assert np.allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def test_components_are_those_of_scikit_learn(random):
    decomposition = pytest.importorskip("sklearn.decomposition")
    X = _table(random)
    expected = decomposition.PCA(4).fit(X)
    found = tegula.pca(X, axes=4, pretreatment="col-centering")
    _same_axes(_of(found), expected.transform(X))
    assert np.allclose(found.proportion_explained, expected.explained_variance_ratio_)


def test_principal_coordinates_are_those_of_scikit_bio(random):
    skbio = pytest.importorskip("skbio")
    distance = skbio.DistanceMatrix(_distances(_table(random)), [f"s{i}" for i in range(60)])
    expected = skbio.stats.ordination.pcoa(distance)
    found = tegula.mds(distance, axes=3)
    assert isinstance(found, skbio.OrdinationResults)
    assert list(found.samples.index) == list(distance.ids)
    _same_axes(_of(found), np.asarray(expected.samples)[:, :3])
    assert np.allclose(found.eigvals, np.asarray(expected.eigvals)[:3])
    assert np.allclose(found.proportion_explained, np.asarray(expected.proportion_explained)[:3])


def test_correspondence_analysis_is_that_of_scikit_bio(random):
    skbio, pandas = pytest.importorskip("skbio"), pytest.importorskip("pandas")
    counts = random.poisson(4.0, (30, 6)) + random.poisson(9.0, (30, 1)) * (np.arange(6) == 2)
    table = pandas.DataFrame(counts, index=[f"r{i}" for i in range(30)], columns=list("abcdef"))
    # Scaling 1 of Legendre and Legendre: rows in principal coordinates.
    expected = skbio.stats.ordination.ca(table, scaling=1)
    found = tegula.coa(table, axes=3)
    assert list(found.features.index) == list("abcdef")
    _same_axes(_of(found), np.asarray(expected.samples)[:, :3])
    assert np.allclose(found.eigvals, np.asarray(expected.eigvals)[:3])


def test_coordinates_equal_those_of_the_program(program, random, tmp_path):
    D = _distances(_table(random))
    np.save(tmp_path / "D.npy", D)
    program("diodon", "mds", tmp_path / "D.npy", "--axes", 3, "-o", tmp_path / "out", f"--json={tmp_path / 'r.json'}")
    of_file, of_array = tegula.mds(tmp_path / "D.npy", axes=3), tegula.mds(D, axes=3)
    import json

    written = json.loads((tmp_path / "r.json").read_text())
    assert of_array.tegula["eigenvalues"] == of_file.tegula["eigenvalues"] == written["eigenvalues"]
    assert np.array_equal(_of(of_file), _of(of_array))


@pytest.mark.parametrize("kind", ["float32", "int16", "fortran", "strided", "list"])
def test_arrays_of_any_kind_are_read(random, kind):
    D = np.rint(100 * _distances(_table(random)))
    given = {
        "float32": lambda: D.astype("f4"),
        "int16": lambda: D.astype("i2"),
        "fortran": lambda: np.asfortranarray(D),
        "strided": lambda: np.repeat(np.repeat(D, 2, 0), 3, 1)[::2, ::3],
        "list": D.tolist,
    }[kind]()
    assert np.allclose(tegula.mds(given, axes=2).eigvals, tegula.mds(D, axes=2).eigvals)


def test_data_sets_of_hdf5_and_zarr_are_read_by_blocks(random, tmp_path):
    h5py, zarr = pytest.importorskip("h5py"), pytest.importorskip("zarr")
    D = _distances(_table(random, 300))
    expected = tegula.mds(D, axes=2)
    with h5py.File(tmp_path / "D.h5", "w") as file:
        data = file.create_dataset("distance", data=D, chunks=(64, 64))
        assert np.allclose(tegula.mds(data, axes=2).eigvals, expected.eigvals, rtol=1e-12)
    stored = zarr.create_array(store=str(tmp_path / "D.zarr"), shape=D.shape, chunks=(50, 70), dtype="f8")
    stored[:] = D
    assert np.allclose(tegula.mds(stored, axes=2).eigvals, expected.eigvals, rtol=1e-12)
    assert np.allclose(tegula.mds(f"{tmp_path / 'D.h5'}:distance", axes=2).eigvals, expected.eigvals, rtol=1e-12)


def test_an_array_is_not_held_twice(random):
    points = random.standard_normal((4000, 2))
    D = np.hypot(*(np.subtract.outer(axis, axis) for axis in points.T))
    tracemalloc.start()
    tegula.mds(D, axes=2, method="randomized")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Of what Python allocates: blocks alone.
    assert peak < D.nbytes / 2


def test_a_matrix_that_is_larger_than_the_memory_is_read_by_few_blocks(random, monkeypatch):
    D = _distances(random.standard_normal((2000, 2)))
    sizes, lent = [], ordination._tegula.LentMatrix

    def counted(*words):
        *words, read = words

        def block(first_row, end_row, first_column, end_column):
            sizes.append((end_row - first_row) * (end_column - first_column))
            return read(first_row, end_row, first_column, end_column)

        return lent(*words, block)

    monkeypatch.setattr(ordination._tegula, "LentMatrix", counted)
    found = tegula.mds(D, axes=2, method="randomized", memory="25MiB")
    # Two passes over 31 MiB and more, and some blocks to see how fast it is.
    assert sum(sizes) > D.size and np.mean(sizes) > 10_000
    monkeypatch.undo()
    assert np.allclose(found.eigvals, tegula.mds(D, axes=2).eigvals)


def test_what_does_not_fit_the_memory_goes_to_a_file(random, tmp_path):
    D = _distances(random.standard_normal((1000, 2)))
    words = {"axes": 2, "method": "exact", "memory": "20MiB"}
    with pytest.raises(MemoryError, match="in Python: --memory is memory=, --scratch is scratch="):
        tegula.mds(D, **words)
    assert np.allclose(tegula.mds(D, scratch=tmp_path, **words).eigvals, tegula.mds(D, axes=2).eigvals)


@pytest.mark.parametrize("analysis", [tegula.mds, tegula.pca])
def test_a_table_of_zeros_has_no_axes(analysis):
    with pytest.warns(tegula.TegulaWarning, match="0 of 2 axes"):
        found = analysis(np.zeros((5, 5)), axes=2)
    assert np.shape(found.samples) == (5, 0) and len(found.eigvals) == 0


def test_generators_of_numpy_are_seeds(random):
    X = random.standard_normal((80, 3))
    for make in (np.random.default_rng, np.random.RandomState):
        one, same = (tegula.mds(X, axes=2, metric="euclidean", random_state=make(5)) for _ in range(2))
        assert np.array_equal(_of(one), _of(same))


def test_points_need_no_matrix(random):
    X = random.standard_normal((80, 3))
    of_points, of_distances = tegula.mds(X, axes=3, metric="euclidean"), tegula.mds(_distances(X), axes=3)
    assert np.allclose(of_points.eigvals, of_distances.eigvals)


def test_an_error_of_an_array_is_told(random):
    class Broken:
        shape, dtype = (40, 40), np.dtype(float)

        def __getitem__(self, _):
            raise OSError("the disk is gone")

    with pytest.raises((OSError, ValueError), match="the disk is gone"):
        tegula.mds(Broken(), axes=2)
