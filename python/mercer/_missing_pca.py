"""PCA of tables with gaps."""
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_is_fitted

from ._base import DTYPES, TableTransformer
from ._parameters import COUNT, RUNNING, SCALE, TOLERANCE


class MissingPCA(TableTransformer):
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
    _function = "missing_pca"
    _fit_input = {}
    _finite = "allow-nan"  # a point of which nothing is known lies at the mean
    _parameter_constraints = {
        "center": ["boolean"],
        "ridge": [Interval(Real, 0, None, closed="left"), None],
        "held_out": [Interval(Real, 0, 1, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **COUNT, **TOLERANCE, **SCALE, **RUNNING,
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
        try:
            return super().fit(X)
        except ValueError as error:
            if type(error) is ValueError and hasattr(X, "tocsr"):
                raise ValueError(f"{error}; of sparse data, what is not stored is unknown, not zero") from None
            raise

    def inverse_transform(self, X):
        """The points that have these scores."""
        check_is_fitted(self)
        scores = check_array(X, dtype=DTYPES)
        with self._run() as run:
            return self._model.inverse(scores, run)

    def fill(self, X):
        """X with its gaps filled by the model; what is known stays. A data frame stays one."""
        given = X
        X = self._check_input(X)
        with self._run() as run:
            guessed = self._model.inverse(self._model.transform(X, run), run)
        if hasattr(X, "indptr"):
            known = X.tocoo()
            guessed[known.row, known.col] = known.data
            return guessed
        known = X == X  # NaN is not equal to itself
        guessed[known] = X[known]
        return type(given)(guessed, index=given.index, columns=given.columns) if hasattr(given, "iloc") else guessed

    def _arguments(self, X):
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
