"""Model files: which estimator reads which."""
import importlib
import os

from . import _mercer

# The method as model files name it -> the module and the class. A new estimator adds its line.
_ESTIMATORS = {"kpca": ("_kernel_pca", "KernelPCA"), "pca": ("_pca", "PCA")}


def load(path):
    """The estimator that a model file holds, whether Python or the command line (``--model``) wrote it."""
    model = _mercer.load_model(os.fspath(path))
    if model.method not in _ESTIMATORS:
        raise ValueError(f"{path} holds a model of the method '{model.method}', which has no estimator here")
    module, name = _ESTIMATORS[model.method]
    return getattr(importlib.import_module(f".{module}", __package__), name)._from_model(model)
