"""PCA: scikit-learn's numbers, its other methods on top of ours, and what it lacks."""
import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.datasets import load_digits, load_iris

import mercer
from mercer import PCA

DIGITS = load_digits().data / 16
SOLVERS = [dict(svd_solver=s) for s in ("auto", "full", "arpack", "randomized")] + [dict(solver="stored")]
SHAPES = {"tall": DIGITS[:, 20:44], "wide": DIGITS[:30], "iris": load_iris().data}


def turned(scores, like):
    """The same up to signs, which scikit-learn chose in another way before 1.5."""
    return scores * np.sign(np.sum(scores * like, axis=0))


@pytest.mark.parametrize("options", SOLVERS, ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_numbers_are_those_of_scikit_learn(name, options):
    X = SHAPES[name]
    ours, theirs = PCA(3, **options).fit(X), sklearn.decomposition.PCA(3, svd_solver="full").fit(X)
    for attribute in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_", "noise_variance_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-8, err_msg=attribute)
    assert ours.components_.shape == theirs.components_.shape and ours.n_components_ == 3
    scores = theirs.transform(X)
    np.testing.assert_allclose(turned(ours.transform(X), scores), scores, atol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(scores), atol=1e-6)
    np.testing.assert_allclose(ours.fit_transform(X), ours.transform(X), atol=1e-10)


def test_every_parameter_of_theirs_is_one_of_ours_with_the_same_default():
    ours = PCA().get_params()
    for name, value in sklearn.decomposition.PCA().get_params().items():
        assert ours[name] == value, name


@pytest.mark.parametrize("name", ["tall", "iris"])
def test_likelihood_covariance_and_precision_follow(name):
    X = SHAPES[name]
    ours, theirs = PCA(2).fit(X), sklearn.decomposition.PCA(2).fit(X)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-6)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-9)


def test_whitened_scores_have_variance_one_and_come_back():
    pca = PCA(3, whiten=True)
    scores = pca.fit_transform(SHAPES["iris"])
    np.testing.assert_allclose(np.cov(scores.T), np.eye(3), atol=1e-9)
    np.testing.assert_allclose(pca.inverse_transform(scores), PCA(3).fit(SHAPES["iris"]).inverse_transform(
        PCA(3).fit_transform(SHAPES["iris"])), atol=1e-9)


def test_a_share_of_variance_takes_as_many_components_as_it_needs():
    for share in (0.5, 0.9, 0.99):
        assert PCA(share).fit(DIGITS).n_components_ == sklearn.decomposition.PCA(share, svd_solver="full").fit(DIGITS).n_components_


def test_all_components_are_an_orthonormal_basis_also_beyond_the_rank():
    X = DIGITS[:30]  # centred: rank 29
    pca = PCA().fit(X)
    assert pca.components_.shape == (30, 64) and pca.explained_variance_[-1] == 0
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(30), atol=1e-6)
    new = DIGITS[30:40]
    np.testing.assert_allclose(pca.transform(new), (new - pca.mean_) @ pca.components_.T, atol=1e-9)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-6)


def test_sparse_rows_are_centred_without_being_filled():
    rows = scipy.sparse.csr_matrix(DIGITS)
    np.testing.assert_allclose(PCA(4).fit(rows).components_, PCA(4).fit(DIGITS).components_, atol=1e-6)
    np.testing.assert_allclose(PCA(4).fit(rows).transform(rows), PCA(4).fit_transform(DIGITS), atol=1e-6)


def test_without_centring_it_is_the_plain_svd():
    pca = PCA(5, center=False).fit(DIGITS)
    np.testing.assert_allclose(pca.singular_values_, np.linalg.svd(DIGITS, compute_uv=False)[:5], rtol=1e-9)
    assert np.all(pca.mean_ == 0)


def test_single_precision_stays_single():
    pca = PCA(3).fit(DIGITS.astype(np.float32))
    assert pca.transform(DIGITS.astype(np.float32)).dtype == pca.components_.dtype == np.float32


def test_residuals_are_small_and_reported():
    pca = PCA(3, svd_solver="arpack").fit(DIGITS)
    assert np.all(pca.residuals_ <= 1e-9 * pca.singular_values_[0] ** 2)
    assert pca.report_.plan.route == "tiled" and "certificate" in pca.explain()
    assert "covariance" in PCA(3).explain(DIGITS)


def test_files_and_pickles_are_the_same_model(tmp_path):
    pca = PCA(3, whiten=True).fit(DIGITS)
    same = pickle.loads(pickle.dumps(pca))
    np.testing.assert_array_equal(same.transform(DIGITS), pca.transform(DIGITS))
    for center in (True, False):
        pca = PCA(3, center=center).fit(DIGITS)
        pca.save(tmp_path / "m.mercer")
        loaded = mercer.load(tmp_path / "m.mercer")
        assert isinstance(loaded, PCA) and loaded.center is center
        np.testing.assert_array_equal(loaded.transform(DIGITS), pca.transform(DIGITS))


def test_a_whitened_model_is_for_pickles_not_for_files(tmp_path):
    with pytest.raises(ValueError, match="pickle"):
        PCA(3, whiten=True).fit(DIGITS).save(tmp_path / "m.mercer")
    assert not (tmp_path / "m.mercer").exists()


def test_more_components_than_there_can_be_are_refused():
    with pytest.raises(ValueError, match="n_components=65 must be between 1 and"):
        PCA(65).fit(DIGITS)
    with pytest.raises(ValueError, match="mle"):
        PCA("mle").fit(DIGITS)
