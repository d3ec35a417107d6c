"""Tables as people have them: missing values of pandas, grids of xarray, reference systems of GeoPandas."""

import datetime
import pickle

import numpy as np
import pytest
import tegula


def _field(**parameters):
    return tegula.GaussianField("exponential", **parameters)


@pytest.mark.parametrize("kind", ["Float64", "Int64", "float64[pyarrow]"])
def test_a_missing_number_of_pandas_is_a_missing_value(texas, kind):
    pandas = pytest.importorskip("pandas")
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    whole = texas.assign(air_temperature_c=texas["air_temperature_c"].round())
    expected = _field(drop_missing=True).fit(whole.drop(index=3), "air_temperature_c")
    whole["air_temperature_c"] = whole["air_temperature_c"].astype(kind)
    whole.loc[3, "air_temperature_c"] = pandas.NA
    places = whole[["longitude", "latitude"]]
    for X, y in ((whole, "air_temperature_c"), (places, whole["air_temperature_c"])):
        with pytest.raises(ValueError, match="row 3, column .*: missing value"):
            _field().fit(X, y)
        assert _field(drop_missing=True).fit(X, y).params_ == expected.params_


@pytest.mark.parametrize("kind", ["string", "object", "string[pyarrow]"])
def test_a_missing_text_of_pandas_is_a_missing_value(texas, kind):
    pandas = pytest.importorskip("pandas")
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow")
    texts = pandas.Series(np.where(texas["latitude"] > 31, "north", "south"), dtype=kind)
    gap = texts.copy()
    gap[5] = pandas.NA
    mean = {"mean": "C(zone)"}
    with pytest.raises(ValueError, match=r"row 5, column 'factor\(zone\)': missing value"):
        _field(**mean).fit(texas.assign(zone=gap), "air_temperature_c")
    found = _field(**mean, drop_missing=True).fit(texas.assign(zone=gap), "air_temperature_c")
    expected = _field(**mean).fit(texas.assign(zone=texts).drop(index=5), "air_temperature_c")
    assert np.array_equal(found.coef_, expected.coef_)


def test_a_matrix_may_lack_values(random):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(random.uniform(size=(9, 4))).astype("Float64")
    expected = tegula.pca(table.to_numpy(dtype=float), axes=2)
    assert np.array_equal(tegula.pca(table, axes=2).eigvals, expected.eigvals)
    table.iloc[2, 1] = pandas.NA
    with pytest.raises(ValueError, match="(?i)nan|missing|finite"):
        tegula.pca(table, axes=2)


def test_a_column_that_nobody_asks_for_may_hold_anything(texas):
    pandas = pytest.importorskip("pandas")
    odd = texas.assign(
        day=pandas.Timestamp("2020-01-01"),
        date=datetime.date(2020, 1, 1),
        wind=[[1, 2]] * len(texas),
        profile=[np.arange(3)] * len(texas),
        phase=1j,
    )
    odd = odd[["day", *odd.columns.drop("day")]]
    field = _field(mean="latitude").fit(odd, "air_temperature_c")
    plain = _field(mean="latitude").fit(texas, "air_temperature_c")
    assert field.params_ == plain.params_ and field.n_features_in_ == len(odd.columns)
    assert np.array_equal(field.predict(odd[:5]), plain.predict(texas[:5]))
    assert list(field.predict_table(odd[:5])["date"]) == [datetime.date(2020, 1, 1)] * 5
    for name, words in {"day": "dates", "date": "dates", "wind": "type list", "profile": "type ndarray"}.items():
        with pytest.raises(ValueError, match=f"column '{name}' holds .*{words}: make numbers"):
            _field(mean=name).fit(odd, "air_temperature_c")
    with pytest.raises(ValueError, match="'phase' holds complex numbers"):
        _field().fit(odd, "phase")


@pytest.fixture
def grid(random):
    """A height and a slope on a grid."""
    xarray = pytest.importorskip("xarray")
    x, y = np.linspace(0, 1, 9), np.linspace(0, 2, 11)
    height = np.sin(3 * x)[None, :] + np.cos(2 * y)[:, None] + 0.01 * random.standard_normal((11, 9))
    data = {"height": (("y", "x"), height), "slope": (("y", "x"), random.uniform(size=(11, 9)))}
    return xarray.Dataset(data, coords={"y": y, "x": x})


def test_places_of_xarray_need_no_more_than_the_model_takes(grid):
    field = _field(mean="slope").fit(grid, "height")
    assert np.array_equal(field.predict(grid[["slope"]]), field.predict(grid))
    with pytest.raises(ValueError, match="X has no column 'slope'"):
        field.predict(grid[["height"]])
    with pytest.raises(ValueError, match="X has 2 features, but .* expecting 4"):
        field.predict(np.zeros((3, 2)))


def test_values_of_xarray_are_matched_by_the_names_of_dimensions(grid):
    expected = _field(mean="slope").fit(grid, "height")
    X, height = grid[["slope"]], grid["height"]
    for values in (height, height.T, height.T.rename(None)):
        found = _field(mean="slope").fit(X, values)
        assert found.params_ == expected.params_ and np.array_equal(found.coef_, expected.coef_)
    noise = grid["x"] * 0.01 + 0.01
    by_rows = np.broadcast_to(noise.values, height.shape).ravel()
    assert _field().fit(X, height, noise).params_ == _field().fit(X, height, by_rows).params_
    for wrong in (height.assign_coords(x=height["x"] + 1), height[:, ::-1], height[:, :4]):
        with pytest.raises(ValueError, match="y and X have other coordinates along 'x'"):
            _field().fit(X, wrong)
    with pytest.raises(ValueError, match="y has the dimension 'level', and X has 'y', 'x'"):
        _field().fit(X, height.expand_dims(level=2))


@pytest.fixture
def stations(texas):
    """Stations as points with some columns more; their geometry has another name."""
    geopandas = pytest.importorskip("geopandas")
    places = geopandas.points_from_xy(texas["longitude"], texas["latitude"])
    plain = texas.drop(columns=["longitude", "latitude"])
    return geopandas.GeoDataFrame(plain, geometry=places, crs="EPSG:4326").rename_geometry("place")


def test_places_in_another_reference_system_are_taken_to_that_of_the_data(stations):
    metres = stations.to_crs("EPSG:3083")
    field = pickle.loads(pickle.dumps(_field().fit(metres, "air_temperature_c")))
    expected = field.predict(metres[:6])
    assert np.allclose(field.predict(stations[:6]), expected, rtol=1e-7)
    made = field.predict_table(stations[:6])
    assert made.crs == stations.crs and np.allclose(made["mean"], expected, rtol=1e-7)
    # What has no system is taken as it is.
    assert np.array_equal(field.predict(metres[:6].set_crs(None, allow_override=True)), expected)


def test_tables_of_geopandas_keep_their_columns(stations):
    field = _field().fit(stations, "air_temperature_c")
    made = field.predict_table(stations[:6])
    assert type(made) is type(stations) and made.geometry.name == "place" and made.crs == stations.crs
    assert set(stations.columns) < set(made.columns) and list(made.index) == list(stations.index[:6])
    assert np.array_equal(made["mean"], field.predict(stations[:6]))


def test_columns_of_earlier_predictions_stay(texas):
    field = _field().fit(texas, "air_temperature_c")
    expected = field.predict(texas[:4])
    table = texas[:4]
    for name in ("mean", "predicted_mean", "predicted_mean_2"):
        table = field.predict_table(table)
        assert np.array_equal(table[name], expected)
        mean, std = field.predict(table, return_std=True)
        assert np.array_equal(mean, expected) and np.array_equal(std, np.sqrt(table["variance"]))
