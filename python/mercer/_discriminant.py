"""Linear and kernel discriminants: transformers and classifiers at once, as scikit-learn's LDA is."""
from numbers import Integral, Real

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets

from . import _mercer
from ._base import MercerTransformer
from ._kernel_choice import gamma_in, is_precomputed, make_kernel, user_kernels
from ._parameters import RUNNING, SCALE


class _Discriminant(ClassifierMixin, MercerTransformer):
    """Classes, predictions and scores."""

    _keeps_points = False  # the model looks at the training points again

    def fit(self, X, y):
        """Learn to tell the classes y of the samples X apart."""
        X, y = self._check_fit_input(X, y=y, ensure_min_samples=2, copy=self._keeps_points)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class; telling classes apart takes at least two classes")
        names = [str(c) for c in self.classes_]
        with self._run(fitting=True) as run:
            self._take(self._fit_model(X, names, codes.astype(np.int32), run))
        return self

    def transform(self, X):
        """Scores of new points: at most as many as there are classes, less one."""
        X = self._check_input(X)
        with self._run() as run:
            return self._model.transform(X, run)

    def predict(self, X):
        """The class of each row of X."""
        X = self._check_input(X)
        with self._run() as run:
            return self.classes_[self._model.predict(X, self.decision, run)]

    def _take(self, model):
        found = model.report.discrimination
        self._model = model
        if list(map(str, getattr(self, "classes_", []))) != found["classes"]:  # from a file
            self.classes_ = _as_values(found["classes"])
        self.centroids_ = model.centroids
        self.threshold_ = found["threshold"]
        self.ridge_ = found["ridge"]
        self.explained_variance_ratio_ = model.report.explained_variance_ratio


def _as_values(names):
    """The classes that these names in a file were made of: booleans or numbers, where their texts are the names."""
    if set(names) == {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (np.int64, np.float64):
        try:
            values = np.array(names).astype(kind)
        except (ValueError, OverflowError):
            continue
        if [str(v) for v in values] == list(names):
            return values
    return np.array(names)


class LDA(_Discriminant):
    """Linear discriminants: directions along which classes lie far apart while each stays close together.

    Parameters
    ----------
    n_components : int or None
        None: all, one less than there are classes (or as many as features).
    ridge : float, default=0
        Added to the scatter within classes; needed where that is singular.
    decision : {'auto', 'threshold', 'centroid'}, default='auto'
        How scores become classes: by a threshold (two classes), or by the nearest centroid.
    scale : {'none', 'center', 'standardize'}, default='none'
        Of the inputs; remembered for new points.
    random_state, n_jobs, memory, progress
        As in KernelPCA.

    Attributes
    ----------
    classes_ : ndarray
    scalings_ : ndarray of shape (n_features, n_components)
        The directions; scores within a class have variance 1.
    xbar_ : ndarray of shape (n_features,)
    centroids_ : ndarray of shape (n_classes, n_components)
        The mean score of each class.
    threshold_, ridge_, explained_variance_ratio_, report_
        Of two classes; that was used; of the variance between classes; all that the fit found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import mercer
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = mercer.LDA().fit(X, y)
    >>> lda.transform(X).shape, lda.score(X, y) > 0.97
    ((150, 2), True)
    """

    _method = "lda"
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "decision": [StrOptions({"auto", "threshold", "centroid"})],
        **SCALE, **RUNNING,
    }

    def __init__(self, n_components=None, *, ridge=0.0, decision="auto", scale="none", random_state=None, n_jobs=None,
                 memory=None, progress=None):
        self.n_components = n_components
        self.ridge = ridge
        self.decision = decision
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit_model(self, X, names, codes, run):
        most = min(X.shape[1], len(names) - 1)
        if (self.n_components or 0) > most:
            raise ValueError(f"n_components={self.n_components} cannot be larger than min(n_features, n_classes - 1)={most}")
        return _mercer.fit_linear_discriminant(X, names, codes, self._columns(), run, components=int(self.n_components or 0),
                                               ridge=float(self.ridge), scale=self.scale)

    def _take(self, model):
        super()._take(model)
        self.scalings_, self.xbar_ = model.directions, model.mean

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "ridge": model.report.discrimination["ridge"]}


class KernelLDA(_Discriminant):
    """Kernel discriminants: curved boundaries between classes.

    Parameters
    ----------
    n_components : int or None
        None: all, one less than there are classes.
    kernel, gamma, degree, coef0, kernel_params
        As in KernelPCA, but that the kernel is 'rbf' and gamma 'median' unless told; None is 1/n_features, as it is for 'poly'
        and 'sigmoid' unless told.
    ridge : float, default=1e-3
        Added to the scatter within classes.
    cv : int or None
        Choose the ridge, and the width where gamma is 'median' or 'auto', by cross-validation in so many folds.
    solver : {'auto', 'dense', 'lowrank'}, default='auto'
        'lowrank' looks at landmarks instead of all points, for many points.
    rank, tolerance, landmarks
        Of 'lowrank', as in KernelPCA.
    decision, scale, random_state, n_jobs, memory, progress
        As in LDA.

    Attributes
    ----------
    classes_, centroids_, threshold_, ridge_, explained_variance_ratio_, report_
        As in LDA.
    kernel_ : mercer.Kernel
        With every gamma a number.
    gamma_ : float or None
    cv_results_ : list of dict
        What cross-validation tried: kernel, ridge, error, deviation.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> import mercer
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> klda = mercer.KernelLDA(gamma=2.0).fit(X, y)
    >>> klda.transform(X).shape, klda.score(X, y) > 0.97
    ((200, 1), True)
    """

    _method = "klda"
    _keeps_points = True
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel": [str, callable, _mercer.Kernel],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"median", "auto"}), None],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left"), None],
        "solver": [StrOptions({"auto", "dense", "lowrank"})],
        "rank": [Interval(Integral, 1, None, closed="left"), None],
        "tolerance": [Interval(Real, 0, 1, closed="neither"), None],
        "landmarks": [StrOptions({"pivoted", "uniform", "kmeans"})],
        "decision": [StrOptions({"auto", "threshold", "centroid"})],
        **SCALE, **RUNNING,
    }

    def __init__(self, n_components=None, *, kernel="rbf", gamma="median", degree=3, coef0=1, kernel_params=None, ridge=1e-3,
                 cv=None, solver="auto", rank=None, tolerance=None, landmarks="pivoted", decision="auto", scale="none",
                 random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.ridge = ridge
        self.cv = cv
        self.solver = solver
        self.rank = rank
        self.tolerance = tolerance
        self.landmarks = landmarks
        self.decision = decision
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit_model(self, X, names, codes, run):
        if (self.n_components or 0) > len(names) - 1:
            raise ValueError(f"n_components={self.n_components} cannot be larger than n_classes - 1={len(names) - 1}")
        of_products = isinstance(self.kernel, str) and self.kernel in ("poly", "polynomial", "sigmoid")  # no distance has a median here
        kernel = make_kernel(self.kernel, gamma=None if of_products and self.gamma == "median" else self.gamma, degree=self.degree, coef0=self.coef0,
                             kernel_params=self.kernel_params, n_features=X.shape[1])
        return _mercer.fit_kernel_discriminant(
            X, names, codes, self._columns(), run, components=int(self.n_components or 0), kernel=kernel,
            ridge=float(self.ridge), folds=self.cv, decision=self.decision, route=self.solver, rank=int(self.rank or 0),
            tolerance=float(self.tolerance or 0), landmarks=self.landmarks, scale=self.scale)

    def _take(self, model):
        super()._take(model)
        self.gamma_ = gamma_in(model.kernel)
        self.cv_results_ = model.report.discrimination["trials"]

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "kernel": model.kernel, "ridge": model.report.discrimination["ridge"]}

    @property
    def kernel_(self):
        """The model's: a Python function in it is not pickled, but found again by ``kernel``."""
        return self._model.kernel

    def _user_kernels(self):
        return user_kernels(self.kernel, self.kernel_params)

    def _is_pairwise(self):
        return is_precomputed(self.kernel)
