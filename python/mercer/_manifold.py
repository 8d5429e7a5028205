"""What the methods on a neighbourhood graph share, and Isomap."""
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from ._base import TableTransformer
from ._graph import SEARCHES
from ._parameters import COUNT, RUNNING, SCALE, TOLERANCE
from ._running import warn

NEIGHBORS = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    "radius": [Interval(Real, 0, None, closed="neither"), None],
    "neighbors_algorithm": [StrOptions(set(SEARCHES))],
    "pieces": [StrOptions({"error", "largest", "bridge"})],
}


class ManifoldEstimator(TableTransformer):
    """A map of the points: embedding_, its quality, and a place in it for new points."""

    _fit_input = {"ensure_min_samples": 2, "copy": True}  # the model keeps the points

    def fit_transform(self, X, y=None):
        """Map the rows of X and give the map. Rows that are left out of it are NaN."""
        return self.fit(X).embedding_

    def _take(self, model):
        self._model = model
        self.rows_ = np.array(model.rows)
        found = model.report.embedding
        left_out = found["graph"]["left_out"] if found["graph"] else 0
        self.embedding_ = model.scores()
        if left_out:
            self.embedding_ = np.full((len(self.rows_) + left_out, model.components), np.nan, dtype=model.dtype)
            self.embedding_[self.rows_] = model.scores()
        quality = found["quality"] or {}
        self.trustworthiness_ = quality.get("trustworthiness")
        self.continuity_ = quality.get("continuity")
        self.neighbor_preservation_ = quality.get("preservation")
        self.stress_ = quality.get("stress")


class GraphEstimator(ManifoldEstimator):
    """A map of the points' neighbourhood graph."""

    _default_neighbors = 12

    def fit(self, X, y=None, *, graph=None):
        """Map the rows of X; `graph`: their NeighborGraph, where there is one already."""
        if not (graph is None or hasattr(graph, "_graph")):
            raise TypeError(f"graph={graph!r}: give a mercer.NeighborGraph")
        self._fit(X, graph=None if graph is None else graph._graph)
        found = self.graph_report_
        if found["pieces"] > 1:
            done = f"{found['left_out']} points are left out" if found["left_out"] else "they were joined by the shortest links"
            warn(f"the graph of neighbours falls into {found['pieces']} pieces, and {done}; more neighbours may help")
        return self

    def fit_transform(self, X, y=None, *, graph=None):
        """Map the rows of X and give the map. Rows that are left out of it are NaN."""
        return self.fit(X, graph=graph).embedding_

    def _neighbors(self, X):
        """What the library's graph takes. No number given: the method's usual one, or as many as there are."""
        count = self.n_neighbors or min(self._default_neighbors, X.shape[0] - 1)
        return dict(neighbors=int(count), radius=float(self.radius or 0), search=SEARCHES[self.neighbors_algorithm],
                    pieces=self.pieces)

    def _take(self, model):
        super()._take(model)
        self.graph_report_ = model.report.embedding["graph"]


class Isomap(GraphEstimator):
    """Isomap: a map that keeps the lengths of paths along the data.

    The constructor of :class:`sklearn.manifold.Isomap`, and the same map up to signs where the graph is connected.
    ``eigen_solver``, ``max_iter`` and ``path_method`` are accepted and not needed.

    Parameters
    ----------
    n_neighbors, radius : int, float
        Of the graph: so many of each point (5 unless told), or all within the radius, with n_neighbors=None.
    n_components : int, default=2
    tol : float, default=0
        Residual of the eigenvectors relative to the largest eigenvalue; 0: 1e-10, or 1e-5 in single precision.
    neighbors_algorithm : {'auto', 'brute', 'kd_tree', 'ball_tree', 'hnsw'}, default='auto'
        'hnsw' is approximate, with the recall measured; 'ball_tree' is served by the k-d tree.
    metric, p : 'minkowski' or 'euclidean', 2
        The distance is Euclidean.
    pieces : {'bridge', 'largest', 'error'}, default='bridge'
        Of a graph that falls apart: join them, keep the largest, or refuse.
    landmarks : int or None
        Paths from so many points alone, for many points.
    scale : {'none', 'center', 'standardize'}, default='none'
        Of the inputs; remembered for new points.
    random_state, n_jobs, memory, progress
        As in KernelPCA.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
    residual_variance_ : float
        1 - R² of path lengths and distances in the map.
    trustworthiness_, continuity_, neighbor_preservation_, stress_ : float
        How faithful the map is.
    rows_, graph_report_, report_
        Which rows are in the map; what the graph is like; all that the fit found.

    Examples
    --------
    >>> import mercer
    >>> X, t, _ = mercer.generate("swiss-roll", 1000)
    >>> isomap = mercer.Isomap(n_neighbors=8, n_components=2)
    >>> isomap.fit_transform(X).shape
    (1000, 2)
    >>> bool(isomap.trustworthiness_ > 0.99 and isomap.residual_variance_ < 0.01)
    True
    >>> isomap.transform(X[:3]).shape
    (3, 2)
    """

    _method = "isomap"
    _function = "isomap"
    _default_neighbors = 5
    _parameter_constraints = {
        **NEIGHBORS, **COUNT, **TOLERANCE, **SCALE, **RUNNING,
        "eigen_solver": [StrOptions({"auto", "arpack", "dense"})],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "path_method": [StrOptions({"auto", "FW", "D"})],
        "metric": [StrOptions({"minkowski", "euclidean"})],
        "p": [Options(Real, {2})],
        "landmarks": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, *, n_neighbors=5, radius=None, n_components=2, eigen_solver="auto", tol=0, max_iter=None,
                 path_method="auto", neighbors_algorithm="auto", n_jobs=None, metric="minkowski", p=2, pieces="bridge",
                 landmarks=None, scale="none", random_state=None, memory=None, progress=None):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.pieces = pieces
        self.landmarks = landmarks
        self.scale = scale
        self.random_state = random_state
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        if self.n_neighbors is not None and self.radius is not None:
            raise ValueError("Both n_neighbors and radius are provided: use Isomap(radius=..., n_neighbors=None) for a radius")
        return dict(components=int(self.n_components), landmarks=int(self.landmarks or 0), residual=float(self.tol),
                    scale=self.scale, **self._neighbors(X))

    def _take(self, model):
        super()._take(model)
        self.eigenvalues_ = model.report.gram_eigenvalues
        self.residual_variance_ = model.report.embedding["residual_variance"]
