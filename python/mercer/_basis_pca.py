"""PCA on basis functions, and the feature map by itself."""
import os
from numbers import Integral

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from . import _mercer
from ._base import MercerTransformer, TableTransformer, bytes_of_file, file_of_bytes
from ._parameters import COUNT_OR_SHARE, RUNNING, SCALE, TOLERANCE


def _basis(basis):
    return basis if isinstance(basis, _mercer.Basis) else _mercer.Basis(basis)


class BasisPCA(TableTransformer):
    """PCA on basis functions of the data; from the smallest end of the spectrum, relations that the data obeys.

    It equals kernel PCA with k(x, y) = φ(x)·φ(y), with the components in terms of the functions.

    Parameters
    ----------
    n_components : int or float in (0, 1), default=2
        A count, or the share of variance to reach.
    basis : mercer.Basis or str, default='poly(degree=2)'
        As the command line's --basis: poly, monomials, radial, cosines, fourier, or formulas such as 'x1^2, sin(x1)'.
    smallest : bool, default=False
        From the smallest end: n_components directions along which nothing varies.
    center : bool, default=True
        In feature space.
    tol : float, default=0
        Residual relative to the largest eigenvalue; 0: 1e-10.
    scale, random_state, n_jobs, memory, progress
        As in Isomap.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_functions)
        Orthonormal directions in terms of the basis functions.
    mean_ : ndarray of shape (n_functions,)
    eigenvalues_, explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components,)
    function_names_ : list of str
    directions_ : list of str
        Each component in words: the score as a function of the features, or the relation that holds.
    basis_ : mercer.Basis
        With what was taken from the data.

    Examples
    --------
    >>> import numpy as np, mercer
    >>> t = np.linspace(0, 6, 50)
    >>> circle = np.c_[1 + np.cos(t), 2 + np.sin(t)]
    >>> relation = mercer.BasisPCA(1, smallest=True, center=False).fit(circle)
    >>> relation.directions_[0].split(",")[0]
    'x1² + x2² − 2·x1 − 4·x2 + 4 = 0'
    """

    _method = "basis-pca"
    _function = "basis_pca"
    _parameter_constraints = {
        "basis": [str, _mercer.Basis],
        "smallest": ["boolean"],
        "center": ["boolean"],
        **COUNT_OR_SHARE, **TOLERANCE, **SCALE, **RUNNING,
    }

    @property
    def _fewer(self):
        return " functions" if self.smallest else super()._fewer

    def __init__(self, n_components=2, *, basis="poly(degree=2)", smallest=False, center=True, tol=0, scale="none",
                 random_state=None, n_jobs=None, memory=None, progress=None):
        self.n_components = n_components
        self.basis = basis
        self.smallest = smallest
        self.center = center
        self.tol = tol
        self.scale = scale
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def _arguments(self, X):
        whole = isinstance(self.n_components, Integral)
        count = int(self.n_components) if whole else float(self.n_components)
        if self.smallest and not whole:
            raise ValueError("smallest=True takes a count: n_components as a share is of the largest end")
        end = dict(smallest=count) if self.smallest else dict(components=count)
        return dict(basis=_basis(self.basis), center=bool(self.center), scale=self.scale, residual=float(self.tol), **end)

    def _take(self, model):
        report = model.report
        self._model = model
        self.basis_ = model.basis
        self.components_ = model.directions.T
        self.mean_ = model.mean
        self.eigenvalues_ = report.gram_eigenvalues
        self.explained_variance_ = report.variances
        self.explained_variance_ratio_ = report.explained_variance_ratio
        self.function_names_ = report.basis["names"]
        self.directions_ = report.basis["directions"]

    def __getstate__(self):
        state = super().__getstate__()
        state.pop("basis_", None)  # the model has it, with what was drawn
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if self._model is not None:
            self.basis_ = self._model.basis

    @classmethod
    def _params_of(cls, model):
        smallest = model.report.end == "smallest"
        return {"n_components": model.components, "basis": model.report.basis["basis"], "smallest": smallest,
                "center": model.report.centered}


class FeatureMap(MercerTransformer):
    """An explicit feature map: the values of basis functions, for whatever linear method comes next.

    Parameters
    ----------
    basis : mercer.Basis or str, default='poly(degree=2)'
        As in BasisPCA; 'fourier(count=500)' approximates an rbf kernel, 'radial(20)' are bumps at rows of the data.
    random_state, n_jobs, memory, progress
        As in KernelPCA.

    Attributes
    ----------
    basis_ : mercer.Basis
        With widths, centres and frequencies taken from the data.

    Examples
    --------
    >>> import mercer
    >>> phi = mercer.FeatureMap("monomials(degree=2)")
    >>> phi.fit_transform([[1.0, 2.0], [3.0, 4.0]])
    array([[ 1.,  1.,  2.,  1.,  2.,  4.],
           [ 1.,  3.,  4.,  9., 12., 16.]])
    >>> phi.get_feature_names_out(["a", "b"]).tolist()
    ['1', 'a', 'b', 'a²', 'a·b', 'b²']
    """

    _parameter_constraints = {"basis": [str, _mercer.Basis], **RUNNING}

    def __init__(self, basis="poly(degree=2)", *, random_state=None, n_jobs=None, memory=None, progress=None):
        self.basis = basis
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    def fit(self, X, y=None):
        """Take from X what the basis leaves open."""
        X = self._check_fit_input(X)
        with self._run(fitting=True) as run:
            self.basis_ = _basis(self.basis).resolved(X, run)
            self.basis_(X[:1], run)  # a feature that is not there is missed now
        self._sample = X[:100].copy()  # what a model file of the basis is made from
        return self

    def transform(self, X):
        """The functions of each row."""
        X = self._check_input(X)
        with self._run() as run:
            return self.basis_(X, run)

    def get_feature_names_out(self, input_features=None):
        """What each function is, in terms of the features' names."""
        check_is_fitted(self)
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", [])
        else:
            input_features = _check_feature_names_in(self, input_features)
        return np.asarray(self.basis_.names(self.n_features_in_, [str(f) for f in input_features]), dtype=object)

    # Files and pickling: what was drawn from the data is kept as a model file of the basis keeps it.

    def explain(self, X=None):
        """In words: the basis, and what was taken from the data."""
        check_is_fitted(self)
        return str(self.basis_)

    def save(self, path):
        """Writes a model file of the basis, a BasisPCA of a few of the samples; ``FeatureMap.load`` reads it.

        ``mercer.load`` takes such a file for the BasisPCA that it is.
        """
        check_is_fitted(self)
        self._container().save(os.fspath(path))

    @classmethod
    def _reads(cls, model):
        return model.method == "basis-pca"

    @classmethod
    def _params_of(cls, model):
        return {"basis": model.report.basis["basis"]}

    def _take(self, model):
        self.basis_ = model.basis
        self._sample = model

    def _container(self):
        """A model that has the basis; one that was loaded is there already."""
        if not hasattr(self._sample, "shape"):
            return self._sample
        return _mercer.fit_basis_pca(self._sample, self._columns(), basis=self.basis_, components=1, center=False)

    def __getstate__(self):
        state = super().__getstate__()
        if hasattr(self, "basis_"):
            del state["_sample"]
            state["basis_"] = bytes_of_file(self._container().save)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "basis_" in state:
            self._take(file_of_bytes(state["basis_"], _mercer.load_model))
