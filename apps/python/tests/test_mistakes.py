"""Mistakes that a beginner makes, and what they are told."""

import inspect
import re

import numpy as np
import pytest
import tegula
from numpy.linalg import LinAlgError
from tegula import _call

X = np.array([[0.1, 0.2], [0.4, 0.9], [0.8, 0.3], [0.5, 0.5], [0.9, 0.9], [0.2, 0.7]])
y = np.array([1.0, 2.0, 0.5, 1.5, 2.5, 0.9])


def _changed(array, place, value):
    array = np.array(array)
    array[place] = value
    return array


def _fitted():
    return tegula.GaussianField("exponential", fix={"range": 0.5}, nugget=0.1).fit(X, y)


_FIELDS = {
    "one dimension": (lambda: tegula.GaussianField().fit(X[:, 0], y), "Expected 2D array, got 1D array .*reshape"),
    "rows of y": (lambda: tegula.GaussianField().fit(X, y[:4]), "X has 6 rows, y has 4"),
    "NaN": (lambda: tegula.GaussianField().fit(_changed(X, (2, 1), np.nan), y), "row 2, column 'x1': missing .*NaN"),
    "NaN in y": (lambda: tegula.GaussianField().fit(X, _changed(y, 3, np.nan)), "row 3.*missing .*drop_missing=True"),
    "infinity": (lambda: tegula.GaussianField().fit(_changed(X, (2, 1), np.inf), y), "row 2, column 'x1': 'inf'"),
    "texts": (
        lambda: tegula.GaussianField().fit(_changed(X.astype(object), (1, 0), "north"), y),
        "row 1, column 'x0'.*north",
    ),
    "texts in y": (lambda: tegula.GaussianField().fit(X, list("abcdef")), "y holds texts"),
    "covariance": (lambda: tegula.GaussianField("mattern").fit(X, y), "mattern.*matern"),
    "parameter": (lambda: tegula.GaussianField(fix={"rang": 1}).fit(X, y), "rang.*range"),
    "method": (lambda: tegula.GaussianField(method="vechia:5").fit(X, y), "vechia.*vecchia"),
    "mean": (lambda: tegula.GaussianField(mean="1 + elevation").fit(X, y), "no column 'elevation'.*'x0', 'x1'"),
    "nugget": (lambda: tegula.GaussianField(nugget="yes").fit(X, y), "nugget='yes': write 'estimate'"),
    "negative nugget": (lambda: tegula.GaussianField(nugget=-1.0).fit(X, y), "-1"),
    "too many columns": (lambda: tegula.GaussianField().fit(np.hstack([X, X]), y), r"4 columns.*coords=\(0, 1\)"),
    "no rows": (lambda: tegula.GaussianField().fit(X[:0], y[:0]), r"0 sample\(s\)"),
    "no y": (lambda: tegula.GaussianField().fit(X, None), "requires y"),
    "not fitted": (lambda: tegula.GaussianField().predict(X), "not fitted yet. Call 'fit'"),
    "columns of places": (lambda: _fitted().predict(X[:, :1]), "X has 1 features, but .* expecting 2"),
    "complex": (lambda: tegula.GaussianField().fit(X + 1j, y), "Complex data not supported"),
    "memory": (lambda: tegula.GaussianField(memory="lots").fit(X, y), "lots.*memory="),
    "nugget that is true": (lambda: tegula.GaussianField(nugget=True).fit(X, y), "nugget=True: write 'estimate', a"),
    "nugget of a draw": (lambda: tegula.sample(X, "exponential", {}, nugget=True), "nugget=True: write a variance"),
    "no coordinates": (lambda: tegula.GaussianField(coords=[]).fit(X, y), r"coords=\[\]: say which columns"),
    "length of noise": (lambda: tegula.GaussianField().fit(X, y, noise=[1, 2, 3]), "noise has 3 values, X has 6 rows"),
    "shape of noise": (lambda: tegula.GaussianField().fit(X, y, noise=X), r"noise has shape \(6, 2\), X has 6 rows"),
    "seed": (lambda: tegula.GaussianField(random_state="a").fit(X, y), "random_state='a': give a whole number"),
    "negative seed": (lambda: tegula.GaussianField(random_state=-1).fit(X, y), "-1.*random_state="),
    "threads of a fit": (lambda: tegula.GaussianField(n_jobs=10**9).fit(X, y), "n_jobs=1000000000: .* at most 4096"),
    "half a thread": (lambda: tegula.GaussianField(n_jobs=1.5).fit(X, y), "n_jobs=1.5: give a whole number"),
    "evaluations": (lambda: tegula.GaussianField(max_evaluations=-1).fit(X, y), "--max-evaluations is max_eval"),
    "tolerance": (lambda: tegula.GaussianField(tolerance="small").fit(X, y), "in Python: --tolerance is tolerance="),
    "starts": (lambda: tegula.GaussianField(starts="few").fit(X, y), "in Python: --starts is starts="),
    "precision": (lambda: tegula.GaussianField(precision="q").fit(X, y), "in Python: --precision is precision="),
    "optimizer": (lambda: tegula.GaussianField(optimizer="lbfgz").fit(X, y), "in Python: --optimizer is optimizer="),
    "information": (lambda: tegula.GaussianField(information="none").fit(X, y), "--information is information="),
    "bins": (lambda: _fitted().variogram(bins=0), "in Python: --bins is bins="),
    "blocks": (lambda: _fitted().assess(blocks=1000), "in Python: .*--blocks is blocks="),
    "parts": (lambda: _fitted().assess(cross_validate=1000), "in Python: .*--cross-validate is cross_validate="),
    "unit of draws": (lambda: _fitted().sample(X, n_samples=-1), "-1.*n_samples="),
}


@pytest.mark.parametrize("mistake", _FIELDS)
def test_a_mistake_with_a_field(mistake):
    call, words = _FIELDS[mistake]
    with pytest.raises(ValueError) as raised:
        call()
    assert re.search(words, str(raised.value).replace("\n", " ")), str(raised.value)


def test_both_kinds_of_spread_are_one_too_many():
    with pytest.raises(RuntimeError, match="At most one of return_std or return_cov"):
        _fitted().predict(X, return_std=True, return_cov=True)


def test_equal_places_without_noise_are_named():
    twice = np.vstack([X, X[:1]])
    with pytest.raises((ValueError, LinAlgError), match="(?s)row.*nugget='estimate'"):
        tegula.GaussianField("exponential", nugget=None).fit(twice, [*y, 3.0])


def test_a_column_that_is_gone_is_named(texas):
    field = tegula.GaussianField("exponential", mean="latitude").fit(texas, "air_temperature_c")
    with pytest.raises(ValueError, match="latitude"):
        field.predict(texas[["longitude"]])
    with pytest.raises(ValueError, match="air_temp.*air_temperature_c"):
        tegula.GaussianField("exponential").fit(texas, "air_temp")


_KINDS = {
    "fix": (lambda: tegula.GaussianField(fix=[1]).fit(X, y), r"fix= is a dict .*, as fix=\{'range': 0.5\}, not \[1\]"),
    "start": (lambda: tegula.GaussianField(start=[1]).fit(X, y), r"start= is a dict .*, as start=\{'range': 0.5\}"),
    "bounds": (lambda: tegula.GaussianField(bounds=[1]).fit(X, y), r"as bounds=\{'range': \(0.1, 10\)\}, not"),
    "params": (lambda: tegula.sample(X, "exponential", [1, 2]), r"params= is a dict .*, as params=\{'range': 0.5\}"),
    "file": (lambda: tegula.GaussianField().fit("data.csv", "z"), r"name of a file, .*read_csv\('data.csv'\)"),
    "file of places": (lambda: _fitted().predict("data.csv"), r"X is the name of a file, 'data.csv'"),
}


@pytest.mark.parametrize("mistake", _KINDS)
def test_a_thing_of_the_wrong_kind(mistake):
    call, words = _KINDS[mistake]
    with pytest.raises(TypeError, match=words):
        call()


#: The functions that run each command, or set what it takes.
_FIELD_AND = (tegula.GaussianField, tegula.GaussianField.fit)
_FUNCTIONS = {
    "exageostat fit": _FIELD_AND,
    "exageostat predict": (*_FIELD_AND, tegula.GaussianField.predict, tegula.GaussianField.sample),
    "exageostat assess": (*_FIELD_AND, tegula.GaussianField.assess),
    "exageostat variogram": (*_FIELD_AND, tegula.GaussianField.variogram),
    "exageostat sample": (tegula.sample,),
    "diodon mds": (tegula.mds,),
    "diodon pca": (tegula.pca,),
    "diodon coa": (tegula.coa,),
}


@pytest.mark.parametrize("command", _call._HERE)
def test_what_a_flag_is_called_here_is_a_parameter(command):
    known = {name for function in _FUNCTIONS[command] for name in inspect.signature(function).parameters}
    assert {re.match(r"\w+", called)[0] for called in _call._HERE[command].values()} <= known


@pytest.mark.parametrize("command", _call._HERE)
def test_flags_that_are_called_otherwise_here_are_there(program, command):
    there = program(*command.split(), "--help").stdout
    own = {"exageostat predict", "exageostat assess", "exageostat variogram"}
    if command in own:
        # Their messages name flags of the fit, too.
        there += program("exageostat", "fit", "--help").stdout
    assert set(_call._HERE[command]) <= set(re.findall(r"--[a-z]+(?:-[a-z]+)*", there))


def test_names_that_an_array_lacks_are_warned_of(texas):
    columns = texas[["longitude", "latitude"]]
    field = tegula.GaussianField("exponential").fit(columns, texas["air_temperature_c"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        field.predict(columns.to_numpy()[:2])


def _distances():
    return np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))


_MATRICES = {
    "a missing file": (lambda: tegula.mds("no-such.h5:D"), FileNotFoundError, "no-such.h5"),
    "not square": (lambda: tegula.mds(_distances()[:, :4]), ValueError, "as many rows as columns, not 5 and 4"),
    "not symmetric": (lambda: tegula.mds(_changed(_distances(), (0, 3), 9.0)), ValueError, "symmetric"),
    "NaN": (lambda: tegula.mds(_changed(_distances(), (0, 3), np.nan)), ValueError, "(?i)nan|missing|finite"),
    "one dimension": (lambda: tegula.mds(np.arange(5.0)), ValueError, "a matrix has 2 dimensions, not 1"),
    "names": (lambda: tegula.mds(_distances(), ids=["a"]), ValueError, "1 names for 5 items"),
    "metric": (lambda: tegula.mds(np.eye(5), metric="euclid"), ValueError, "euclid.*euclidean"),
    "negative counts": (lambda: tegula.coa(np.array([[1.0, -2.0], [3.0, 4.0]]), axes=1), ValueError, "negative"),
    "not definite": (lambda: tegula.linalg.cholesky(-np.eye(3)), LinAlgError, "not positive definite"),
    "singular": (lambda: tegula.linalg.solve(np.zeros((2, 2)), np.ones(2)), LinAlgError, "singular"),
    "shape of b": (lambda: tegula.linalg.solve(np.eye(3), np.ones(2)), ValueError, r"a has shape \(3, 3\), b has \(2,\)"),
    "NaN in a": (lambda: tegula.linalg.svd(np.full((2, 2), np.nan)), ValueError, "infs or NaNs"),
    "square": (lambda: tegula.linalg.det(np.ones((2, 3))), ValueError, r"\(2, 3\)"),
    "no list": (lambda: tegula.Flow(1).submit(print, read=np.ones(2)), TypeError, r"as read=\[a\]"),
    "no function": (lambda: tegula.Flow(1).submit(3), TypeError, "a task is a function"),
    "policy": (lambda: tegula.Flow(1, policy="lsw"), ValueError, "lsw"),
    "many threads": (lambda: tegula.Flow(n_jobs=10**9), ValueError, "n_jobs=1000000000: .* at most 4096"),
    "no threads": (lambda: tegula.Flow(n_jobs=0), ValueError, "n_jobs=0: .* at least 1 .* None or -1 for all cores"),
    "less than no threads": (lambda: tegula.Flow(n_jobs=-2), ValueError, "n_jobs=-2: give a whole number"),
    "half a thread": (lambda: tegula.Flow(n_jobs=1.5), ValueError, "n_jobs=1.5: give a whole number"),
    "threads by name": (lambda: tegula.Flow(n_jobs="all"), ValueError, "n_jobs='all': give a whole number"),
    "simulated cores": (lambda: tegula.Flow(1).simulate(10**9, seconds=1), ValueError, "n_jobs=1000000000: .* at most"),
    "threads of mds": (lambda: tegula.mds(_distances(), n_jobs=10**6), ValueError, "n_jobs=1000000: .* at most 4096"),
    "seed": (lambda: tegula.mds(_distances(), random_state="a"), ValueError, "random_state='a': give a whole number"),
    "memory": (lambda: tegula.mds(np.zeros((900, 900)), memory="1MiB"), MemoryError, "--scratch is scratch="),
    "pretreatment": (lambda: tegula.pca(np.eye(3), pretreatment="plain"), ValueError, "--pretreatment is pretreat"),
    "oversample": (lambda: tegula.mds(_distances(), oversample=-1), ValueError, "--oversample is oversample="),
    "threads": (lambda: tegula.linalg.set_num_threads(0), ValueError, "at least 1"),
}


def test_axes_that_are_not_there_are_warned_of():
    # Places on a line.
    with pytest.warns(tegula.TegulaWarning, match="1 of 5 axes"):
        assert len(tegula.mds(_distances(), axes=70).eigvals) == 1


@pytest.mark.parametrize("mistake", _MATRICES)
def test_a_mistake_with_a_matrix_or_a_flow(mistake):
    call, kind, words = _MATRICES[mistake]
    with pytest.raises(kind) as raised:
        call()
    assert re.search(words, str(raised.value).replace("\n", " ")), str(raised.value)
