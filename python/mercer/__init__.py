"""Kernel PCA and its family: fast, exact, certified; scikit-learn's manners.

>>> import mercer
>>> from sklearn.datasets import load_iris
>>> kpca = mercer.KernelPCA(2, kernel="rbf", gamma=0.1)
>>> kpca.fit_transform(load_iris().data).shape
(150, 2)
"""
import importlib as _importlib

from ._mercer import (
    Basis,
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
    sparse_tensor,
)

# Where the rest lives. It is imported when it is first asked for: scikit-learn takes half a second to import, and
# those who only want kernels or to read a file need not wait for it.
_WHERE = {
    "BasisPCA": "_basis_pca",
    "CP": "_tensor",
    "DiffusionMap": "_laplacian",
    "FeatureMap": "_basis_pca",
    "Isomap": "_manifold",
    "KernelLDA": "_discriminant",
    "KernelPCA": "_kernel_pca",
    "LDA": "_discriminant",
    "LaplacianEigenmaps": "_laplacian",
    "LocallyLinearEmbedding": "_locally_linear",
    "MaximumVarianceUnfolding": "_unfolding",
    "MissingPCA": "_missing_pca",
    "NeighborGraph": "_graph",
    "PCA": "_pca",
    "RandomFeaturePCA": "_random_feature_pca",
    "SVD2D": "_tensor",
    "TSNE": "_tsne",
    "TensorKernelPCA": "_tensor",
    "Tucker": "_tensor",
    "check_kernel": "_studies",
    "compare": "_studies",
    "function": "_kernel_choice",
    "generate": "_data",
    "generate_tensor": "_data",
    "generators": "_data",
    "load": "_files",
    "read": "_data",
    "read_tensor": "_data",
    "tune": "_studies",
    "write": "_data",
    "write_tensor": "_data",
}

__all__ = [
    "Basis", "Kernel", "NotConvergedError", "NotPositiveSemidefiniteError", "Plan", "Report", "additive_chi2", "chi2",
    "cosine", "expression",
    "laplacian", "linear", "matern32", "matern52", "polynomial", "precomputed", "rational_quadratic", "rbf",
    "rbf_sigma", "sigmoid", "sparse_tensor", *_WHERE,
]


def __getattr__(name):
    if name not in _WHERE:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    value = getattr(_importlib.import_module(f".{_WHERE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_WHERE})
