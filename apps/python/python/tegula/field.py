"""Gaussian random fields: fit, predict, draw, with scikit-learn's manners."""

import json
import warnings

import numpy as np

from . import _call, _frames, _summary, _tegula, _words
from ._base import BaseEstimator, NotFittedError, RegressorMixin

#: What the tables are called in messages.
_TRAINING, _PLACES, _MODEL = "(X, y)", "X", "the fitted field"


class GaussianField(_words.Words, RegressorMixin, BaseEstimator):
    """A Gaussian random field, fitted by maximum likelihood.

    The same fit as ``tegula exageostat fit`` makes, to the last digit.

    Parameters
    ----------
    covariance : str, default "matern"
        Name of a covariance, a form of it (``"matern:anisotropic"``) or a sum of some
        (``"matern+exponential"``). ``tegula.covariances()`` lists them.
    nugget : "estimate", float or None, default "estimate"
        Variance of the noise of each observation: estimated, known, or none (0).
    mean : str, default "constant"
        ``"zero"``, ``"constant"`` or a formula over columns of X, ``"1 + elevation + C(landuse)"``.
    method : str, default "exact"
        ``"exact"``, ``"vecchia:30"`` from 30 neighbours of each place, ``"tlr:1e-9"`` in tiles of
        low rank, ``"auto"``.
    coords : sequence of str or int, optional
        Columns of X that are the coordinates, by name or from 0, or expressions over columns. All
        columns of an array; of a table those with obvious names (x and y, longitude and latitude
        ...), or all where there are no obvious ones and no more than three columns.
    time : str or int, optional
        The column of X that is the time, for covariances in space and time.
    distance : {"euclidean", "great-circle", "chordal"}, optional
        What distance means; along the sphere, in km, where coordinates are called longitude and
        latitude.
    transformation : str, default "none"
        ``"log"``, ``"sqrt"``, ``"box-cox"``, ``"tukey-gh"``: what makes y Gaussian.
    fix, bounds, start : dict, optional
        Parameters that are known, the intervals of search as ``(low, high)``, and where it starts.
    reml : bool, default False
        Maximise the restricted likelihood.
    optimizer, information, starts, max_evaluations, tolerance : optional
        As the flags of ``tegula exageostat fit`` by these names.
    profile_intervals : bool, default False
        Intervals by the profile likelihood, too.
    drop_missing : bool, default False
        Leave out rows with missing values; predictions there are NaN.
    replicates : bool, default False
        Columns of y are independent fields of one variable, not several variables.
    n_jobs : int, optional
        Cores that work; all by default.
    memory : str, optional
        Most memory of matrices, as ``"8GiB"``.
    scratch : str, optional
        Folder for what does not fit the memory.
    precision : {"d", "s"}, default "d"
        Numbers of 64 or 32 bits.
    random_state : int, default 0
        Seed of every random choice.
    verbose : bool or callable, default False
        Show progress on standard error, or hand its lines to a function.

    Attributes
    ----------
    params_, std_errors_, intervals_ : dict
        Estimates of the covariance's parameters and the nugget, with standard errors and 95 %
        intervals.
    coef_, coef_names_, coef_std_errors_ : ndarray, list, ndarray
        The coefficients of the mean.
    loglik_, aic_, bic_ : float
        The log-likelihood, and the criteria of Akaike and Schwarz.
    converged_ : bool
        Whether the search has converged.
    result_ : dict
        All that ``tegula exageostat fit --json`` writes.
    n_features_in_ : int
    feature_names_in_ : ndarray
        As scikit-learn's; the latter of tables alone.

    Examples
    --------
    >>> import numpy as np, tegula
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> field = tegula.GaussianField(covariance="exponential").fit(X, np.sin(4 * X[:, 0]))
    >>> mean, std = field.predict([[0.5, 0.5]], return_std=True)
    """

    def __init__(
        self,
        covariance="matern",
        nugget="estimate",
        mean="constant",
        method="exact",
        coords=None,
        time=None,
        distance=None,
        transformation="none",
        fix=None,
        bounds=None,
        start=None,
        reml=False,
        optimizer=None,
        information=None,
        starts=None,
        max_evaluations=None,
        tolerance=None,
        profile_intervals=False,
        drop_missing=False,
        replicates=False,
        n_jobs=None,
        memory=None,
        scratch=None,
        precision="d",
        random_state=0,
        verbose=False,
    ):
        self.covariance = covariance
        self.nugget = nugget
        self.mean = mean
        self.method = method
        self.coords = coords
        self.time = time
        self.distance = distance
        self.transformation = transformation
        self.fix = fix
        self.bounds = bounds
        self.start = start
        self.reml = reml
        self.optimizer = optimizer
        self.information = information
        self.starts = starts
        self.max_evaluations = max_evaluations
        self.tolerance = tolerance
        self.profile_intervals = profile_intervals
        self.drop_missing = drop_missing
        self.replicates = replicates
        self.n_jobs = n_jobs
        self.memory = memory
        self.scratch = scratch
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y, noise=None):
        """Fits the field.

        Parameters
        ----------
        X : array of shape (n, d), or a table of pandas, GeoPandas or xarray
            The places, with whatever columns the mean takes. Columns that nobody asks for may hold
            anything, as dates.
        y : array of shape (n,) or (n, k), or str
            The values; of k variables, or replicates. A text names a column of X, or is an
            expression over columns (``"log(zinc)"``). Those of xarray are matched with ``X`` by the
            names of its dimensions.
        noise : array of shape (n,), float or str, optional
            Known variances of the noise of the values, likewise.

        Returns
        -------
        GaussianField
            Itself.

        Raises
        ------
        ValueError
            What cannot be used, with what to do.
        numpy.linalg.LinAlgError
            If the covariance matrix is not positive definite wherever the search starts.
        """
        names, columns = _frames.table_of(X)
        table = list(zip(names, columns))
        rows = _frames.rows_of(columns[0])
        y, noise = _frames.aligned(y, X), _frames.aligned(noise, X, "noise")
        values = self._values(y, names, table, rows)
        coords = self._coords(X, names, y)
        words = ["exageostat", "fit", _TRAINING, f"--values={values}"]
        words += _call.flag("--coords", coords) + _call.flag("--distance", self.distance)
        words += _call.flag("--noise", self._noise(noise, names, table, rows))
        words += _call.flag("--time", None if self.time is None else self._column(self.time, names, "time"))
        words += self._model_words() + self._run_words()
        kept = _call.run(words, [(_TRAINING, table)], progress=self.verbose)
        # As scikit-learn's: of tables whose columns have names that are texts.
        self.n_features_in_ = len(names)
        named = _frames.is_frame(X) and all(isinstance(name, str) for name in X.columns)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        # Of what has its own names, columns are found by them.
        self._training, self._is_by_name = table, named or _frames.is_xarray(X)
        self._crs = X.crs if _frames.is_geo(X) else None
        self._take(kept)
        return self

    def _take(self, kept):
        """Takes over the result of a fit."""
        result = kept["result"]
        self._model, self.result_ = kept["text"], result
        self.params_ = {**result["params"], "nugget": result["nugget"]}
        self.std_errors_, self.intervals_ = result["std_errors"], result["intervals"]
        self.coef_ = np.array([one["estimate"] for one in result["coefficients"]], dtype=float)
        self.coef_std_errors_ = np.array([one["std_error"] for one in result["coefficients"]], dtype=float)
        self.coef_names_ = [one["name"] for one in result["coefficients"]]
        self.loglik_, self.converged_ = result["loglik"], result["converged"]
        self.n_iter_ = result["iterations"]
        fields = len(result["data"]["columns"]["values"].split(",")) if self.replicates else 1
        estimated, n = len(result["estimated"]), fields * result["data"]["n"]
        coefficients = len(result["mean"]["names"]) - len(result["mean"]["aliased"])
        # Of a restricted likelihood the coefficients are no parameters.
        n, estimated = (n - coefficients, estimated) if result["criterion"] == "reml" else (n, estimated + coefficients)
        self.aic_, self.bic_ = _tegula.criteria(self.loglik_, estimated, n)

    def _check_fitted(self):
        if not hasattr(self, "_model"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )

    def _in_crs(self, X):
        """``X`` in the reference system of the data, where both have one."""
        if not _frames.is_geo(X) or X.crs is None or self._crs is None or X.crs == self._crs:
            return X
        return X.to_crs(self._crs)

    def _places(self, X):
        """The table of ``X``, which has the columns that the model needs."""
        names, columns = _frames.table_of(self._in_crs(X))
        fitted = [name for name, _ in self._training[: self.n_features_in_]]
        is_table = _frames.is_frame(X) or _frames.is_xarray(X)
        if not (is_table and (self._is_by_name or set(fitted).issubset(names))):
            if len(names) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                    f"features as input."
                )
            if hasattr(self, "feature_names_in_"):
                warnings.warn(
                    f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names",
                    UserWarning,
                    stacklevel=3,
                )
            names = fitted
        if _frames.rows_of(columns[0]) == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is required.")
        return list(zip(names, columns))

    def _predicted(self, X, more=(), seed=None, places=None):
        self._check_fitted()
        words = ["exageostat", "predict", _MODEL, f"--train={_TRAINING}", f"--at={_PLACES}", f"--output={_call.COLUMNS}"]
        words += [*_call.flag("--drop-missing", bool(self.drop_missing)), *more, *self._run_words(seed)]
        places = self._places(X) if places is None else places
        tables = [(_TRAINING, self._training), (_PLACES, places)]
        kept = _call.run(words, tables, models=[(_MODEL, self._model)], progress=self.verbose, callers=2)
        taken = {name.lower() for name, _ in places}
        return {_own_name(name, taken): np.frombuffer(cells) for name, cells in kept["columns"]}, kept

    def predict(self, X, return_std=False, return_cov=False):
        """Kriging: the mean of the field at the places of ``X``, given the observations.

        Parameters
        ----------
        X : as in ``fit``
            It may have other columns, too, if it is a table, and lack those that the model does not
            take. A table of GeoPandas is taken to the reference system of the data.
        return_std : bool, default False
            Standard deviations, too, of the field without noise.
        return_cov : bool, default False
            The covariance matrix of the predictions, too; on the transformed scale, 5000 places at
            most.

        Returns
        -------
        ndarray of shape (m,), or (m, k) of several variables or replicates
            And standard deviations in this shape, or a matrix of shape (m, m). A data set of xarray
            gives arrays of xarray with its dimensions.
        """
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        columns, kept = self._predicted(X, [f"--joint={_call.MATRIX}"] if return_cov else [])
        mean = self._together(columns, "mean", X)
        if return_cov:
            m = len(columns[next(iter(columns))])
            return mean, np.frombuffer(kept["matrix"]).reshape(m, m)
        if return_std:
            spread = {name: np.sqrt(values) for name, values in columns.items() if name.startswith("variance")}
            return mean, self._together(spread, "variance", X)
        return mean

    def _predicted_at(self, columns):
        """The mean at places that are given as columns by name."""
        cells = {name: np.ascontiguousarray(values, dtype=float).tobytes() for name, values in columns.items()}
        return self._predicted(None, places=list(cells.items()))[0]["mean"]

    def _together(self, columns, what, X):
        """The columns called ``what``, alone or with the name of a variable, as an array."""
        names = [name for name in columns if name == what or name.startswith(what + "_")]
        names = [name for name in names if not name.startswith(what + "_obs")]
        found = [columns[name] for name in names]
        if _frames.is_xarray(X) and len(found) == 1:
            return _frames.back({what: found[0]}, X)[what]
        return np.array(found[0]) if len(found) == 1 else np.column_stack(found)

    def predict_table(self, X):
        """All columns of a prediction: mean, variance, variance_obs of new observations; with a
        transformation medians and intervals.

        Returns
        -------
        The table of ``X`` with these columns; of pandas or GeoPandas, as ``X`` is. Where ``X`` has a
        column ``mean``, that of the prediction is ``predicted_mean``, and so on. For xarray a data set
        of these columns alone, with the dimensions of ``X``.
        """
        _, kept = self._predicted(X)
        return _frames.back({name: np.frombuffer(cells).copy() for name, cells in kept["columns"]}, X)

    def sample(self, X, n_samples=1, random_state=0):
        """Draws the field at the places of ``X``, given the observations; without noise.

        Returns
        -------
        ndarray of shape (m, n_samples)
        """
        more = [f"--simulate={int(n_samples)}"]
        columns, _ = self._predicted(X, more, random_state)
        return np.column_stack([columns[f"sim{number}"] for number in range(1, n_samples + 1)])

    #: As scikit-learn's GaussianProcessRegressor calls it.
    sample_y = sample

    def summary(self):
        """The fit as a table: estimates, standard errors, intervals, likelihood, criteria.

        Returns
        -------
        Summary
            Which prints as text, and in notebooks as a table.
        """
        self._check_fitted()
        return _summary.Summary(self)

    def plot(self, kind="map", X=None, ax=None):
        """Draws the fit with matplotlib.

        Parameters
        ----------
        kind : {"map", "residuals", "variogram", "intervals"}
            Predictions on a grid over the data (or at ``X``), residuals by leaving one out, the
            variogram beside that of the model, estimates with their intervals.
        X : as in ``predict``, optional
            Places of the map.
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        from . import _plots

        self._check_fitted()
        return _plots.draw(self, kind, X, ax)

    def assess(self, cross_validate=None, blocks=None, return_residuals=False):
        """Leave-one-out errors and scores, as ``tegula exageostat assess`` has them.

        Parameters
        ----------
        cross_validate, blocks : int, optional
            Leave out so many random parts, or blocks of neighbours, too.
        return_residuals : bool, default False
            What was predicted for each row of the data, too.

        Returns
        -------
        dict
            What it writes by ``--json``; and a dict of arrays observed, predicted, std_error and
            standardised.
        """
        self._check_fitted()
        words = ["exageostat", "assess", _MODEL, f"--train={_TRAINING}", *self._run_words()]
        words += _call.flag("--cross-validate", cross_validate) + _call.flag("--blocks", blocks)
        words += [f"--output={_call.COLUMNS}"] if return_residuals else []
        tables, models = [(_TRAINING, self._training)], [(_MODEL, self._model)]
        kept = _call.run(words, tables, models=models, progress=self.verbose)
        if not return_residuals:
            return kept["result"]
        return kept["result"], {name: np.frombuffer(cells).copy() for name, cells in kept["columns"]}

    def variogram(self, bins=15):
        """The empirical variogram of what the mean leaves of the data, by least squares; with a
        transformation, of the transformed data.

        Returns
        -------
        dict of arrays
            pairs, distance, semivariance; and model, the variogram of the fitted covariance there.
        """
        self._check_fitted()
        columns, mean = self.result_["data"]["columns"], self.result_["mean"]["formula"]
        transform = self.result_["transform"]
        power = f":{transform['lambda']!r}" if "lambda" in transform else ""
        words = ["exageostat", "variogram", _TRAINING, f"--values={columns['values']}", f"--bins={bins}"]
        words += [f"--transform={transform['name']}{power}"]
        words += [f"--coords={','.join(columns['coords'])}", f"--distance={self.result_['data']['distance']}"]
        words += [f"--mean={mean}", *_call.flag("--drop-missing", bool(self.drop_missing))]
        found = _call.run(words, [(_TRAINING, self._training)])["result"]["bins"]
        table = {key: np.array([one[key] for one in found]) for key in ("pairs", "distance", "semivariance")}
        return {**table, "model": self._semivariance(table["distance"])}

    def _semivariance(self, distances):
        """The variogram of the fitted covariance, of new observations."""
        values = list(self.result_["params"].values())
        at = _tegula.covariance_at(self.result_["covariance"], values, [0.0, *distances])
        return at[0] + self.result_["nugget"] - np.array(at[1:])

    def save(self, path):
        """Writes the model as ``tegula exageostat fit -o`` does, for the program; it then needs the
        data by ``--train``."""
        self._check_fitted()
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.result_, file, indent=2)

    def _repr_html_(self):
        if hasattr(self, "_model"):
            return self.summary()._repr_html_()
        return super()._repr_html_() if hasattr(super(), "_repr_html_") else f"<pre>{self!r}</pre>"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Several variables take a covariance of as many.
        tags.target_tags.multi_output = bool(self.replicates)
        tags.non_deterministic = False
        return tags


def _own_name(name, taken):
    """The name of a column of results, which the program changes where the places have such a one."""
    if not name.startswith("predicted_"):
        return name
    name = name[len("predicted_") :]
    shorter, _, number = name.rpartition("_")
    return shorter if number.isdigit() and f"predicted_{shorter}".lower() in taken else name


def sample(X, covariance, params, nugget=0.0, coords=None, distance=None, random_state=0):
    """Draws a field without data.

    Parameters
    ----------
    X, coords, distance
        The places, as in ``GaussianField``.
    covariance : str
    params : dict
        Its parameters: ``{"variance": 1, "range": 0.1, "smoothness": 0.5}``.
    nugget : float, default 0
        Variance of the noise.
    random_state : int, default 0

    Returns
    -------
    ndarray of shape (m,), or (m, k) of k variables
    """
    names, columns = _frames.table_of(X)
    places = GaussianField(coords=coords)._coords(X, names, None)
    given = ",".join(f"{name}={float(value)!r}" for name, value in _call.mapping("params", params).items())
    words = ["exageostat", "sample", f"--at={_PLACES}", f"--covariance={covariance}", f"--params={given}"]
    words += [f"--output={_call.COLUMNS}", *_call.flag("--seed", _call.seed(random_state))]
    words += _call.flag("--nugget", _words.variance(nugget))
    words += _call.flag("--coords", places) + _call.flag("--distance", distance)
    drawn = [np.frombuffer(cells).copy() for _, cells in _call.run(words, [(_PLACES, list(zip(names, columns)))])["columns"]]
    return drawn[0] if len(drawn) == 1 else np.column_stack(drawn)


def covariances():
    """The covariances there are, with their parameters and formulas.

    Returns
    -------
    dict
        What ``tegula exageostat covariances --json`` writes.
    """
    return _call.run(["exageostat", "covariances"])["result"]
