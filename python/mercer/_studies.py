"""Questions about data that are no estimator: is this a kernel, which method, which kernel?"""
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from . import _mercer
from ._base import DTYPES
from ._graph import search_of
from ._kernel_choice import make_kernel
from ._running import bytes_of, seed_of, shown, threads_of


class MethodMap(NamedTuple):
    """What one method made of the points, or why it could not (then embedding is None)."""

    method: str
    title: str
    embedding: Optional[np.ndarray]
    rows: List[int]  # of the data, where some were left out; empty: all
    seconds: float
    quality: Optional[Dict[str, float]]  # trustworthiness, continuity, preservation, stress
    failure: Optional[str]


class Tuning(NamedTuple):
    """What ``tune`` found; the best trial first."""

    trials: List[Dict[str, Any]]  # kernel, width, error, spread, accuracy, alignment
    by: str
    components: int  # the advice
    swept_with: int
    rows: int
    folds: int
    advice: Dict[str, Any]  # by_share, by_parallel, by_knee, eigenvalues, permuted
    notes: List[str]

    @property
    def kernel(self):
        """The best one."""
        return self.trials[0]["kernel"]


def _samples(X, **options):
    return check_array(X, accept_sparse="csr", dtype=DTYPES, **options)


def _run(progress, random_state, n_jobs, memory):
    return _mercer.Run(threads=threads_of(n_jobs), seed=seed_of(random_state), memory=bytes_of(memory), progress=progress)


def check_kernel(kernel, X, *, random_state=None, n_jobs=None, memory=None, progress=None):
    """Mercer's verdict: is this function a kernel? Symmetric, and positive semidefinite on every data set.

    Parameters
    ----------
    kernel : mercer.Kernel, str or callable
    X : samples on which it is judged, where it is not known for good

    Returns
    -------
    KernelCheck
        True where it is a kernel; ``verdict`` is 'valid', 'valid-here', 'conditional' or 'invalid', with
        ``min_eigenvalue``, a ``witness`` c with cᵀKc < 0 where there is one, ``reasons`` and ``advice``. print() it.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate("circles", 100)
    >>> mercer.check_kernel(mercer.rbf(1.0), X).verdict
    'valid'
    >>> check = mercer.check_kernel("sigmoid(gamma=1, coef0=-1)", X)
    >>> bool(check), check.witness_value < 0
    (False, True)
    """
    X = _samples(X)
    with shown(progress) as show:
        return _mercer.check_kernel(make_kernel(kernel, n_features=X.shape[1]), X, _run(show, random_state, n_jobs, memory))


def compare(X, methods=None, *, n_components=2, n_neighbors=12, neighbors_algorithm="auto", pieces="error",
            kernel="rbf(gamma=median)", perplexity=None, scale="none", random_state=None, n_jobs=None, memory=None,
            progress=None):
    """The same points by several methods, timed and measured on one scale.

    `methods` are of pca, kpca, isomap, lle, mlle, hlle, laplacian, diffusion, mvu and tsne; None is all of them.

    >>> import mercer
    >>> X, _, _ = mercer.generate("s-curve", 600)
    >>> pca, isomap = mercer.compare(X, ["pca", "isomap"], n_neighbors=8)
    >>> isomap.title, isomap.embedding.shape
    ('Isomap', (600, 2))
    >>> isomap.quality["trustworthiness"] > pca.quality["trustworthiness"]
    True
    """
    X = _samples(X)
    if isinstance(methods, str):
        methods = [name.strip() for name in methods.split(",")]
    with shown(progress) as show:
        found = _mercer.compare(
            X, run=_run(show, random_state, n_jobs, memory), methods=list(methods or []), components=int(n_components),
            neighbors=int(n_neighbors), search=search_of("neighbors_algorithm", neighbors_algorithm), pieces=pieces,
            kernel=make_kernel(kernel, n_features=X.shape[1]), perplexity=float(perplexity or 0), scale=scale)
    return [MethodMap(**one) for one in found]


def tune(X, y=None, kernels=None, *, n_components=None, by="auto", folds=5, rows=600, permutations=20, share=0.9,
         scale="none", random_state=None, n_jobs=None, memory=None, progress=None):
    """Which kernel, which width, how many components, by cross-validation.

    Without classes by the error of pre-images of held-out points; with classes y by how many of these their neighbours
    get right, or by='alignment'. Widths that are left to a rule (gamma='median') are swept.

    >>> import mercer
    >>> X, y, _ = mercer.generate("circles", 200)
    >>> found = mercer.tune(X, y, kernels=[mercer.rbf("median"), mercer.linear()], n_components=1)
    >>> found.by, str(found.kernel).startswith("rbf")
    ('accuracy', True)
    """
    X = _samples(X)
    labels = [] if y is None else [str(v) for v in column_or_1d(y)]
    if labels and len(labels) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, and y has {len(labels)}")
    if isinstance(kernels, (str, _mercer.Kernel)):
        kernels = [kernels]
    chosen = [make_kernel(k, n_features=X.shape[1]) for k in kernels or []]
    with shown(progress) as show:
        found = _mercer.tune(X, labels, _run(show, random_state, n_jobs, memory), kernels=chosen,
                             components=int(n_components or 0), by=by, folds=int(folds), rows=int(rows),
                             permutations=int(permutations), share=float(share), scale=scale)
    return Tuning(**found)
