"""Kernel PCA on random features."""
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from . import _mercer
from ._base import TableTransformer
from ._kernel_choice import gamma_in, make_kernel
from ._parameters import COUNT_OR_SHARE, RUNNING, SCALE, TOLERANCE


class RandomFeaturePCA(TableTransformer):
    """Kernel PCA on random cosines and sines that stand for the kernel: for very many points, without a certificate.

    Memory and time are those of PCA with n_features_map columns, however many points there are. The report says how far
    the features were from the kernel.

    Parameters
    ----------
    n_components : int or float in (0, 1), default=2
    kernel : str or mercer.Kernel, default='rbf'
        rbf, laplacian, matern32, matern52, rational_quadratic, and positive multiples, sums and products of these.
    gamma : float, 'median', 'auto' or None, default='median'
        Of 'rbf' and 'laplacian'; None is 1/n_features.
    n_features_map : int, default=1024
        How many random features; an even number. The error falls as one over its root.
    orthogonal : bool, default=True
        Orthogonal directions have less variance.
    center : bool, default=True
        In feature space.
    tol, scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    eigenvalues_, explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
    kernel_ : mercer.Kernel
    gamma_ : float or None
    kernel_rms_error_ : float
        Of z(x)·z(y) - k(x, y) over pairs of training points.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate("circles", 1000)
    >>> rff = mercer.RandomFeaturePCA(2, gamma=1.0, n_features_map=512)
    >>> rff.fit_transform(X).shape
    (1000, 2)
    >>> rff.kernel_rms_error_ < 0.1
    True
    """

    _method = "kpca"
    _model_class = "RandomFeaturePca"
    _function = "random_feature_pca"
    _parameter_constraints = {
        "kernel": [str, _mercer.Kernel],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"median", "auto"}), None],
        "n_features_map": [Interval(Integral, 2, None, closed="left")],
        "orthogonal": ["boolean"],
        "center": ["boolean"],
        **COUNT_OR_SHARE, **TOLERANCE, **SCALE, **RUNNING,
    }

    def __init__(self, n_components=2, *, kernel="rbf", gamma="median", n_features_map=1024, orthogonal=True, center=True,
                 tol=0, scale="none", random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.n_features_map = n_features_map
        self.orthogonal = orthogonal
        self.center = center
        self.tol = tol
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        count = int(self.n_components) if isinstance(self.n_components, Integral) else float(self.n_components)
        return dict(components=count, kernel=make_kernel(self.kernel, gamma=self.gamma, n_features=X.shape[1]),
                    features=int(self.n_features_map), orthogonal=bool(self.orthogonal), center=bool(self.center),
                    scale=self.scale, residual=float(self.tol))

    def _take(self, model):
        report = model.report
        self._model = model
        self.kernel_ = model.kernel
        self.gamma_ = gamma_in(model.kernel)
        self.eigenvalues_ = report.gram_eigenvalues
        self.explained_variance_ = report.variances
        self.explained_variance_ratio_ = report.explained_variance_ratio
        self.kernel_rms_error_ = report.features["kernel_rms_error"]

    @classmethod
    def _params_of(cls, model):
        found = model.report.features
        return {"n_components": model.components, "kernel": model.kernel, "n_features_map": found["count"],
                "orthogonal": found["orthogonal"], "center": model.report.centered}
