"""t-SNE."""
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ._graph import SEARCHES
from ._manifold import ManifoldEstimator
from ._parameters import COUNT, RUNNING, SCALE

# scikit-learn's name where it has one -> the library's.
_GRADIENTS = {"auto": "automatic", "exact": "exact", "barnes_hut": "barnes-hut", "interpolation": "interpolation"}


class TSNE(ManifoldEstimator):
    """t-SNE: a map whose neighbourhoods match the data's.

    The names of :class:`sklearn.manifold.TSNE`, and what it lacks: new points join a finished map by ``transform``, and
    gradients by interpolation on a grid, whose cost is linear in the number of points.

    Parameters
    ----------
    n_components : int, default=2
        1, 2 or 3.
    perplexity : float, default=30
        About how many neighbours count.
    early_exaggeration : float, default=12
    learning_rate : float or 'auto', default='auto'
        Of a quarter of KL's gradient, as in scikit-learn; 'auto': n / early_exaggeration, at least 50.
    n_iter : int, default=1000
    init : {'pca', 'laplacian', 'random'} or array of shape (n_samples, n_components), default='pca'
        An array is a map to begin with, not scaled. To go on from a map that is there, give `early_exaggeration=1` too.
    method : {'auto', 'exact', 'barnes_hut', 'interpolation'}, default='auto'
    angle : float, default=0.5
        Of 'barnes_hut'.
    metric : 'euclidean'
    verbose : int, default=0
        Accepted and not needed: `progress` shows what is done.
    neighbors_algorithm, scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
    kl_divergence_ : float
        At the end.
    kl_history_ : list of float
        Every 50 iterations.
    trustworthiness_, continuity_, neighbor_preservation_, stress_, report_
        As in Isomap.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import mercer
    >>> X = load_iris().data
    >>> tsne = mercer.TSNE(n_components=2, perplexity=20)
    >>> tsne.fit_transform(X).shape
    (150, 2)
    >>> bool(tsne.trustworthiness_ > 0.95)
    True
    >>> tsne.transform(X[:3] + 0.01).shape
    (3, 2)
    """

    _method = "tsne"
    _function = "tsne"
    _parameter_constraints = {
        **COUNT, **SCALE, **RUNNING,
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "early_exaggeration": [Interval(Real, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"pca", "laplacian", "random"}), "array-like"],
        "method": [StrOptions(set(_GRADIENTS))],
        "angle": [Interval(Real, 0, 1, closed="both")],
        "neighbors_algorithm": [StrOptions(set(SEARCHES))],
        "metric": [StrOptions({"euclidean"})],
        "verbose": ["verbose"],
    }

    def __init__(self, n_components=2, *, perplexity=30.0, early_exaggeration=12.0, learning_rate="auto", n_iter=1000,
                 metric="euclidean", init="pca", verbose=0, random_state=None, method="auto", angle=0.5, n_jobs=None, neighbors_algorithm="auto",
                 scale="none", memory=None, progress=None):
        self.n_components = n_components
        self.perplexity = perplexity
        self.early_exaggeration = early_exaggeration
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.metric = metric
        self.init = init
        self.verbose = verbose
        self.random_state = random_state
        self.method = method
        self.angle = angle
        self.n_jobs = n_jobs
        self.neighbors_algorithm = neighbors_algorithm
        self.scale = scale
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        rate = 0.0 if self.learning_rate == "auto" else float(self.learning_rate)
        start = dict(start=self.init) if isinstance(self.init, str) else dict(initial=np.asarray(self.init, dtype=np.float64))
        return dict(components=int(self.n_components), perplexity=float(self.perplexity), iterations=int(self.n_iter),
                    exaggerated=min(250, int(self.n_iter) // 4), exaggeration=float(self.early_exaggeration),
                    learning_rate=rate, **start, gradient=_GRADIENTS[self.method], angle=float(self.angle),
                    search=SEARCHES[self.neighbors_algorithm], scale=self.scale)

    def _take(self, model):
        super()._take(model)
        found = model.report.embedding
        self.kl_divergence_, self.kl_history_ = found["kl_divergence"], found["kl_history"]
