"""Basis functions as feature maps, PCA on them, and kernel PCA on random features."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import PolynomialFeatures

import mercer

X = load_iris().data
PLANE = np.random.RandomState(0).rand(200, 2)


def test_a_basis_prints_parses_pickles_and_adds():
    b = mercer.Basis.polynomial(2, 0.5, 1.0) + mercer.Basis.cosines(2)
    for same in (mercer.Basis(str(b)), eval(repr(b), {"Basis": mercer.Basis}), pickle.loads(pickle.dumps(b))):
        assert same == b and hash(same) == hash(b)
    assert b(PLANE).shape == (200, 6 + 4) and b.count(2) == 10
    np.testing.assert_allclose(b(PLANE), np.hstack([mercer.Basis.polynomial(2, 0.5, 1.0)(PLANE), mercer.Basis.cosines(2)(PLANE)]))


def test_inner_products_are_the_kernel():
    b = mercer.Basis.polynomial(3, 0.5, 2.0)
    np.testing.assert_allclose(b(X) @ b(X).T, mercer.polynomial(3, 0.5, 2.0)(X), rtol=1e-10)
    np.testing.assert_allclose(b.kernel()(X), mercer.polynomial(3, 0.5, 2.0)(X), rtol=1e-12)
    assert mercer.Basis("x1^2, sin(x2)").kernel() is None


def test_formulas_and_bumps_are_what_they_say():
    np.testing.assert_allclose(mercer.Basis.formulas(["x1^2", "sin(x1)*x2"])(PLANE), np.c_[PLANE[:, 0] ** 2, np.sin(PLANE[:, 0]) * PLANE[:, 1]])
    centers = PLANE[:5]
    np.testing.assert_allclose(mercer.Basis.radial(centers, 2.0)(PLANE), mercer.rbf(2.0)(PLANE, centers), rtol=1e-9)


def test_a_drawn_basis_is_not_pickled_as_its_text():
    drawn = mercer.Basis.fourier(20, mercer.rbf(1.0)).resolved(PLANE)
    with pytest.raises(ValueError, match="drawn"):
        pickle.dumps(drawn)


def test_the_map_is_scikit_learns_polynomial_features():
    ours = mercer.FeatureMap(mercer.Basis.monomials(2)).fit_transform(X)
    np.testing.assert_allclose(ours, PolynomialFeatures(2).fit_transform(X), rtol=1e-12)


@pytest.mark.parametrize("basis", ["poly(degree=2)", "radial(15)", "fourier(count=40)", "cosines(3)", "x1^2, x1*x2"])
def test_feature_maps_survive_pickles_files_and_clones(basis, tmp_path):
    fitted = mercer.FeatureMap(basis, random_state=3).fit(X)
    fitted.save(tmp_path / "model")
    values = fitted.transform(X)
    for again in (pickle.loads(pickle.dumps(fitted)), mercer.FeatureMap.load(tmp_path / "model"), clone(fitted).fit(X)):
        np.testing.assert_array_equal(again.transform(X), values)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).transform(X), values)
    assert len(fitted.get_feature_names_out()) == values.shape[1]


def test_a_map_stays_single_and_names_its_columns():
    fitted = mercer.FeatureMap("monomials(degree=2)").set_output(transform="pandas").fit(load_iris(as_frame=True).data.iloc[:, :2])
    frame = fitted.transform(load_iris(as_frame=True).data.iloc[:, :2])
    assert list(frame.columns)[:3] == ["1", "sepal length (cm)", "sepal width (cm)"]
    assert mercer.FeatureMap().fit_transform(X.astype(np.float32)).dtype == np.float32


def test_fourier_features_approach_the_kernel():
    z = mercer.FeatureMap(mercer.Basis.fourier(4000, mercer.rbf(0.5)), random_state=0).fit_transform(X)
    assert np.sqrt(np.mean((z @ z.T - mercer.rbf(0.5)(X)) ** 2)) < 0.02


def test_pca_on_a_basis_is_kernel_pca():
    basis = mercer.BasisPCA(3, basis=mercer.Basis.polynomial(2, 0.5, 1.0)).fit(X)
    kernel = mercer.KernelPCA(3, kernel=mercer.polynomial(2, 0.5, 1.0)).fit(X)
    np.testing.assert_allclose(basis.eigenvalues_, kernel.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(np.abs(basis.transform(X)), np.abs(kernel.transform(X)), atol=1e-6)
    np.testing.assert_allclose(basis.components_ @ basis.components_.T, np.eye(3), atol=1e-9)


def test_a_share_of_variance_and_plans():
    fitted = mercer.BasisPCA(0.99).fit(X)
    shares = np.cumsum(fitted.explained_variance_ratio_)
    assert shares[-1] >= 0.99 and (len(shares) == 1 or shares[-2] < 0.99)
    assert "covariance" in mercer.BasisPCA().explain(X) or "matrix" in mercer.BasisPCA().explain(X)


def test_the_smallest_end_finds_the_relation():
    t = np.linspace(0, 6, 80)
    ellipse = np.c_[2 * np.cos(t), np.sin(t)]
    relation = mercer.BasisPCA(1, smallest=True, center=False).fit(ellipse)
    assert relation.directions_[0].startswith("0.25·x1² + x2² − 1 = 0")
    assert np.abs(relation.transform(ellipse)).max() < 1e-6
    again = pickle.loads(pickle.dumps(relation))
    assert again.directions_ == relation.directions_ and again.smallest
    with pytest.raises(ValueError, match="takes a count"):
        mercer.BasisPCA(0.5, smallest=True).fit(ellipse)


def test_a_basis_pca_file_comes_back(tmp_path):
    fitted = mercer.BasisPCA(2, basis="radial(10)", random_state=1).fit(X)
    fitted.save(tmp_path / "model")
    for again in (mercer.load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
        np.testing.assert_array_equal(again.basis_(X), fitted.basis_(X))


def test_random_features_come_near_kernel_pca(tmp_path):
    exact = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
    near = mercer.RandomFeaturePCA(3, gamma=0.3, n_features_map=4000, random_state=0).fit(X)
    np.testing.assert_allclose(near.eigenvalues_, exact.eigenvalues_, rtol=0.1)
    np.testing.assert_allclose(np.abs(near.fit_transform(X)), np.abs(exact.transform(X)), atol=0.05)
    K, z = mercer.rbf(0.3)(X), near.kernel_rms_error_
    assert 0 < z < 0.03 and K.shape == (150, 150)
    near.save(tmp_path / "model")
    again = mercer.load(tmp_path / "model")
    assert type(again) is mercer.RandomFeaturePCA and again.n_features_map == 4000
    np.testing.assert_array_equal(again.transform(X), near.transform(X))
    with pytest.raises(ValueError, match="KernelPCA"):
        mercer.KernelPCA.load(tmp_path / "model")


def test_more_random_features_are_nearer():
    errors = [mercer.RandomFeaturePCA(2, gamma=0.3, n_features_map=m).fit(X).kernel_rms_error_ for m in (32, 2048)]
    assert errors[1] < errors[0] / 3


def test_errors_are_the_librarys_words():
    with pytest.raises(ValueError, match="basis|expected"):
        mercer.Basis("poly(degree=two)")
    with pytest.raises(ValueError, match="random features|linear"):
        mercer.RandomFeaturePCA(kernel="linear").fit(X)
    with pytest.raises(ValueError, match="centres"):
        mercer.FeatureMap("radial(500)").fit(X)
