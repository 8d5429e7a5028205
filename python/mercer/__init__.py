"""Kernel PCA and its family: fast, exact, certified; scikit-learn's manners.

>>> import mercer
>>> from sklearn.datasets import load_iris
>>> kpca = mercer.KernelPCA(2, kernel="rbf", gamma=0.1)
>>> kpca.fit_transform(load_iris().data).shape
(150, 2)
"""
import importlib as _importlib

from ._mercer import (
    Kernel,
    NotConvergedError,
    NotPositiveSemidefiniteError,
    Plan,
    Report,
    __version__,
    additive_chi2,
    chi2,
    cosine,
    expression,
    laplacian,
    linear,
    matern32,
    matern52,
    polynomial,
    precomputed,
    rational_quadratic,
    rbf,
    rbf_sigma,
    sigmoid,
)

# Where the rest lives. It is imported when it is first asked for: scikit-learn takes half a second to import, and
# those who only want kernels or to read a file need not wait for it.
_WHERE = {
    "KernelPCA": "_kernel_pca",
    "PCA": "_pca",
    "function": "_kernel_choice",
    "load": "_files",
}

__all__ = [
    "Kernel", "NotConvergedError", "NotPositiveSemidefiniteError", "Plan", "Report", "additive_chi2", "chi2", "cosine", "expression",
    "laplacian", "linear", "matern32", "matern52", "polynomial", "precomputed", "rational_quadratic", "rbf",
    "rbf_sigma", "sigmoid", *_WHERE,
]


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_WHERE})
