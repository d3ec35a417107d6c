"""scikit-learn's manners."""

import warnings

import numpy as np
import pytest
import tegula

pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

#: Checks that do not fit, and why.
_EXCEPTIONS = {
    "matern": {"check_regressors_train": "of ten columns with what y depends on, a field has two as its coordinates"},
    "exponential": {},
}


@pytest.mark.parametrize("covariance", _EXCEPTIONS)
def test_the_checks_of_estimators_pass(covariance):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Their tables have up to ten columns, and places three coordinates at most.
        field, exceptions = tegula.GaussianField(covariance, coords=(0, 1)), _EXCEPTIONS[covariance]
        found = check_estimator(field, expected_failed_checks=exceptions, on_fail=None)
    failed = {one["check_name"]: str(one["exception"]) for one in found if one["status"] == "failed"}
    assert not failed
    assert sum(one["status"] == "passed" for one in found) > 40


def test_a_field_is_cloned_with_its_parameters():
    field = tegula.GaussianField("exponential", fix={"range": 2.0}, nugget=0.1)
    copy = clone(field)
    assert copy.get_params() == field.get_params()
    assert copy.set_params(covariance="matern").covariance == "matern" and field.covariance == "exponential"
    assert "fix={'range': 2.0}" in repr(field)


def test_a_field_ends_a_pipeline(synthetic):
    X, y = synthetic
    pipeline = make_pipeline(StandardScaler(), tegula.GaussianField("exponential")).fit(X, y)
    mean, std = pipeline.predict(X[:5] + 0.01, return_std=True)
    scaled = StandardScaler().fit(X)
    alone = tegula.GaussianField("exponential").fit(scaled.transform(X), y)
    assert np.array_equal(mean, alone.predict(scaled.transform(X[:5] + 0.01))) and std.shape == (5,)


def test_a_table_is_transformed_by_columns_in_a_pipeline(texas):
    columns = ["longitude", "latitude"]
    steps = ColumnTransformer([("places", "passthrough", columns)], verbose_feature_names_out=False)
    steps.set_output(transform="pandas")
    pipeline = make_pipeline(steps, tegula.GaussianField("exponential"))
    pipeline.fit(texas, texas["air_temperature_c"])
    alone = tegula.GaussianField("exponential").fit(texas[columns], texas["air_temperature_c"])
    assert np.array_equal(pipeline.predict(texas[:5]), alone.predict(texas[:5]))


def test_parts_left_out_are_scored(synthetic):
    X, y = synthetic
    parts = KFold(4, shuffle=True, random_state=0)
    scores = cross_val_score(tegula.GaussianField("exponential"), X, y, cv=parts)
    by_hand = []
    for train, test in parts.split(X):
        left = y[test] - tegula.GaussianField("exponential").fit(X[train], y[train]).predict(X[test])
        by_hand.append(1 - (left**2).sum() / ((y[test] - y[test].mean()) ** 2).sum())
    assert np.allclose(scores, by_hand) and scores.mean() > 0.2


def test_covariances_are_searched(synthetic):
    X, y = synthetic
    search = GridSearchCV(tegula.GaussianField(), {"covariance": ["exponential", "gaussian"]}, cv=3).fit(X, y)
    assert search.best_params_["covariance"] in ("exponential", "gaussian")
    assert search.best_estimator_.converged_


def test_the_regressor_of_scikit_learn_predicts_the_same(synthetic):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    X, y = synthetic
    fixed = {"variance": 1.2, "range": 0.15}
    field = tegula.GaussianField("exponential", mean="zero", nugget=0.05, fix=fixed).fit(X, y)
    kernel = ConstantKernel(1.2) * Matern(0.15, nu=0.5) + WhiteKernel(0.05)
    other = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    places = X[:20] + 0.013
    mean, std = field.predict(places, return_std=True)
    expected, spread = other.predict(places, return_std=True)
    assert np.allclose(mean, expected, rtol=0, atol=1e-9)
    # Its own deviations are of new observations.
    assert np.allclose(std**2 + 0.05, spread**2, rtol=0, atol=1e-9)
    assert field.loglik_ == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-10)
