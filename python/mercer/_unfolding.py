"""Maximum variance unfolding."""
from numbers import Integral

from sklearn.utils._param_validation import Interval
from threadpoolctl import threadpool_limits

from ._manifold import NEIGHBORS, GraphEstimator
from ._parameters import COUNT, RUNNING, SCALE


class MaximumVarianceUnfolding(GraphEstimator):
    """Maximum variance unfolding: points move as far apart as the distances of neighbours let them.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int or None
        None: 6, or all where there are fewer.
    basis : int or None
        Eigenvectors of the graph's Laplacian on which the unfolding is sought; None: the whole semidefinite program
        for few points, as many as suit for more.
    radius, neighbors_algorithm, pieces, scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    isometry_error_, isometry_mean_ : float
        Relative change of neighbours' squared distances in the map: the largest and the mean.
    trustworthiness_, continuity_, neighbor_preservation_, stress_, rows_, graph_report_, report_
        As in Isomap.

    Examples
    --------
    >>> import mercer
    >>> X, t, _ = mercer.generate("s-curve", 100)
    >>> unfolding = mercer.MaximumVarianceUnfolding(n_components=2).fit(X)
    >>> unfolding.embedding_.shape, unfolding.isometry_mean_ < 0.4
    ((100, 2), True)
    """

    _method = "mvu"
    _function = "mvu"
    _default_neighbors = 6
    _parameter_constraints = {
        **NEIGHBORS, **COUNT, **SCALE, **RUNNING,
        "basis": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_components=2, *, n_neighbors=None, basis=None, radius=None, neighbors_algorithm="auto",
                 pieces="bridge", scale="none", random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.basis = basis
        self.radius = radius
        self.neighbors_algorithm = neighbors_algorithm
        self.pieces = pieces
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _fit(self, X, **given):
        # The semidefinite program is solved by DSDP, which shares NumPy's BLAS. Its matrices are small: threads only wait
        # for each other, and for long where the machine is busy.
        with threadpool_limits(1, user_api="blas"):
            return super()._fit(X, **given)

    def _arguments(self, X):
        return dict(components=int(self.n_components), basis=int(self.basis or 0), scale=self.scale, **self._neighbors(X))

    def _take(self, model):
        super()._take(model)
        found = model.report.embedding
        self.isometry_error_, self.isometry_mean_ = found["isometry_error"], found["isometry_mean"]
