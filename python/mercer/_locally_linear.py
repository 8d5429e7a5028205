"""Locally linear embedding, modified and Hessian LLE."""
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._manifold import NEIGHBORS, GraphEstimator
from ._parameters import COUNT, RUNNING, SCALE, TOLERANCE


class LocallyLinearEmbedding(GraphEstimator):
    """Locally linear embedding: a map that keeps each point's weights on its neighbours.

    The constructor of :class:`sklearn.manifold.LocallyLinearEmbedding` without its method 'ltsa', and the same map up
    to signs. ``eigen_solver`` and ``max_iter`` are accepted and not needed.

    Parameters
    ----------
    n_neighbors, n_components : int, default=5, 2
    reg : float, default=1e-3
        Of the local Gram matrices, times their trace.
    tol : float, default=0
        Residual of the eigenvectors; 0: as exact as the precision allows.
    method : {'standard', 'modified', 'hessian'}, default='standard'
        Modified LLE takes several weight vectors a neighbourhood; Hessian LLE needs
        n_neighbors > n_components (n_components + 3) / 2.
    hessian_tol, modified_tol : float
        As in scikit-learn.
    hessian_remainder : bool, default=True
        As scikit-learn has it; False: as Donoho and Grimes wrote it.
    radius, neighbors_algorithm, pieces, scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    reconstruction_error_ : float
        The sum of the eigenvalues, as in scikit-learn.
    eigenvalues_, trustworthiness_, continuity_, neighbor_preservation_, stress_, rows_, graph_report_, report_
        As in Isomap.

    Examples
    --------
    >>> import mercer
    >>> X, t, _ = mercer.generate("swiss-roll", 1000)
    >>> lle = mercer.LocallyLinearEmbedding(n_neighbors=8, n_components=2, method="hessian")
    >>> lle.fit_transform(X).shape
    (1000, 2)
    >>> bool(lle.trustworthiness_ > 0.99)
    True
    """

    _method = "lle"
    _model_class = "Lle"
    _function = "lle"
    _default_neighbors = 5
    _parameter_constraints = {
        **NEIGHBORS, **COUNT, **TOLERANCE, **SCALE, **RUNNING,
        "reg": [Interval(Real, 0, None, closed="left")],
        "eigen_solver": [StrOptions({"auto", "arpack", "dense"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"standard", "modified", "hessian"})],
        "hessian_tol": [Interval(Real, 0, None, closed="left")],
        "modified_tol": [Interval(Real, 0, None, closed="left")],
        "hessian_remainder": ["boolean"],
    }

    def __init__(self, *, n_neighbors=5, n_components=2, reg=1e-3, eigen_solver="auto", tol=0, max_iter=100,
                 method="standard", hessian_tol=1e-4, modified_tol=1e-12, neighbors_algorithm="auto", random_state=None,
                 n_jobs=None, hessian_remainder=True, radius=None, pieces="bridge", scale="none", memory=None, progress=None):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.hessian_remainder = hessian_remainder
        self.radius = radius
        self.pieces = pieces
        self.scale = scale
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        return dict(components=int(self.n_components), variant=self.method, regularization=float(self.reg),
                    hessian_tolerance=float(self.hessian_tol), modified_tolerance=float(self.modified_tol),
                    hessian_remainder=bool(self.hessian_remainder), residual=float(self.tol), scale=self.scale,
                    **self._neighbors(X))

    def _take(self, model):
        super()._take(model)
        self.eigenvalues_ = model.report.gram_eigenvalues
        self.reconstruction_error_ = float(self.eigenvalues_.sum())

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "method": model.variant}
