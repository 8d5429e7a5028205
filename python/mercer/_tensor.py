"""Decompositions of N-way arrays: Tucker, CP, 2D-SVD, and kernel PCA on their cores."""
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._base import DTYPES, FINITE, MercerTransformer
from ._kernel_choice import gamma_in, make_kernel, user_kernels
from ._parameters import RUNNING

_SPARSE = (_mercer.SparseTensor32, _mercer.SparseTensor64)
_MODE = {"sample_mode": [Interval(Integral, 0, None, closed="left")]}


class TensorEstimator(MercerTransformer):
    """An N-way array, one mode of which counts the samples; scores of samples, and samples from scores.

    A method says ``_fit_model(X, run)``.
    """

    _accept_sparse = False  # tables of scipy
    _takes_sparse = False  # arrays made by mercer.sparse_tensor

    def fit(self, X, y=None):
        """Decompose the array X."""
        return self._fit(X)

    def _fit(self, X, **given):
        self._validate_params()
        X = self._check_array(X)
        with self._run(fitting=True) as run:
            model = self._fit_model(X, run, **given)
        self.n_features_in_ = model.features
        self._take(model)
        return self

    def fit_transform(self, X, y=None):
        """Decompose X and give the scores of its samples."""
        return self.fit(X)._model.scores()

    def transform(self, X):
        """Scores of new samples: an array like the training array but for their number, or a single sample."""
        check_is_fitted(self)
        X = self._check_array(X)
        with self._run() as run:
            return self._model.transform_tensor(X, run)

    def inverse_transform(self, X):
        """The samples that have these scores, in an array like the training array."""
        check_is_fitted(self)
        scores = check_array(X, dtype=DTYPES)
        with self._run() as run:
            return self._model.inverse_tensor(scores, run)

    def reconstruct(self):
        """What the model makes of the training array."""
        check_is_fitted(self)
        with self._run() as run:
            return self._model.reconstruction(run)

    def _check_array(self, X):
        if isinstance(X, _SPARSE):
            if not self._takes_sparse:
                raise ValueError(f"{type(self).__name__} takes whole arrays; give X.to_dense()")
            return X
        gaps = "allow-nan" if self._takes_gaps() else True
        return check_array(X, dtype=DTYPES, ensure_2d=False, allow_nd=True, **{FINITE: gaps})

    def _takes_gaps(self):
        return False

    def _take(self, model):
        found = model.report.decomposition
        self._model = model
        self.factors_ = model.factors
        self.shape_ = model.shape
        self.relative_error_ = found["relative_error"]
        self.explained_ = found["explained"]
        self.ranks_ = found["ranks"]

    def _more_tags(self):
        return {"X_types": ["nd-array"]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        return tags


class Tucker(TensorEstimator):
    """Tucker's decomposition: a small core and an orthonormal basis for each mode.

    Parameters
    ----------
    ranks : tuple of int or None
        The core's shape; None: as small as `error` allows.
    error : float, default=0
        The relative error to stay below, where no ranks are given; 0: the exact rank.
    method : {'st-hosvd', 'hosvd'}, default='st-hosvd'
    hooi : int, default=0
        Polish by at most so many sweeps, each mode given the others.
    tol : float, default=1e-8
        The sweeps end when the relative error falls by less.
    sample_mode : int, default=0
        Which mode counts the samples.
    random_state, n_jobs, memory, progress
        As in KernelPCA.

    Attributes
    ----------
    core_ : ndarray
    factors_ : list of ndarray
        A basis for each mode, size of the mode x its rank.
    mode_values_ : list of ndarray
        Singular values of each mode's unfolding.
    relative_error_, explained_ : float
        |X - X'| / |X|, and 1 less its square.
    ranks_, shape_, report_

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate_tensor("fluorescence", 20)
    >>> tucker = mercer.Tucker(error=0.05).fit(X)
    >>> tucker.relative_error_ <= 0.05, tucker.core_.size < X.size // 100
    (True, True)
    >>> tucker.inverse_transform(tucker.transform(X)).shape == X.shape
    True
    """

    _method = "tucker"
    _takes_sparse = True
    _parameter_constraints = {
        "ranks": ["array-like", None],
        "error": [Interval(Real, 0, 1, closed="left")],
        "method": [StrOptions({"st-hosvd", "hosvd"})],
        "hooi": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        **_MODE, **RUNNING,
    }

    def __init__(self, ranks=None, *, error=0.0, method="st-hosvd", hooi=0, tol=1e-8, sample_mode=0, random_state=None,
                 n_jobs=None, memory=None, progress=None):
        self.ranks = ranks
        self.error = error
        self.method = method
        self.hooi = hooi
        self.tol = tol
        self.sample_mode = sample_mode
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit_model(self, X, run):
        return _mercer.fit_tucker(X, run, ranks=_counts(self.ranks), error=float(self.error), method=self.method,
                                  hooi=int(self.hooi), tolerance=float(self.tol), sample_mode=int(self.sample_mode))

    def _take(self, model):
        super()._take(model)
        self.core_ = model.core
        self.mode_values_ = model.report.decomposition["mode_values"]

    @classmethod
    def _params_of(cls, model):
        return {"ranks": tuple(model.core.shape), "sample_mode": model.sample_mode}


class CP(TensorEstimator):
    """CP (PARAFAC): a sum of few outer products, by alternating least squares.

    Parameters
    ----------
    rank : int, default=1
        How many outer products.
    nonnegative : bool, default=False
    starts : int or None
        How many starts, of which the best counts; None: HOSVD's, and random ones where it is in doubt.
    init : {'auto', 'random', 'hosvd'}, default='auto'
    max_iter : int, default=1000
        Sweeps at most, each start.
    tol : float, default=1e-8
        A start ends when a sweep changes the relative error by less.
    missing : bool, default=False
        NaN entries (of sparse arrays those that are not stored) are unknown.
    line_search, core_consistency : bool, default=True
        Faster through swamps; compute the diagnostic.
    allow_partial : bool, default=False
        Not converged is a note of the report, not an error.
    sample_mode, random_state, n_jobs, memory, progress
        As in Tucker.

    Attributes
    ----------
    weights_ : ndarray of shape (rank,)
        Descending.
    factors_ : list of ndarray
        Unit columns, size of the mode x rank.
    core_consistency_ : float or None
        In percent; 100: the data has no more structure than the model.
    n_iter_ : int
    warnings_ : list of str
        What makes the model doubtful: components that cancel each other, swamps.
    relative_error_, explained_, shape_, report_
        As in Tucker.

    Examples
    --------
    >>> import mercer
    >>> X, planted, _ = mercer.generate_tensor("fluorescence", 20)
    >>> cp = mercer.CP(3, nonnegative=True).fit(X)
    >>> [f.shape[1] for f in cp.factors_], cp.core_consistency_ > 90
    ([3, 3, 3], True)
    >>> cp.transform(X[:2]).shape
    (2, 3)
    """

    _method = "cp"
    _takes_sparse = True
    _parameter_constraints = {
        "rank": [Interval(Integral, 1, None, closed="left")],
        "nonnegative": ["boolean"],
        "starts": [Interval(Integral, 1, None, closed="left"), None],
        "init": [StrOptions({"auto", "random", "hosvd"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "missing": ["boolean"],
        "line_search": ["boolean"],
        "core_consistency": ["boolean"],
        "allow_partial": ["boolean"],
        **_MODE, **RUNNING,
    }

    def __init__(self, rank=1, *, nonnegative=False, starts=None, init="auto", max_iter=1000, tol=1e-8, missing=False,
                 line_search=True, core_consistency=True, allow_partial=False, sample_mode=0, random_state=None, n_jobs=None,
                 memory=None, progress=None):
        self.rank = rank
        self.nonnegative = nonnegative
        self.starts = starts
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.missing = missing
        self.line_search = line_search
        self.core_consistency = core_consistency
        self.allow_partial = allow_partial
        self.sample_mode = sample_mode
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def fit(self, X, y=None, *, weights=None):
        """Decompose the array X; `weights`, an array like X, weigh the squared error of each entry."""
        return self._fit(X, weights=None if weights is None else np.asarray(weights))

    def _fit_model(self, X, run, weights):
        arguments = dict(rank=int(self.rank), nonnegative=bool(self.nonnegative), starts=int(self.starts or 0),
                         start=self.init, iterations=int(self.max_iter), tolerance=float(self.tol), missing=bool(self.missing),
                         line_search=bool(self.line_search), core_consistency=bool(self.core_consistency),
                         allow_partial=bool(self.allow_partial), sample_mode=int(self.sample_mode))
        if weights is None:
            return _mercer.fit_cp(X, run, **arguments)
        if isinstance(X, _SPARSE):
            raise ValueError("weights are for whole arrays; of sparse ones missing=True leaves out what is not stored")
        return _mercer.fit_weighted_cp(X, weights, run, **arguments)

    def _takes_gaps(self):
        return self.missing

    def _take(self, model):
        super()._take(model)
        found = model.report.decomposition
        self.weights_ = model.weights
        self.core_consistency_ = found["core_consistency"]
        self.n_iter_ = len(found["errors"])
        self.warnings_ = found["warnings"]

    @classmethod
    def _params_of(cls, model):
        return {"rank": len(model.weights), "missing": model.takes_gaps, "sample_mode": model.sample_mode}


class SVD2D(TensorEstimator):
    """2D-SVD: a stack of matrices (samples x height x width) by common row and column bases.

    Parameters
    ----------
    ranks : (int, int)
        Of rows and columns; a full size leaves that side as it is (2DPCA).
    center : bool, default=True
        About the mean matrix.
    max_iter : int, default=0
        GLRAM: at most so many rounds in which each side is found for the other.
    tol : float, default=1e-10
        They end when the relative error falls by less.
    random_state, n_jobs, memory, progress
        As in KernelPCA.

    Attributes
    ----------
    factors_ : [U, V]
        height x p and width x q.
    mean_ : ndarray of shape (height, width)
    left_values_, right_values_ : ndarray
        Eigenvalues of the rows' and columns' scatter.
    rms_error_, relative_error_, explained_, shape_, report_
        The root of the mean over samples of |A - A'|²; as in Tucker.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate_tensor("spots", 30)
    >>> svd = mercer.SVD2D((5, 5))
    >>> svd.fit_transform(X).shape
    (30, 25)
    >>> svd.inverse_transform(svd.transform(X)).shape == X.shape
    True
    """

    _method = "svd2d"
    _parameter_constraints = {
        "ranks": ["array-like"],
        "center": ["boolean"],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        **RUNNING,
    }

    def __init__(self, ranks=(2, 2), *, center=True, max_iter=0, tol=1e-10, random_state=None, n_jobs=None, memory=None,
                 progress=None):
        self.ranks = ranks
        self.center = center
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit_model(self, X, run):
        return _mercer.fit_svd2d(X, run, ranks=_counts(self.ranks), center=bool(self.center), iterations=int(self.max_iter),
                                 tolerance=float(self.tol))

    def _take(self, model):
        super()._take(model)
        self.mean_ = model.mean
        self.left_values_, self.right_values_ = model.left_values, model.right_values
        self.rms_error_ = model.report.decomposition["rms_error"]

    @classmethod
    def _params_of(cls, model):
        return {"ranks": tuple(f.shape[1] for f in model.factors), "center": model.report.centered}


class TensorKernelPCA(TensorEstimator):
    """Kernel PCA of arrays, compared by their cores: a stack of images need not be made long vectors first.

    Parameters
    ----------
    n_components : int or float in (0, 1), default=2
    ranks : tuple of int
        Of the cores: one for each mode of a sample.
    kernel, gamma, degree, coef0, kernel_params
        On the cores; 'rbf' with gamma 'median' unless told.
    center : bool, default=True
        In feature space.
    sample_mode, random_state, n_jobs, memory, progress
        As in Tucker.

    Attributes
    ----------
    eigenvalues_, explained_variance_ratio_ : ndarray of shape (n_components,)
    factors_ : list of ndarray
        A basis for each mode of a sample.
    kernel_, gamma_, relative_error_, explained_, shape_, report_
        As in KernelPCA and Tucker.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate_tensor("spots", 30)
    >>> mercer.TensorKernelPCA(2, ranks=(5, 5)).fit_transform(X).shape
    (30, 2)
    """

    _method = "tensor-kpca"
    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="neither")],
        "ranks": ["array-like"],
        "kernel": [str, callable, _mercer.Kernel],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"median", "auto"}), None],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "center": ["boolean"],
        **_MODE, **RUNNING,
    }

    def __init__(self, n_components=2, *, ranks=(2, 2), kernel="rbf", gamma="median", degree=3, coef0=1, kernel_params=None,
                 center=True, sample_mode=0, random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.ranks = ranks
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.center = center
        self.sample_mode = sample_mode
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit_model(self, X, run):
        count = int(self.n_components) if isinstance(self.n_components, Integral) else float(self.n_components)
        kernel = make_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0,
                             kernel_params=self.kernel_params, n_features=int(np.prod(_counts(self.ranks))))
        return _mercer.fit_tensor_kernel_pca(X, run, ranks=_counts(self.ranks), components=count, kernel=kernel,
                                             center=bool(self.center), sample_mode=int(self.sample_mode))

    def _take(self, model):
        super()._take(model)
        self.gamma_ = gamma_in(model.kernel)
        self.eigenvalues_ = model.report.gram_eigenvalues
        self.explained_variance_ratio_ = model.report.explained_variance_ratio

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "ranks": tuple(f.shape[1] for f in model.factors), "kernel": model.kernel,
                "sample_mode": model.sample_mode}

    @property
    def kernel_(self):
        """The model's: a Python function in it is not pickled, but found again by ``kernel``."""
        return self._model.kernel

    def _user_kernels(self):
        return user_kernels(self.kernel, self.kernel_params)


def _counts(ranks):
    return [] if ranks is None else [int(r) for r in ranks]
