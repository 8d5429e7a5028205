"""Laplacian eigenmaps and diffusion maps."""
from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._manifold import NEIGHBORS, GraphEstimator
from ._parameters import COUNT, RUNNING, SCALE, TOLERANCE


class _LaplacianEstimator(GraphEstimator):
    _method = "laplacian"
    _function = "laplacian"

    @classmethod
    def _reads(cls, model):
        return model.method == "laplacian" and model.is_diffusion == cls._is_diffusion

    def _take(self, model):
        super()._take(model)
        self.eigenvalues_ = model.report.gram_eigenvalues
        self.heat_ = model.heat


class LaplacianEigenmaps(_LaplacianEstimator):
    """Laplacian eigenmaps, which scikit-learn calls SpectralEmbedding: linked points come to lie near each other.

    The map is that of ``SpectralEmbedding(affinity="precomputed")`` on the matrix of links; with ``affinity="nearest_neighbors"``
    scikit-learn counts each point as its own neighbour and halves links that only one of two points has.

    Parameters
    ----------
    n_components : int, default=2
    n_neighbors : int or None
        None: 12, or all where there are fewer.
    laplacian : {'symmetric', 'unnormalized', 'random-walk'}, default='symmetric'
        'symmetric' scales the map as scikit-learn does.
    weights : {'ones', 'heat'}, default='ones'
        Of a link where one of two points is a neighbour of the other: 1, or exp(-|x-y|²/heat).
    heat : float or None
        None: the mean squared length of the links.
    tol, radius, neighbors_algorithm, pieces, scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    eigenvalues_ : ndarray of shape (n_components,)
        Of the Laplacian beyond its constant vector, ascending.
    heat_ : float
        That was used, with heat weights.
    trustworthiness_, continuity_, neighbor_preservation_, stress_, rows_, graph_report_, report_
        As in Isomap.

    Examples
    --------
    >>> import mercer
    >>> X, t, _ = mercer.generate("swiss-roll", 600)
    >>> maps = mercer.LaplacianEigenmaps(n_components=2, n_neighbors=10)
    >>> maps.fit_transform(X).shape
    (600, 2)
    >>> bool(0 < maps.eigenvalues_[0] < maps.eigenvalues_[1])
    True
    """

    _is_diffusion = False
    _parameter_constraints = {
        **NEIGHBORS, **COUNT, **TOLERANCE, **SCALE, **RUNNING,
        "laplacian": [StrOptions({"symmetric", "unnormalized", "random-walk"})],
        "weights": [StrOptions({"ones", "heat"})],
        "heat": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, n_components=2, *, n_neighbors=None, laplacian="symmetric", weights="ones", heat=None, tol=0,
                 radius=None, neighbors_algorithm="auto", pieces="bridge", scale="none", random_state=None, n_jobs=None,
                 memory=None, progress=None):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.laplacian = laplacian
        self.weights = weights
        self.heat = heat
        self.tol = tol
        self.radius = radius
        self.neighbors_algorithm = neighbors_algorithm
        self.pieces = pieces
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        return dict(components=int(self.n_components), laplacian=self.laplacian, weights=self.weights,
                    heat=float(self.heat or 0), residual=float(self.tol), scale=self.scale, **self._neighbors(X))

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "laplacian": model.laplacian, "weights": model.weights}


class DiffusionMap(_LaplacianEstimator):
    """A diffusion map: distances in it are those of random walks along the data.

    Parameters
    ----------
    n_components : int, default=2
    time : float, default=1
        How long the walk takes: each coordinate is multiplied by its eigenvalue to this power.
    alpha : float, default=1
        The power of the density that is divided out; 1: the map does not depend on how densely points were drawn.
    n_neighbors, heat, tol, radius, neighbors_algorithm, pieces, scale, random_state, n_jobs, memory, progress
        As in LaplacianEigenmaps; the weights are heat weights.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of the walk, descending.
    embedding_, heat_, trustworthiness_, continuity_, neighbor_preservation_, stress_, rows_, graph_report_, report_
        As in LaplacianEigenmaps.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate("swiss-roll", 600)
    >>> mercer.DiffusionMap(n_components=3, time=2).fit_transform(X).shape
    (600, 3)
    """

    _is_diffusion = True
    _parameter_constraints = {
        **NEIGHBORS, **COUNT, **TOLERANCE, **SCALE, **RUNNING,
        "time": [Interval(Real, 0, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "heat": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, n_components=2, *, time=1.0, alpha=1.0, n_neighbors=None, heat=None, tol=0, radius=None,
                 neighbors_algorithm="auto", pieces="bridge", scale="none", random_state=None, n_jobs=None, memory=None,
                 progress=None):
        self.n_components = n_components
        self.time = time
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.heat = heat
        self.tol = tol
        self.radius = radius
        self.neighbors_algorithm = neighbors_algorithm
        self.pieces = pieces
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        return dict(components=int(self.n_components), diffusion=True, diffusion_time=float(self.time),
                    density_power=float(self.alpha), heat=float(self.heat or 0), residual=float(self.tol),
                    scale=self.scale, **self._neighbors(X))

    @classmethod
    def _params_of(cls, model):
        return {"n_components": model.components, "time": model.time, "alpha": model.density_power}
