"""Fields: the same numbers as the program's, tables in and out, summaries, figures, interruption."""

import json
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
import tegula

#: What tells two runs apart: where the data lie, and how long it took on which worker.
_OF_A_RUN = ("message", "seconds", "tasks")


def _numbers(result):
    data = {key: value for key, value in result["data"].items() if key not in ("digest", "file")}
    return {**{key: value for key, value in result.items() if key not in _OF_A_RUN}, "data": data}


def _same_fit(program, folder, file, words, field, y):
    """Fits ``field`` to the table in ``file`` as the program does by ``words``; asserts equality."""
    pandas = pytest.importorskip("pandas")
    table, model = pandas.read_csv(file), folder / "model.json"
    field.fit(table, y)
    program("exageostat", "fit", file, *words, "-o", model)
    assert _numbers(field.result_) == _numbers(json.loads(model.read_text()))
    places = folder / "places.csv"
    table.iloc[::7].to_csv(places, index=False)
    program("exageostat", "predict", model, "--train", file, "--at", places, "-o", folder / "p.csv")
    written = pandas.read_csv(folder / "p.csv")
    found = field.predict_table(pandas.read_csv(places))
    for name in ("mean", "variance"):
        if name in written:
            assert np.array_equal(written[name], found[name])
    mean, std = field.predict(pandas.read_csv(places), return_std=True)
    assert np.array_equal(mean, written["mean"])
    assert np.array_equal(std, np.sqrt(written["variance"]))


def test_a_fit_equals_that_of_the_program(program, texas_file, tmp_path):
    words = ["--values", "air_temperature_c", "--covariance", "exponential", "--estimate-nugget", "--mean", "latitude"]
    field = tegula.GaussianField("exponential", mean="latitude")
    _same_fit(program, tmp_path, texas_file, words, field, "air_temperature_c")


def test_a_fit_with_classes_and_a_transformation_equals_that_of_the_program(program, meuse_file, tmp_path):
    words = ["--values", "zinc", "--covariance", "matern", "--estimate-nugget", "--transform", "log", "--reml"]
    words += ["--mean", "1 + sqrt(dist) + factor(ffreq)", "--fix", "smoothness=0.5"]
    field = tegula.GaussianField(
        mean="1 + sqrt(dist) + C(ffreq)", transformation="log", reml=True, fix={"smoothness": 0.5}
    )
    _same_fit(program, tmp_path, meuse_file, words, field, "zinc")


def test_a_fit_by_neighbours_equals_that_of_the_program(program, texas_file, tmp_path):
    words = ["--values", "air_temperature_c", "--covariance", "exponential", "--method", "vecchia:20"]
    field = tegula.GaussianField("exponential", nugget=None, method="vecchia:20")
    _same_fit(program, tmp_path, texas_file, words, field, "air_temperature_c")


def test_an_array_gives_what_a_table_gives(texas):
    columns = ["longitude", "latitude"]
    of_table = tegula.GaussianField("exponential").fit(texas[columns], texas["air_temperature_c"])
    of_array = tegula.GaussianField("exponential", coords=(0, 1), distance="great-circle")
    of_array.fit(texas[columns].to_numpy(), texas["air_temperature_c"].to_numpy())
    assert of_array.loglik_ == of_table.loglik_ and of_array.params_ == of_table.params_
    assert np.array_equal(of_array.predict(texas[columns].to_numpy()[:5]), of_table.predict(texas[columns][:5]))


def test_a_model_that_is_saved_is_one_for_the_program(program, texas, texas_file, tmp_path):
    field = tegula.GaussianField("exponential", mean="latitude").fit(texas, "air_temperature_c")
    field.save(tmp_path / "model.json")
    at = tmp_path / "at.csv"
    texas[:4].to_csv(at, index=False)
    train = tmp_path / "train.csv"
    texas.to_csv(train, index=False)
    words = ("exageostat", "predict", tmp_path / "model.json", "--train", train, "--at", at, "-o", tmp_path / "p.csv")
    # The digest of a table in memory is not that of a file: the program asks for the flag.
    try:
        program(*words)
    except Exception as error:
        pytest.fail(f"{error.stderr}")
    written = np.genfromtxt(tmp_path / "p.csv", delimiter=",", names=True)
    assert np.array_equal(written["mean"], field.predict(texas[:4]))


def test_xarray_goes_in_and_comes_out(random):
    xarray = pytest.importorskip("xarray")
    x, y = np.linspace(0, 1, 9), np.linspace(0, 2, 11)
    values = np.sin(3 * x)[None, :] + np.cos(2 * y)[:, None] + 0.01 * random.standard_normal((11, 9))
    grid = xarray.DataArray(values, coords={"y": y, "x": x}, dims=("y", "x"), name="height")
    field = tegula.GaussianField("exponential").fit(grid.to_dataset(), "height")
    finer = xarray.Dataset(coords={"y": np.linspace(0, 2, 5), "x": np.linspace(0, 1, 4)})
    finer = finer.assign(dummy=(("y", "x"), np.zeros((5, 4))))
    mean, std = field.predict(finer, return_std=True)
    assert mean.dims == ("y", "x") and mean.shape == std.shape == (5, 4)
    plain = np.array([[a, b] for a in finer.y.values for b in finer.x.values])
    by_rows = tegula.GaussianField("exponential").fit(
        np.array([[a, b] for a in y for b in x]), values.ravel()
    ).predict(plain)
    assert np.allclose(mean.values.ravel(), by_rows, rtol=1e-5)


def test_geopandas_goes_in_and_comes_out(texas):
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy(texas["longitude"], texas["latitude"])
    plain = texas.drop(columns=["longitude", "latitude"])
    frame = geopandas.GeoDataFrame(plain, geometry=points, crs="EPSG:4326")
    field = tegula.GaussianField("exponential").fit(frame, "air_temperature_c")
    assert field.result_["data"]["distance"] == "great-circle"
    table = tegula.GaussianField("exponential").fit(texas, "air_temperature_c")
    assert field.params_ == table.params_
    made = field.predict_table(frame[:6])
    assert made.crs == frame.crs and np.array_equal(made["mean"], table.predict(texas[:6]))


def test_draws_follow_the_prediction(synthetic):
    X, y = synthetic
    field = tegula.GaussianField("exponential").fit(X, y)
    places = X[:3] + 0.01
    mean, covariance = field.predict(places, return_cov=True)
    draws = field.sample(places, n_samples=1000, random_state=3)
    assert draws.shape == (3, 1000)
    assert np.array_equal(draws, field.sample(places, n_samples=1000, random_state=3))
    spread = np.sqrt(np.diag(covariance))
    # Means of 1000 draws lie within five of their standard errors.
    assert np.all(np.abs(draws.mean(axis=1) - mean) < 5 * spread / np.sqrt(1000))
    assert np.allclose(spread, field.predict(places, return_std=True)[1])


def test_a_field_without_data_is_drawn(random):
    X = random.uniform(size=(400, 2))
    drawn = tegula.sample(X, "exponential", {"variance": 2, "range": 0.01}, random_state=4)
    # Nearly independent: a mean of 400 lies within five standard errors of 0.
    assert drawn.shape == (400,) and abs(drawn.mean()) < 5 * np.sqrt(2 / 400) * 1.2
    assert "exponential" in json.dumps(tegula.covariances())


def test_a_summary_says_what_the_program_writes(texas):
    field = tegula.GaussianField("exponential", mean="latitude").fit(texas, "air_temperature_c")
    text = str(field.summary())
    assert all(len(line) <= 78 for line in text.splitlines())
    for value in (field.params_["range"], field.std_errors_["range"], *field.intervals_["range"], *field.coef_):
        assert f"{value:.5g}" in text
    assert f"{field.loglik_:.8g}" in text and f"{field.aic_:.8g}" in text
    # Five parameters: two coefficients, variance, range and nugget.
    assert field.aic_ == pytest.approx(10 - 2 * field.loglik_)
    assert field.bic_ == pytest.approx(5 * np.log(186) - 2 * field.loglik_)
    page = field._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 3 and "latitude" in page
    assert "<div class=tegula>" in page and ".tegula{overflow-x:auto}" in page


def test_criteria_are_those_of_the_assessment(texas):
    field = tegula.GaussianField("exponential", mean="latitude").fit(texas, "air_temperature_c")
    found, residuals = field.assess(return_residuals=True)
    assert len(residuals["observed"]) == 186
    assert np.array_equal(residuals["observed"], texas["air_temperature_c"])
    assert json.dumps(found).count(repr(field.aic_)) >= 1


@pytest.mark.parametrize("kind", ["map", "residuals", "variogram", "intervals"])
def test_a_fit_is_drawn(texas, kind, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    field = tegula.GaussianField("exponential").fit(texas, "air_temperature_c")
    ax = field.plot(kind)
    assert ax.get_xlabel() and ax.get_title()
    ax.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5000


@pytest.mark.parametrize("width", [3.0, 4.0, 6.4])
def test_labels_of_a_map_do_not_collide(synthetic, width):
    matplotlib, pandas = pytest.importorskip("matplotlib"), pytest.importorskip("pandas")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = synthetic
    # Some kilometres of a national grid.
    metres = pandas.DataFrame({"x": 178600 + 2700 * X[:, 0], "y": 329700 + 3900 * X[:, 1]})
    figure, ax = plt.subplots(figsize=(width, 4.8), layout="constrained")
    tegula.GaussianField("exponential").fit(metres, y).plot(ax=ax)
    figure.canvas.draw()
    low, high = ax.get_xlim()
    shown = [one.get_window_extent() for one in ax.get_xticklabels() if low <= one.get_position()[0] <= high]
    assert shown and all(left.x1 < right.x0 for left, right in zip(shown, shown[1:]))
    pickle.dumps(figure)
    plt.close(figure)


def test_a_fitted_field_is_pickled(texas):
    field = tegula.GaussianField("exponential", mean="latitude").fit(texas, "air_temperature_c")
    again = pickle.loads(pickle.dumps(field))
    assert np.array_equal(field.predict(texas[:9]), again.predict(texas[:9]))
    assert again.result_ == field.result_


def test_progress_is_told():
    X = np.random.default_rng(0).uniform(size=(1200, 2))
    lines = []
    tegula.GaussianField("exponential", n_jobs=1, verbose=lines.append).fit(X, np.sin(9 * X[:, 0]) + X[:, 1] ** 2)
    assert lines and all(isinstance(line, str) for line in lines)


def test_an_interrupt_ends_a_long_fit_and_other_threads_run_meanwhile():
    X = np.random.default_rng(0).uniform(size=(3000, 2))
    y = tegula.sample(X, "matern", {"variance": 1, "range": 0.1, "smoothness": 0.7})
    ticks, interrupted = [], threading.Event()

    def tick():
        # A thread of Python, which runs only if the fit has released the lock.
        while len(ticks) < 20:
            ticks.append(time.monotonic())
            time.sleep(0.01)
        interrupted.set()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=tick)
    thread.start()
    # Nothing but the interrupt ends it: no tolerance is reached.
    field = tegula.GaussianField("matern", tolerance=1e-300, max_evaluations=100000, starts=50)
    with pytest.raises(KeyboardInterrupt):
        field.fit(X, y)
    thread.join()
    assert interrupted.is_set() and not hasattr(field, "result_")
    # What comes after it is not disturbed.
    assert tegula.GaussianField("exponential").fit(X[:100], y[:100]).converged_


@pytest.mark.parametrize("transformation", ["log", "sqrt", "box-cox", "box-cox:0"])
def test_a_variogram_is_on_the_scale_of_the_field(transformation):
    X = np.random.default_rng(5).uniform(size=(150, 2))
    y = np.exp(tegula.sample(X, "exponential", {"variance": 1.0, "range": 0.2}))
    field = tegula.GaussianField("exponential", transformation=transformation).fit(X, y)
    table = field.variogram()
    # Both are of the order of the sill there, and of no other.
    ratio = np.median(table["semivariance"] / table["model"])
    assert 0.3 < ratio < 3, ratio


def test_the_tukey_gh_scale_has_no_variogram():
    X = np.random.default_rng(6).uniform(size=(80, 2))
    y = np.exp(tegula.sample(X, "exponential", {"variance": 1.0, "range": 0.2}))
    field = tegula.GaussianField("exponential", transformation="tukey-gh:0.5:0.1").fit(X, y)
    with pytest.raises(ValueError, match="tukey-gh"):
        field.variogram()
