"""PCA: scikit-learn's constructor and attributes on the library's PCA."""
from numbers import Integral, Real

import numpy as np
import sklearn.decomposition
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._base import DTYPES, MercerTransformer
from ._spectrum import completed

# scikit-learn's solvers by what the engine has for them: LAPACK on the smaller of covariance and Gram matrix, or an
# iterative solver that applies the data.
_ROUTES = {"auto": "auto", "full": "dense", "arpack": "tiled", "randomized": "tiled"}


class PCA(MercerTransformer, sklearn.decomposition.PCA):
    """Principal component analysis.

    A drop-in for :class:`sklearn.decomposition.PCA`. ``fit``, ``transform`` and ``inverse_transform`` are the
    engine's; what only needs their result (``get_covariance``, ``get_precision``, ``score``, ``score_samples``) is
    scikit-learn's own. A component's sign makes its largest entry positive, as in scikit-learn 1.5 and later.
    The parameters below are what scikit-learn lacks, or what differs; ``iterated_power``, ``n_oversamples`` and
    ``power_iteration_normalizer`` are accepted and not needed: the engine iterates until the residual is small.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        A count; the share of variance to reach; or None: as many as samples or features. ('mle' is not there.)
    tol : float, default=0.0
        Residual of an eigenpair relative to the largest eigenvalue; 0: 1e-10, or 1e-5 in single precision.
    center : bool, default=True
        False: the plain SVD of X, as latent semantic analysis needs; sparse data stays sparse either way.
    solver : {'auto', 'dense', 'stored', 'tiled'}, default='auto'
        The engine's route; anything but 'auto' goes before ``svd_solver``.
    memory, progress, n_jobs
        As in :class:`mercer.KernelPCA`.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, n_components_, n_samples_, \
noise_variance_, n_features_in_, feature_names_in_
        As in scikit-learn.
    residuals_ : ndarray of shape (n_components,)
        Of the eigenpairs of the scatter matrix; NaN beyond the rank of the data.
    report_ : mercer.Report
        What the fit found, how sure it is and what it cost.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import PCA
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> pca = PCA(n_components=2).fit(X)
    >>> print(pca.explained_variance_ratio_.round(4))
    [0.9924 0.0076]
    >>> print(pca.singular_values_.round(4))
    [6.3006 0.5498]
    """

    _method = "pca"
    _model_class = "Pca"

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither"), None],
        "copy": ["boolean"],
        "whiten": ["boolean"],
        "svd_solver": [StrOptions(set(_ROUTES))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "iterated_power": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "n_oversamples": [Interval(Integral, 1, None, closed="left")],
        "power_iteration_normalizer": [StrOptions({"auto", "QR", "LU", "none"})],
        "random_state": ["random_state"],
        "center": ["boolean"],
        "solver": [StrOptions({"auto", "dense", "stored", "tiled"})],
        "memory": [Interval(Integral, 1, None, closed="left"), str, None],
        "progress": [callable, "boolean", None],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_components=None,
        *,
        copy=True,
        whiten=False,
        svd_solver="auto",
        tol=0.0,
        iterated_power="auto",
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        center=True,
        solver="auto",
        memory=None,
        progress=None,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.center = center
        self.solver = solver
        self.memory = memory
        self.progress = progress
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Fit the model with X, an array, a data frame or a CSR matrix of samples."""
        X = self._check_fit_input(X, ensure_min_samples=2)
        self._fit(X)
        return self

    def fit_transform(self, X, y=None):
        """Fit the model with X and give the scores of X, which the fit has found already."""
        X = self._check_fit_input(X, ensure_min_samples=2)
        return self._whitened(self._filled(self._fit(X).scores(), X))

    def _fit(self, X):
        with self._run(fitting=True) as run:
            model = _mercer.fit_pca(X, columns=self._columns(), run=run, **self._fit_arguments(X))
            self._take(model)
        return model

    def _fit_arguments(self, X):
        most, wanted = min(X.shape), self.n_components
        if isinstance(wanted, Integral) and wanted > most:
            raise ValueError(f"n_components={wanted} must be between 1 and min(n_samples, n_features)={most}")
        components = most if wanted is None else int(wanted) if isinstance(wanted, Integral) else float(wanted)
        route = self.solver if self.solver != "auto" else _ROUTES[self.svd_solver]
        return dict(components=components, route=route, residual=float(self.tol), center=self.center)

    def _plan(self, X):
        X = self._check_unfitted(X)
        with self._run() as run:
            return _mercer.plan_pca(X, run=run, **self._fit_arguments(X))

    def _take(self, model):
        """The fitted attributes. Where the data's rank is lower than what was asked for, directions without variance
        fill up."""
        report, kept = model.report, model.components
        most = min(report.n, report.d)
        wanted = most if self.n_components is None else self.n_components
        width = max(kept, int(wanted)) if isinstance(wanted, Integral) else kept
        filled = lambda values, rest=0.0: np.concatenate([values, np.full(width - kept, rest)]).astype(model.dtype)
        self._model = model
        self.n_samples_ = report.n
        self.n_components_ = width
        self.mean_ = model.mean
        self.components_ = completed(model.directions, width).T
        variances = report.gram_eigenvalues / max(1, report.n - 1)  # as scikit-learn has them; a file may count over n
        self.explained_variance_ = filled(variances)
        self.explained_variance_ratio_ = filled(report.explained_variance_ratio)
        self.singular_values_ = filled(np.sqrt(report.gram_eigenvalues))
        self.residuals_ = filled(report.residuals, np.nan)
        left = report.trace / max(1, report.n - 1) - variances.sum()
        self.noise_variance_ = max(0.0, left) / (most - width) if width < most else 0.0

    def transform(self, X):
        """Scores of new points."""
        X = self._check_input(X)
        with self._run() as run:
            return self._whitened(self._filled(self._model.transform(X, run), X))

    def inverse_transform(self, X):
        """Back to the input space: X ≈ scores · components_ + mean_."""
        check_is_fitted(self)
        scores = check_array(X, dtype=DTYPES)
        if scores.shape[1] != self.n_components_:
            raise ValueError(f"X has {scores.shape[1]} columns, but the model has {self.n_components_} components")
        if self.whiten:
            scores = scores * np.sqrt(self.explained_variance_)
        kept = self._model.components
        with self._run() as run:
            points = self._model.inverse(scores[:, :kept], run)
        return points if kept == self.n_components_ else points + scores[:, kept:] @ self.components_[kept:]

    def _filled(self, scores, X):
        """Scores on the directions without variance beside those that the model found."""
        kept = scores.shape[1]
        if kept == self.n_components_:
            return scores
        rest = self.components_[kept:].T
        return np.hstack([scores, X @ rest - self.mean_ @ rest]).astype(scores.dtype)

    def _whitened(self, scores):
        """Scores of variance 1; those without variance stay as they are."""
        if not self.whiten:
            return scores
        deviation = np.sqrt(self.explained_variance_)
        return scores / np.where(deviation > 0, deviation, 1)

    @property
    def _n_features_out(self):
        return self.n_components_

    # Files: they hold the library's model, which knows of no whitening.

    def save(self, path):
        """Writes the model file that the command line reads as well; whitened scores are not in such files."""
        if self.whiten:
            raise ValueError("a model file does not hold whiten=True: pickle this PCA instead, or save one with whiten=False")
        super().save(path)

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "center": model.report.centered}
