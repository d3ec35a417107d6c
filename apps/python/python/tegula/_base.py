"""What scikit-learn's estimators share; a small stand-in where scikit-learn is not installed."""

try:
    from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin  # noqa: F401
    from sklearn.exceptions import NotFittedError  # noqa: F401
    from sklearn.utils.validation import validate_data

    HAS_SKLEARN = True
except ImportError:
    import inspect

    HAS_SKLEARN = False
    validate_data = None

    class NotFittedError(ValueError, AttributeError):
        """An estimator that was not fitted."""

    class BaseEstimator:
        """Parameters by the names of ``__init__``."""

        def get_params(self, deep=True):
            """The parameters, as a dict."""
            names = list(inspect.signature(type(self).__init__).parameters)[1:]
            return {name: getattr(self, name) for name in names}

        def set_params(self, **params):
            """Sets parameters; returns the estimator."""
            known = self.get_params()
            for name, value in params.items():
                if name not in known:
                    raise ValueError(
                        f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {sorted(known)!r}."
                    )
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = inspect.signature(type(self).__init__).parameters
            given = ((name, value) for name, value in self.get_params().items() if value != defaults[name].default)
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given)})"

    class RegressorMixin:
        """The score of a regressor."""

        def score(self, X, y, sample_weight=None):
            """The coefficient of determination of the predictions."""
            import numpy as np

            y, weight = np.asarray(y, dtype=float), 1.0 if sample_weight is None else np.asarray(sample_weight)
            residual, spread = weight * (y - self.predict(X)) ** 2, weight * (y - np.average(y, weights=sample_weight)) ** 2
            return 1.0 - residual.sum() / spread.sum()

    class TransformerMixin:
        """``fit`` and ``transform`` in one."""

        def fit_transform(self, X, y=None, **params):
            """Fits, and transforms the same."""
            return self.fit(X, y, **params).transform(X)
