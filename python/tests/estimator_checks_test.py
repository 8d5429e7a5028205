"""scikit-learn's check_estimator for every estimator, for each kernel and solver of KernelPCA, and the checks beside it:
feature names, set_output, n_features_in_ and parameter validation."""
import inspect
from types import SimpleNamespace

import pytest
import sklearn.decomposition
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import estimator_checks as checks
from sklearn.utils.validation import check_array

import mercer
from mercer import _base

KERNELS = ["linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "precomputed", mercer.rbf(0.5) + mercer.linear()]
SOLVERS = [dict(eigen_solver=s) for s in ("auto", "dense", "arpack", "randomized")]
SOLVERS += [dict(solver=s) for s in ("dense", "stored", "tiled")]


def _lowrank(kernel):
    """The low-rank route is for kernels that are known to be positive semidefinite, of points."""
    return str(kernel) not in ("sigmoid", "precomputed")


def dot(x, y):
    return float(x @ y)


ESTIMATORS = [mercer.KernelPCA(2, kernel=k, **s) for k in KERNELS for s in SOLVERS]
ESTIMATORS += [mercer.KernelPCA(2, kernel=k, solver="lowrank") for k in KERNELS if _lowrank(k)]
ESTIMATORS += [
    mercer.PCA(2),
    mercer.PCA(0.5),
    *(mercer.PCA(2, svd_solver=s) for s in ("full", "arpack", "randomized")),
    mercer.PCA(2, whiten=True, center=False),
    mercer.KernelPCA(),
    mercer.KernelPCA(n_components=0.9, kernel="rbf"),
    mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
    mercer.KernelPCA(2, kernel="rbf", gamma="median", fit_inverse_transform=True, inverse_method="auto"),
    mercer.KernelPCA(2, kernel=dot),
]


@checks.parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


BESIDE = [
    checks.check_transformer_get_feature_names_out,
    checks.check_transformer_get_feature_names_out_pandas,
    checks.check_dataframe_column_names_consistency,
    checks.check_set_output_transform,
    checks.check_set_output_transform_pandas,
    checks.check_global_ouptut_transform_pandas,
    checks.check_n_features_in,
    checks.check_n_features_in_after_fitting,
    checks.check_param_validation,
]


@pytest.mark.parametrize("check", BESIDE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", [mercer.KernelPCA(2), mercer.KernelPCA(2, kernel="rbf", solver="lowrank"), mercer.PCA(2)], ids=str)
def test_checks_beside_them(estimator, check):
    check(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", [mercer.KernelPCA, mercer.PCA])
def test_tags_of_new_scikit_learn_say_the_same(estimator, monkeypatch):
    """From 1.6 on __sklearn_tags__ is asked. Where scikit-learn is older, its base classes get what they have there."""
    if not hasattr(BaseEstimator, "__sklearn_tags__"):
        nothing = lambda self: SimpleNamespace(input_tags=SimpleNamespace(pairwise=False, sparse=False), transformer_tags=None)

        def of_transformers(self):
            tags = super(TransformerMixin, self).__sklearn_tags__()
            tags.transformer_tags = SimpleNamespace(preserves_dtype=["float64"])
            return tags

        monkeypatch.setattr(BaseEstimator, "__sklearn_tags__", nothing, raising=False)
        monkeypatch.setattr(TransformerMixin, "__sklearn_tags__", of_transformers, raising=False)
    tags = estimator().__sklearn_tags__()
    assert tags.transformer_tags.preserves_dtype == ["float64", "float32"]
    assert tags.input_tags.sparse and not tags.input_tags.pairwise
    assert [t.__name__ for t in estimator()._more_tags()["preserves_dtype"]] == tags.transformer_tags.preserves_dtype


def test_our_tags_win_over_those_of_the_class_we_stand_in_for(monkeypatch):
    """scikit-learn's PCA has tags of its own from 1.6 on; it takes sparse rows with one solver alone."""
    of_theirs = SimpleNamespace(input_tags=SimpleNamespace(pairwise=True, sparse=False), transformer_tags=SimpleNamespace(preserves_dtype=[]))
    monkeypatch.setattr(sklearn.decomposition.PCA, "__sklearn_tags__", lambda self: of_theirs, raising=False)
    tags = mercer.PCA().__sklearn_tags__()
    assert tags.input_tags.sparse and not tags.input_tags.pairwise
    assert tags.transformer_tags.preserves_dtype == ["float64", "float32"]


def test_only_kernel_matrices_are_pairwise():
    for kernel in ("precomputed", mercer.precomputed()):
        assert mercer.KernelPCA(kernel=kernel)._more_tags()["pairwise"]
    assert not mercer.KernelPCA(kernel="rbf")._more_tags()["pairwise"]


def test_the_option_for_gaps_has_the_name_that_scikit_learn_gives_it():
    """force_all_finite before 1.6, ensure_all_finite from then on; 1.8 knows the second alone."""
    assert _base.FINITE in inspect.signature(check_array).parameters
    assert _base.finite_option(lambda X, *, ensure_all_finite=True: X) == "ensure_all_finite"
    assert _base.finite_option(lambda X, *, ensure_all_finite=True, force_all_finite="deprecated": X) == "ensure_all_finite"
    assert _base.finite_option(lambda X, *, force_all_finite=True: X) == "force_all_finite"
