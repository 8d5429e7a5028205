"""scikit-learn's own tests of KernelPCA, unchanged, with our class in place of theirs."""
import importlib.util
import pathlib
from unittest import mock

import sklearn.decomposition

import mercer


def _their_tests():
    path = pathlib.Path(sklearn.decomposition.__file__).parent / "tests" / "test_kernel_pca.py"
    spec = importlib.util.spec_from_file_location("their_tests_of_kernel_pca", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.decomposition, "KernelPCA", mercer.KernelPCA):
        spec.loader.exec_module(module)
    return module


_theirs = _their_tests()
globals().update({name: value for name, value in vars(_theirs).items() if name.startswith("test_")})


def test_it_is_our_class_that_is_tested():
    assert _theirs.KernelPCA is mercer.KernelPCA
    assert sklearn.decomposition.KernelPCA is not mercer.KernelPCA
    assert sum(name.startswith("test_kernel_pca") for name in vars(_theirs)) >= 10
