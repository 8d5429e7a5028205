"""KernelPCA: scikit-learn's constructor and attributes on the library's kernel PCA."""
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._base import DTYPES, MercerTransformer, NotFittedError
from ._kernel_choice import gamma_in, gamma_of, is_precomputed, make_kernel, user_kernels
from ._running import warn
from ._spectrum import completed, eigenvalues_as_sklearn, refuse_larger_negative, widened

# scikit-learn's solvers by what the engine has for them. Its iterative solver is a block Krylov method from a random
# start with a certificate: what ARPACK and the randomized SVD are used for.
_ROUTES = {"auto": "auto", "dense": "dense", "arpack": "stored", "randomized": "stored"}


def _about_landmarks(estimator):
    """The parameters given that only the route lowrank has a use for."""
    chosen = not isinstance(estimator.landmarks, str) or estimator.landmarks != "pivoted"
    return [name for name in ("rank", "tolerance", "max_rank") if getattr(estimator, name)] + ["landmarks"] * chosen


def _approximates(estimator):
    """Is the route lowrank? Asking for landmarks asks for it."""
    free = estimator.solver == "auto" and estimator.eigen_solver == "auto"
    return estimator.solver == "lowrank" or (free and bool(_about_landmarks(estimator)))


def _refuse_landmarks_of_exact_solvers(estimator):
    if _about_landmarks(estimator) and not _approximates(estimator):
        name = "solver" if estimator.solver != "auto" else "eigen_solver"
        raise ValueError(f"{_about_landmarks(estimator)[0]}= is for solver='lowrank', and {name}='{getattr(estimator, name)}' is exact: "
                         "leave one of them out")


def _streams(estimator):
    if not _approximates(estimator):
        raise AttributeError("partial_fit needs solver='lowrank': an exact model does not take in more points")
    return True


def _knows_points(estimator):
    if is_precomputed(estimator.kernel):
        raise AttributeError("a precomputed kernel matrix has no points, so there is no distance to score by")
    return True


class KernelPCA(MercerTransformer):
    """Kernel principal component analysis.

    A drop-in for :class:`sklearn.decomposition.KernelPCA`: the same constructor, attributes and results, computed by
    the mercer engine, with a certificate for every eigenpair. The parameters below are what scikit-learn lacks, or
    what differs; all others mean what they mean there.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        A count; the share of variance to reach; or None: all that are not zero.
    kernel : str, callable or mercer.Kernel, default='linear'
        scikit-learn's names, a callable of two rows, a kernel object such as ``mercer.rbf(0.5) + mercer.linear()``,
        or the text of one.
    gamma : float, 'median' or None
        None is 1/n_features.
    alpha : float, 'auto' or None, default=1.0
        Of the ridge regression behind ``inverse_transform``. 0 is the plain solve, with as small a ridge as rounding
        needs; 'auto' (or None) chooses it by leave-one-out.
    inverse_method : {'ridge', 'auto', 'exact', 'fixed-point', 'distances'}, default='ridge'
        The way back to the input space, with ``fit_inverse_transform=True``; 'ridge' is scikit-learn's.
    eigen_solver : {'auto', 'dense', 'arpack', 'randomized'}
        'arpack' and 'randomized' both mean the engine's iterative solver. ``max_iter`` and ``iterated_power`` are
        accepted and not needed: the engine iterates until the residual is below ``tol`` (0: 1e-10, or 1e-5 in
        single precision, relative to the largest eigenvalue).
    solver : {'auto', 'dense', 'stored', 'tiled', 'lowrank'}, default='auto'
        The engine's route; anything but 'auto' goes before ``eigen_solver``. 'tiled' never holds the kernel matrix,
        'lowrank' approximates it on landmarks, with bounds, and can ``partial_fit``.
    rank, tolerance : int, float or None
        Of 'lowrank', which they choose (as the next two do): how many landmarks, or which share of the trace may be left out.
    landmarks : {'pivoted', 'uniform', 'kmeans'} or list of int, default='pivoted'
        Of 'lowrank': how landmarks are chosen, or which rows they are.
    max_rank : int or None
        Of 'lowrank': how many landmarks there may be after ``partial_fit``; None keeps the first ones.
    memory : int, str or None
        Budget in bytes, or such as '4G'; None is half of the machine's memory.
    progress : callable, True or None
        Called with (stage, fraction) now and then; True shows a tqdm bar.
    n_jobs : int or None
        Threads; None is what OpenMP offers, so that threadpoolctl and OMP_NUM_THREADS are honoured.

    Attributes
    ----------
    eigenvalues_, eigenvectors_, gamma_, X_fit_, dual_coef_, X_transformed_fit_, n_features_in_, feature_names_in_
        As in scikit-learn. With 'lowrank' X_fit_ are the landmarks; after a ``partial_fit`` on top of another the
        scores of earlier points are not kept, and there are no eigenvectors_ and X_transformed_fit_.
    explained_variance_ : ndarray of shape (n_components,)
        eigenvalues_ over n.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        eigenvalues_ over the exact trace of the centred kernel matrix. Where that matrix has negative eigenvalues: over
        the sum of the positive ones as far as it is known, and then at most so much. Never more than 1 together.
    residuals_ : ndarray of shape (n_components,)
        |Kv - lambda v| of each eigenpair; NaN where the eigenvalue is an exact 0 that fills up n_components.
    kernel_ : mercer.Kernel
        With every gamma a number.
    report_ : mercer.Report
        What the fit found, how sure it is and what it cost.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer import KernelPCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> transformer = KernelPCA(n_components=7, kernel='linear')
    >>> X_transformed = transformer.fit_transform(X)
    >>> X_transformed.shape
    (1797, 7)
    >>> bool(transformer.residuals_.max() < 1e-9 * transformer.eigenvalues_[0])
    True
    >>> KernelPCA(n_components=0.9, kernel='linear').fit(X).eigenvalues_.shape
    (21,)
    """

    _method = "kpca"
    _model_class = "KernelPca"

    _parameter_constraints = {
        "n_components": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="neither"),
            None,
        ],
        "kernel": [str, callable, _mercer.Kernel],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"median", "auto"}), None],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"}), None],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions(set(_ROUTES))],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
        "solver": [StrOptions({"auto", "dense", "stored", "tiled", "lowrank"})],
        "inverse_method": [StrOptions({"ridge", "auto", "exact", "fixed-point", "distances"})],
        "rank": [Interval(Integral, 1, None, closed="left"), None],
        "tolerance": [Interval(Real, 0, 1, closed="neither"), None],
        "landmarks": [StrOptions({"pivoted", "uniform", "kmeans"}), "array-like"],
        "max_rank": [Interval(Integral, 1, None, closed="left"), None],
        "memory": [Interval(Integral, 1, None, closed="left"), str, None],
        "progress": [callable, "boolean", None],
    }

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
        solver="auto",
        inverse_method="ridge",
        rank=None,
        tolerance=None,
        landmarks="pivoted",
        max_rank=None,
        memory=None,
        progress=None,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.solver = solver
        self.inverse_method = inverse_method
        self.rank = rank
        self.tolerance = tolerance
        self.landmarks = landmarks
        self.max_rank = max_rank
        self.memory = memory
        self.progress = progress

    # Fitting.

    def fit(self, X, y=None):
        """Fit the model from X, an array, a data frame or a CSR matrix of samples (or a kernel matrix)."""
        X = self._check_fit_input(X, copy=self.copy_X)
        if self.fit_inverse_transform and is_precomputed(self.kernel):
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        with self._run(fitting=True) as run:
            self._take(self._fit_model(X, run), X)
            if self.fit_inverse_transform:
                self._learn_the_way_back(run)
        return self

    def fit_transform(self, X, y=None):
        """Fit the model from X and give the scores of X, which the fit has found already."""
        return widened(self.fit(X)._model.scores(), self._kept, self._n_features_out)

    @available_if(_streams)
    def partial_fit(self, X, y=None):
        """Take in more points (solver='lowrank'); the first call is a fit."""
        if self._model is None:
            return self.fit(X)
        X = self._check_input(X)
        with self._run(fitting=True) as run:
            self._take(self._model.update(X, max_rank=self.max_rank or 0, run=run))
            if self.fit_inverse_transform:
                self._learn_the_way_back(run)
        return self

    def _kernel_for(self, n_features):
        return make_kernel(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0,
                           kernel_params=self.kernel_params, n_features=n_features)

    def _fit_arguments(self, X):
        """What the library's fit and plan take."""
        _refuse_landmarks_of_exact_solvers(self)
        n = X.shape[0]
        components = n if self.n_components is None else self.n_components
        whole = isinstance(components, Integral)
        arguments = dict(
            kernel=self._kernel_for(X.shape[1]),
            components=min(n, int(components)) if whole else float(components),
            route="lowrank" if _approximates(self) else self.solver if self.solver != "auto" else _ROUTES[self.eigen_solver],
            residual=float(self.tol),
            indefinite="asked",
        )
        if _approximates(self):
            chosen = self.landmarks if isinstance(self.landmarks, str) else [int(i) for i in self.landmarks]
            arguments.update(landmarks=chosen, rank=self.rank or 0, tolerance=self.tolerance or 0.0)
        return arguments

    def _fit_model(self, X, run):
        arguments = self._fit_arguments(X)
        if is_precomputed(self.kernel):
            X = _symmetric(X)
        try:
            model = _mercer.fit_kernel_pca(X, columns=self._columns(), run=run, **arguments)
        except _mercer.NotPositiveSemidefiniteError as error:
            if "the smallest eigenvalue is" not in str(error):  # it was refused before there were any
                raise
            raise _mercer.NotPositiveSemidefiniteError(f"There are significant negative eigenvalues: {error}") from None
        if self.eigen_solver == "randomized" and self.solver == "auto" and is_precomputed(self.kernel):
            refuse_larger_negative(model.report, arguments["components"])
        return model

    def _plan(self, X):
        X = self._check_unfitted(X)
        with self._run() as run:
            return _mercer.plan_kernel_pca(X, run=run, **self._fit_arguments(X))

    def _take(self, model, X=None):
        """The fitted attributes, from the model; X where the model does not keep it."""
        report = model.report
        found = report.gram_eigenvalues.astype(model.dtype)
        values = eigenvalues_as_sklearn(found)
        kept = int(np.count_nonzero(values))
        filled = isinstance(self.n_components, Integral) and not self.remove_zero_eig
        width = min(report.n, int(self.n_components)) if filled else kept
        self._model = model
        self._kept = kept
        self._back = None
        self.eigenvalues_ = np.zeros(width, dtype=model.dtype)
        self.eigenvalues_[:kept] = values[:kept]
        self._set_or_leave_out("eigenvectors_", self._vectors(model, kept), lambda found: completed(found, width))
        self.residuals_ = np.full(width, np.nan)
        self.residuals_[:kept] = report.residuals[:kept]
        self.explained_variance_ = self.eigenvalues_ / report.n
        self.explained_variance_ratio_ = self._shares(report)
        self.kernel_ = model.kernel
        self.gamma_ = gamma_in(model.kernel)
        if self.gamma_ is None and not isinstance(self.gamma, str):
            self.gamma_ = gamma_of(self.kernel, self.gamma, self.n_features_in_)
        self.X_fit_ = model.points if X is None or _approximates(self) else X

    def _shares(self, report):
        """Of the trace, or of the positive eigenvalues where there are negative ones, as the engine has it."""
        whole, ratios = report.trace, report.explained_variance_ratio
        if ratios.size and ratios[0] > 0:
            whole = report.gram_eigenvalues[0] / ratios[0]
        if whole > report.trace * (1 + 1e-5):
            warn(f"{report.kernel} is not positive semidefinite on this data: components of positive eigenvalues are kept, and "
                 "explained_variance_ratio_ is of the sum of the positive ones, as far as it is known")
        return self.eigenvalues_ / (whole if whole > 0 else 1)

    @staticmethod
    def _vectors(model, kept):
        """Eigenvectors of the training points: v = α√θ, or from the scores where α belongs to landmarks."""
        root = np.sqrt(model.report.gram_eigenvalues[:kept]).astype(model.dtype)
        if not model.landmarks:
            vectors = model.alpha[:, :kept]  # a copy that is ours
            vectors *= root
            return vectors
        try:
            return model.scores()[:, :kept] / root
        except ValueError:  # points that came in passes: their scores are not kept
            return None

    def _set_or_leave_out(self, name, found, make):
        """The attribute make(found); without a find there is none, nor one of an earlier fit."""
        if found is not None:
            setattr(self, name, make(found))
        elif hasattr(self, name):
            delattr(self, name)

    # Using.

    def transform(self, X):
        """Scores of new points (precomputed: of the rows of kernel values against the training points)."""
        X = self._check_input(X)
        with self._run() as run:
            return widened(self._model.transform(X, run), self._kept, self._n_features_out)

    def inverse_transform(self, X):
        """Points of the input space whose scores come near X."""
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError("The fit_inverse_transform parameter was not set to True when instantiating and "
                                 "hence the inverse transform is not available.")
        scores = check_array(X, dtype=DTYPES)
        if scores.shape[1] != self._n_features_out:
            raise ValueError(f"X has {scores.shape[1]} columns, but the model has {self._n_features_out} components")
        with self._run() as run:
            return self._way_back(run).find(scores[:, : self._kept], run=run)[0]

    @available_if(_knows_points)
    def score(self, X, y=None):
        """The negative mean squared distance of X from the pre-images of its scores; higher is better."""
        X = self._check_input(X)
        with self._run() as run:
            scores = self._model.transform(X, run)
            points = self._way_back(run).find(scores[:, : self._kept], run=run)[0]
        dense = X.toarray() if hasattr(X, "toarray") else X
        return -float(np.mean(np.sum(np.square(np.subtract(dense, points, dtype=np.float64)), axis=1)))

    def _way_back(self, run):
        if self._back is None:
            self._back = self._make_the_way_back(run)
        return self._back

    def _make_the_way_back(self, run):
        if self.alpha != 0:
            chosen = self.alpha in ("auto", None)  # by the library, which is its 0
            return _mercer.preimage(self._model, self.inverse_method, 0.0 if chosen else float(self.alpha), run)
        # No ridge, but for what keeps rounding in check where the matrix is singular: small beside its diagonal.
        some = self._model.kernel(self._model.transform(self._model.points[:50], run))
        ridge = 1e-11 * float(np.abs(some).max() or 1)
        for _ in range(3):
            try:
                return _mercer.preimage(self._model, self.inverse_method, ridge, run)
            except _mercer.NotPositiveSemidefiniteError:
                ridge *= 100
        return _mercer.preimage(self._model, self.inverse_method, ridge, run)

    def _learn_the_way_back(self, run):
        """scikit-learn's attributes of the inverse, those of the ridge where that is the method."""
        back = self._way_back(run)
        if back.method == "ridge":
            self.dual_coef_ = back.ridge_coefficients
            self._set_or_leave_out("X_transformed_fit_", getattr(self, "eigenvectors_", None),
                                   lambda vectors: vectors * np.sqrt(self.eigenvalues_))

    # Files, pickling, tags.

    @classmethod
    def _params_of(cls, model):
        lowrank = {"solver": "lowrank"} if model.landmarks else {}
        # As ``mercer inverse`` has it: files do not tell how the way back was asked for.
        back = {} if model.kernel.is_precomputed else {"fit_inverse_transform": True, "inverse_method": "auto", "alpha": "auto"}
        return {"n_components": model.components or None, "kernel": model.kernel, **lowrank, **back}

    def _user_kernels(self):
        return user_kernels(self.kernel, self.kernel_params)

    def __getstate__(self):
        state = super().__getstate__()
        if self._model is not None:
            state["_back"] = None  # found again when it is needed
            del state["kernel_"]  # the model has it, and the points
            if not is_precomputed(self.kernel):
                del state["X_fit_"]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if self._model is None:
            return
        self.kernel_ = self._model.kernel
        if not is_precomputed(self.kernel):
            self.X_fit_ = self._model.points

    def _is_pairwise(self):
        return is_precomputed(self.kernel)

    @property
    def _n_features_out(self):
        return self.eigenvalues_.shape[0]


def _symmetric(K):
    """(K + Kᵀ)/2; centring before or after gives the same eigenpairs."""
    if K.shape[0] != K.shape[1]:
        return K  # the library says what is wrong
    if hasattr(K, "toarray"):
        return (K + K.T) * 0.5
    return K if np.array_equal(K, K.T) else (K + K.T) * K.dtype.type(0.5)
