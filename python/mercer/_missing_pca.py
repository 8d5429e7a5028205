"""PCA of tables with gaps."""
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._base import DTYPES, FINITE, MercerTransformer, validate_data
from ._manifold import RUNNING, SCALE


class MissingPCA(MercerTransformer):
    """PCA fitted to the entries that are known: NaN in arrays, whatever is not stored in CSR matrices, is unknown.

    Parameters
    ----------
    n_components : int, default=2
    center : bool, default=True
        With a mean that is fitted along.
    ridge : float or None
        In units of singular values; None: the best of several on held-out entries.
    held_out : float, default=0.1
        Share of the known entries hidden from a first fit, by which the ridge is chosen and the error is told.
    tol : float, default=1e-6
        Stop when a sweep lowers the objective by less, relatively.
    max_iter : int, default=2000
        Sweeps at most.
    scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    mean_ : ndarray of shape (n_features,)
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
        Estimates.
    ridge_, known_error_, held_out_error_, column_mean_error_ : float
        That was used; root mean square over known entries, over held-out ones, and over these by the columns' means.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np, mercer
    >>> rng = np.random.RandomState(0)
    >>> X = rng.standard_normal((200, 2)) @ rng.standard_normal((2, 8)) + 0.01 * rng.standard_normal((200, 8))
    >>> X[rng.rand(200, 8) < 0.2] = np.nan
    >>> pca = mercer.MissingPCA(2).fit(X)
    >>> filled = pca.fill(X)
    >>> bool(np.isfinite(filled).all() and pca.held_out_error_ < 0.1 * pca.column_mean_error_)
    True
    """

    _method = "pca"
    _model_class = "MissingPca"
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "center": ["boolean"],
        "ridge": [Interval(Real, 0, None, closed="left"), None],
        "held_out": [Interval(Real, 0, 1, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **SCALE, **RUNNING,
    }

    def __init__(self, n_components=2, *, center=True, ridge=None, held_out=0.1, tol=1e-6, max_iter=2000, scale="none",
                 random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.center = center
        self.ridge = ridge
        self.held_out = held_out
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def fit(self, X, y=None):
        """Fit the model to what is known of X."""
        X = self._check_fit_input(X, **{FINITE: "allow-nan"})
        try:
            with self._run(fitting=True) as run:
                self._take(_mercer.fit_missing_pca(X, self._columns(), run, **self._arguments()))
        except ValueError as error:
            if hasattr(X, "indptr"):
                raise ValueError(f"{error}; of sparse data, what is not stored is unknown, not zero") from None
            raise
        return self

    def fit_transform(self, X, y=None):
        """Fit the model to X and give the scores of X, which the fit has found already."""
        return self.fit(X)._model.scores()

    def transform(self, X):
        """Scores of new points, which may have gaps; one of which nothing is known lies at the mean."""
        X = self._check_gaps(X)
        with self._run() as run:
            return self._model.transform(X, run)

    def inverse_transform(self, X):
        """The points that have these scores."""
        check_is_fitted(self)
        scores = check_array(X, dtype=DTYPES)
        with self._run() as run:
            return self._model.inverse(scores, run)

    def fill(self, X):
        """X with its gaps filled by the model; what is known stays."""
        X = self._check_gaps(X)
        guessed = self.inverse_transform(self.transform(X))
        if hasattr(X, "indptr"):
            known = X.tocoo()
            guessed[known.row, known.col] = known.data
            return guessed
        known = X == X  # NaN is not equal to itself
        guessed[known] = X[known]
        return guessed

    def _check_gaps(self, X):
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=DTYPES, reset=False, **{FINITE: "allow-nan"})

    def _arguments(self):
        return dict(components=int(self.n_components), center=bool(self.center), scale=self.scale,
                    ridge=None if self.ridge is None else float(self.ridge), held_out=float(self.held_out),
                    tolerance=float(self.tol), max_sweeps=int(self.max_iter))

    def _take(self, model):
        report, gaps = model.report, model.report.gaps
        self._model = model
        self.components_ = model.directions.T
        self.mean_ = model.mean
        self.explained_variance_ = report.variances
        self.explained_variance_ratio_ = report.explained_variance_ratio
        self.ridge_, self.n_iter_ = gaps["ridge"], gaps["sweeps"]
        self.known_error_, self.held_out_error_ = gaps["known_error"], gaps["held_out_error"]
        self.column_mean_error_ = gaps["column_mean_error"]

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "center": model.report.centered}

    def _more_tags(self):
        return {"allow_nan": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
