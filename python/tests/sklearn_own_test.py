"""scikit-learn's own tests, unchanged, with our classes in place of theirs: of KernelPCA all, of PCA all but those of what
we do in another way on purpose."""
import importlib.util
import pathlib
from unittest import mock

import sklearn.decomposition

import mercer

# Each for a reason: 'mle' is not there; sparse rows are taken, arpack takes all components, and what is said of a wrong
# number of components has other words; no components at all are none; a share is reached when it is equalled.
PCA_DIFFERS = {
    "test_n_components_mle", "test_n_components_mle_error", "test_pca_dim", "test_mle_redundant_data",
    "test_fit_mle_too_few_samples", "test_mle_simple_case", "test_pca_sparse_input", "test_n_components_none",
    "test_pca_validation", "test_pca_score3", "test_pca_n_components_mostly_explained_variance_ratio",
}


def _their_tests(file, name):
    path = pathlib.Path(sklearn.decomposition.__file__).parent / "tests" / file
    spec = importlib.util.spec_from_file_location(f"their_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.decomposition, name, getattr(mercer, name)):
        spec.loader.exec_module(module)
    return module


def _tests_of(module):
    return {name: value for name, value in vars(module).items() if name.startswith("test_")}


_kernel_pca, _pca = _their_tests("test_kernel_pca.py", "KernelPCA"), _their_tests("test_pca.py", "PCA")
globals().update(_tests_of(_kernel_pca))
globals().update({name: test for name, test in _tests_of(_pca).items() if name not in PCA_DIFFERS})


def test_they_are_our_classes_that_are_tested():
    assert _kernel_pca.KernelPCA is mercer.KernelPCA and sklearn.decomposition.KernelPCA is not mercer.KernelPCA
    assert _pca.PCA is mercer.PCA and sklearn.decomposition.PCA is not mercer.PCA
    assert len(_tests_of(_kernel_pca)) >= 20 and len(_tests_of(_pca)) >= 30
    assert not _tests_of(_kernel_pca).keys() & _tests_of(_pca).keys(), "one would hide the other"
    assert PCA_DIFFERS <= _tests_of(_pca).keys()
