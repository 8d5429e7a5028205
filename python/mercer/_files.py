"""Model files: which estimator reads which."""
import importlib
import os

from . import _mercer
from ._kernel_choice import named_kernels

# The method as model files name it -> the module and the class. A new estimator adds its line.
_ESTIMATORS = {
    "basis-pca": ("_basis_pca", "BasisPCA"),
    "cp": ("_tensor", "CP"),
    "hlle": ("_locally_linear", "LocallyLinearEmbedding"),
    "isomap": ("_manifold", "Isomap"),
    "klda": ("_discriminant", "KernelLDA"),
    "kpca": ("_kernel_pca", "KernelPCA"),
    "laplacian": ("_laplacian", "LaplacianEigenmaps"),
    "lda": ("_discriminant", "LDA"),
    "lle": ("_locally_linear", "LocallyLinearEmbedding"),
    "mvu": ("_unfolding", "MaximumVarianceUnfolding"),
    "pca": ("_pca", "PCA"),
    "svd2d": ("_tensor", "SVD2D"),
    "tensor-kpca": ("_tensor", "TensorKernelPCA"),
    "tsne": ("_tsne", "TSNE"),
    "tucker": ("_tensor", "Tucker"),
}


def load(path, kernels=None):
    """The estimator that a model file holds, whether Python or the command line (``--model``) wrote it.

    Files know a kernel that is a Python function by its name alone: ``kernels={name: function}`` has it, a function of
    two rows or what ``mercer.function`` made.
    """
    found = named_kernels(kernels)
    model = _mercer.load_model(os.fspath(path), found)
    from ._base import class_of_model  # scikit-learn with it: only where an estimator is wanted

    module, name = _special(model, class_of_model(model)) or _ESTIMATORS.get(model.method, (None, None))
    if module is None:
        raise ValueError(f"{path} holds a model of the method '{model.method}', which has no estimator here")
    return getattr(importlib.import_module(f".{module}", __package__), name)._from_model(model, found)


def _special(model, kind):
    """Where one method has several models."""
    if kind == "RandomFeaturePca":
        return "_random_feature_pca", "RandomFeaturePCA"
    if kind == "MissingPca":
        return "_missing_pca", "MissingPCA"
    if kind == "LaplacianEigenmaps" and model.is_diffusion:
        return "_laplacian", "DiffusionMap"
    return None
