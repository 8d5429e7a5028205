"""scikit-learn's check_estimator, and the checks beside it, for the estimators beyond KernelPCA and PCA."""
import pytest
from sklearn.utils import estimator_checks as checks

import mercer

ESTIMATORS = [
    mercer.Isomap(),
    mercer.Isomap(landmarks=8),
    mercer.LocallyLinearEmbedding(),
    mercer.LocallyLinearEmbedding(n_neighbors=7, method="modified"),
    mercer.LocallyLinearEmbedding(n_neighbors=7, method="hessian"),
    mercer.LaplacianEigenmaps(),
    mercer.LaplacianEigenmaps(laplacian="unnormalized", weights="heat"),
    mercer.DiffusionMap(),
    mercer.MaximumVarianceUnfolding(),
    mercer.TSNE(perplexity=3, n_iter=300),
    mercer.LDA(ridge=1e-3),
    mercer.KernelLDA(),
    mercer.KernelLDA(kernel="linear"),
    mercer.KernelLDA(solver="lowrank", rank=10),
    mercer.BasisPCA(),
    mercer.BasisPCA(1, smallest=True),
    mercer.BasisPCA(basis="radial(5)"),
    mercer.FeatureMap(),
    mercer.FeatureMap("fourier(count=10)"),
    mercer.RandomFeaturePCA(n_features_map=64),
    mercer.MissingPCA(1),
]


@checks.parametrize_with_checks(ESTIMATORS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Tables are not what these take, so check_estimator leaves them out; these checks need no data.
ARRAYS = [mercer.Tucker(), mercer.CP(), mercer.SVD2D(), mercer.TensorKernelPCA()]
WITHOUT_DATA = [
    checks.check_no_attributes_set_in_init,
    checks.check_get_params_invariance,
    checks.check_set_params,
    checks.check_estimator_get_tags_default_keys,
    checks.check_parameters_default_constructible,
]


@pytest.mark.parametrize("check", WITHOUT_DATA, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", ARRAYS, ids=lambda e: type(e).__name__)
def test_checks_of_those_that_take_arrays(estimator, check):
    check(type(estimator).__name__, estimator)


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
ONE_A_CLASS = list({type(e): e for e in reversed(ESTIMATORS)}.values())


@pytest.mark.parametrize("check", BESIDE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("estimator", ONE_A_CLASS, ids=lambda e: type(e).__name__)
def test_checks_beside_them(estimator, check):
    check(type(estimator).__name__, estimator)
