"""KernelPCA: what scikit-learn's gives, and what it publishes of its behaviour, point by point."""
import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer

import mercer
from mercer import KernelPCA

DIGITS = load_digits().data[:500] / 16
SOLVERS = ["auto", "dense", "arpack", "randomized"]
NAMED = [
    dict(kernel="linear"),
    dict(kernel="poly", gamma=0.1),
    dict(kernel="poly", degree=2, coef0=0.5),
    dict(kernel="rbf"),
    dict(kernel="rbf", gamma=0.05),
    dict(kernel="sigmoid", gamma=0.01),
    dict(kernel="cosine"),
]


def theirs(*arguments, **options):
    return sklearn.decomposition.KernelPCA(*arguments, **{"eigen_solver": "dense", **options})


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("options", NAMED, ids=str)
def test_numbers_are_those_of_scikit_learn(options, solver):
    ours, peer = KernelPCA(4, eigen_solver=solver, **options).fit(DIGITS), theirs(4, **options).fit(DIGITS)
    np.testing.assert_allclose(ours.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(ours.eigenvectors_, peer.eigenvectors_, atol=1e-6)
    new = DIGITS[:50] + 0.01
    np.testing.assert_allclose(ours.transform(new), peer.transform(new), atol=1e-6 * np.sqrt(peer.eigenvalues_[0]))


@pytest.mark.parametrize("options", [o for o in NAMED if o["kernel"] != "sigmoid"], ids=str)
def test_the_way_back_is_theirs(options):
    options = {"gamma": 0.05, **options}
    ours = KernelPCA(4, fit_inverse_transform=True, alpha=0.1, **options).fit(DIGITS)
    peer = theirs(4, fit_inverse_transform=True, alpha=0.1, **options).fit(DIGITS)
    np.testing.assert_allclose(ours.dual_coef_, peer.dual_coef_, atol=1e-6 * np.abs(peer.dual_coef_).max())
    np.testing.assert_allclose(ours.X_transformed_fit_, peer.X_transformed_fit_, atol=1e-6)
    scores = peer.transform(DIGITS[:50])
    np.testing.assert_allclose(ours.inverse_transform(scores), peer.inverse_transform(scores), atol=1e-6)


def test_every_parameter_of_theirs_is_one_of_ours_with_the_same_default():
    ours = KernelPCA().get_params()
    for name, value in sklearn.decomposition.KernelPCA().get_params().items():
        assert ours[name] == value, name


def test_every_attribute_of_theirs_is_one_of_ours():
    peer = theirs(2, kernel="rbf", fit_inverse_transform=True).fit(DIGITS)
    ours = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(DIGITS)
    for name in (n for n in vars(peer) if n.endswith("_")):
        assert np.shape(getattr(ours, name)) == np.shape(getattr(peer, name)), name
    np.testing.assert_array_equal(ours.X_fit_, DIGITS)


def test_a_callable_gets_rows_and_nothing_else():
    def kernel(x, y, **more):
        assert more == {} and x.shape == y.shape == (64,)
        return np.minimum(x, y).sum()

    ours = KernelPCA(3, kernel=kernel).fit(DIGITS[:80])
    peer = theirs(3, kernel=kernel).fit(DIGITS[:80])
    np.testing.assert_allclose(ours.eigenvalues_, peer.eigenvalues_)
    np.testing.assert_allclose(np.abs(ours.transform(DIGITS[80:90])), np.abs(peer.transform(DIGITS[80:90])), atol=1e-8)


def test_a_callable_gets_the_parameters_that_were_asked_for():
    scaled = KernelPCA(2, kernel=lambda x, y, factor: factor * (x @ y), kernel_params={"factor": 3.0}).fit(DIGITS[:50])
    plain = KernelPCA(2).fit(DIGITS[:50])
    np.testing.assert_allclose(scaled.eigenvalues_, 3 * plain.eigenvalues_)


def test_changing_the_data_after_the_fit_changes_nothing():
    X = DIGITS.copy()
    kpca = KernelPCA(3, kernel="rbf").fit(X)
    before = kpca.transform(DIGITS)
    X[:, :5] = 666
    np.testing.assert_array_equal(kpca.transform(DIGITS), before)


def test_data_is_copied_once_or_not_at_all():
    X = np.ascontiguousarray(DIGITS)
    shared = KernelPCA(2, kernel="rbf", copy_X=False).fit(X)
    assert np.shares_memory(shared.X_fit_, X) and np.shares_memory(shared._model.points, X)
    copied = KernelPCA(2, kernel="rbf").fit(X)
    assert not np.shares_memory(copied.X_fit_, X)
    assert np.shares_memory(copied._model.points, copied.X_fit_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_twenty_fits_agree(solver):
    state = np.random.RandomState(0)
    X = state.rand(300, 10)
    fits = [KernelPCA(2, eigen_solver=solver, random_state=state).fit_transform(X)[0] for _ in range(20)]
    np.testing.assert_allclose(fits, np.tile(fits[0], (20, 1)), rtol=1e-7)


def test_constant_data_has_no_components():
    X = np.array([[1 - 1e-30, 1], [1, 1], [1, 1 - 1e-20]])
    assert KernelPCA().fit_transform(X).shape == (3, 0)
    assert KernelPCA(2).fit_transform(X).shape == (3, 2)
    assert KernelPCA(2, remove_zero_eig=True).fit_transform(X).shape == (3, 0)
    assert KernelPCA(2).fit(X).transform(X).shape == (3, 2)


def test_a_zero_eigenvalue_is_kept_without_a_warning():
    X = np.array([[1, 1], [0, 0]])
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        kpca = KernelPCA(2, eigen_solver="dense")
        both = kpca.fit_transform(X)
        np.testing.assert_allclose(kpca.fit(X).transform(X), both, atol=1e-12)
    assert kpca.eigenvalues_[1] == 0 and np.all(both[:, 1] == 0)
    np.testing.assert_allclose(kpca.eigenvectors_.T @ kpca.eigenvectors_, np.eye(2), atol=1e-12)


def test_a_kernel_matrix_gives_what_its_points_give():
    K, new = rbf_kernel(DIGITS, gamma=0.1), rbf_kernel(DIGITS[:20] + 0.1, DIGITS, gamma=0.1)
    points = KernelPCA(3, kernel="rbf", gamma=0.1).fit(DIGITS)
    matrix = KernelPCA(3, kernel="precomputed").fit(K)
    np.testing.assert_allclose(matrix.eigenvalues_, points.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(matrix.transform(new), points.transform(DIGITS[:20] + 0.1), atol=1e-8)
    np.testing.assert_allclose(matrix.fit_transform(K), matrix.transform(K), atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
def test_centring_a_matrix_that_is_not_symmetric_before_or_after_gives_the_same(solver):
    K = DIGITS[:60] @ DIGITS[:60].T
    K = np.round(256 * K) + np.triu(np.arange(3600).reshape(60, 60) % 7)
    assert not np.array_equal(K, K.T)
    raw = KernelPCA(3, kernel="precomputed", eigen_solver=solver).fit(K)
    symmetric = KernelPCA(3, kernel="precomputed", eigen_solver=solver).fit((K + K.T) / 2)
    centred = KernelPCA(3, kernel="precomputed", eigen_solver=solver).fit(KernelCenterer().fit_transform((K + K.T) / 2))
    np.testing.assert_array_equal(raw.eigenvalues_, symmetric.eigenvalues_)
    np.testing.assert_allclose(raw.eigenvalues_, centred.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(raw.eigenvectors_, centred.eigenvectors_, atol=1e-6)


def test_a_kernel_matrix_inside_a_grid_search():
    X, y = make_circles(n_samples=400, factor=0.3, noise=0.05, random_state=0)
    pipeline = make_pipeline(KernelPCA(2, kernel="precomputed"), Perceptron(max_iter=5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five iterations are few
        search = GridSearchCV(pipeline, {"perceptron__max_iter": [1, 2, 3, 4]}, cv=3).fit(rbf_kernel(X, gamma=2.0), y)
    assert search.best_score_ == 1


INDEFINITE = np.diag([50.0, 8.0, 7.0, 5.0, 0.0, 0.0, -6.0, -15.0])
_Q = np.linalg.qr(np.hstack([np.ones((9, 1)), np.random.RandomState(0).randn(9, 8)]))[0][:, 1:]
INDEFINITE = _Q @ INDEFINITE @ _Q.T  # centred already: orthogonal to the constant


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_negative_eigenvalues_matter_where_they_are_asked_for(solver):
    kpca = KernelPCA(2, kernel="precomputed", eigen_solver=solver).fit(INDEFINITE)
    np.testing.assert_allclose(kpca.eigenvalues_, [50, 8])
    assert kpca.report_.min_eigenvalue == pytest.approx(-15)
    with pytest.raises(ValueError, match="There are significant negative eigenvalues.*precomputed.*-15"):
        KernelPCA(8, kernel="precomputed", eigen_solver=solver).fit(INDEFINITE)
    with pytest.raises(mercer.NotPositiveSemidefiniteError):
        KernelPCA(kernel="precomputed", eigen_solver=solver).fit(INDEFINITE)


def _matrix_with(values, dtype):
    basis = np.linalg.qr(np.hstack([np.ones((5, 1)), np.random.RandomState(1).randn(5, 4)]))[0][:, 1 : 1 + len(values)]
    return (basis @ np.diag(values) @ basis.T).astype(dtype)


def test_tiny_eigenvalues_are_exact_zeros():
    fit = lambda values: KernelPCA(2, kernel="precomputed", eigen_solver="dense").fit(_matrix_with(values, np.float64))
    assert fit([1.0, 1e-11]).eigenvalues_[1] > 0
    small = fit([1.0, 1e-13])
    assert small.eigenvalues_[1] == 0
    assert np.all(small.transform(_matrix_with([1.0, 1e-13], np.float64))[:, 1] == 0)
    assert fit([1.0, -1e-6]).eigenvalues_[1] == 0
    from mercer._spectrum import eigenvalues_as_sklearn

    single = np.array([1.0, 3e-7, 1e-7], dtype=np.float32)
    np.testing.assert_array_equal(eigenvalues_as_sklearn(single), np.array([1.0, 3e-7, 0], dtype=np.float32))
    double = np.array([1.0, 2e-12, 5e-13])
    np.testing.assert_array_equal(eigenvalues_as_sklearn(double), [1.0, 2e-12, 0])


@pytest.mark.parametrize("dtype, allowed, refused", [(np.float64, -5e-6, -2e-5), (np.float32, -2e-3, -1e-2)])
def test_a_negative_eigenvalue_is_rounding_down_to_scikit_learns_threshold(dtype, allowed, refused):
    kpca = KernelPCA(5, kernel="precomputed", eigen_solver="dense")
    assert np.all(kpca.fit(_matrix_with([1.0, 0.5, 0.2, allowed], dtype)).eigenvalues_[3:] == 0)
    with pytest.raises(ValueError, match="significant negative"):
        kpca.fit(_matrix_with([1.0, 0.5, 0.2, refused], dtype))


@pytest.mark.parametrize("n_components", [4, 10, 20])
def test_solvers_agree_beyond_the_rank_of_the_data(n_components):
    X, _ = make_circles(n_samples=1100, factor=0.3, noise=0.05, random_state=0)
    scores = [KernelPCA(n_components, eigen_solver=s).fit(X[:1000]).transform(X[1000:]) for s in SOLVERS]
    for other in scores[1:]:
        assert other.shape == (100, n_components)
        np.testing.assert_array_almost_equal(np.abs(other), np.abs(scores[0]), decimal=6)


def test_components_have_names():
    kpca = KernelPCA(2).fit(DIGITS)
    assert list(kpca.get_feature_names_out()) == ["kernelpca0", "kernelpca1"]


def test_gamma_is_told():
    assert KernelPCA(2, kernel="rbf").fit(DIGITS).gamma_ == 1 / 64
    assert KernelPCA(2, kernel="rbf", gamma=0.3).fit(DIGITS).gamma_ == 0.3
    median = KernelPCA(2, kernel="rbf", gamma="median").fit(DIGITS)
    assert mercer.rbf(median.gamma_) == median.kernel_ == mercer.rbf("median").resolved(DIGITS)


@pytest.mark.parametrize("options", [dict(gamma=0.0), dict(kernel="poly", gamma=0.0), dict(kernel="poly", degree=0)], ids=str)
def test_a_constant_kernel_has_no_variance(options):
    assert np.all(KernelPCA(2, **{"kernel": "rbf", **options}).fit(DIGITS).eigenvalues_ == 0)


def test_the_way_back_comes_near():
    X, *_ = make_blobs(n_samples=100, n_features=4, random_state=0)
    kpca = KernelPCA(20, kernel="rbf", fit_inverse_transform=True, alpha=1e-3)
    back = kpca.inverse_transform(kpca.fit_transform(X))
    assert np.linalg.norm(X - back) < 0.1 * np.linalg.norm(X)


def test_there_is_no_way_back_that_was_not_asked_for():
    with pytest.raises(NotFittedError):
        KernelPCA(2).fit(DIGITS).inverse_transform(np.zeros((3, 2)))


def test_single_precision_stays_single():
    kpca = KernelPCA(3, kernel="rbf", gamma=0.05, fit_inverse_transform=True)
    scores = kpca.fit_transform(DIGITS.astype(np.float32))
    for array in (scores, kpca.eigenvalues_, kpca.eigenvectors_, kpca.transform(DIGITS.astype(np.float32)),
                  kpca.inverse_transform(scores), kpca.X_fit_):
        assert array.dtype == np.float32
    np.testing.assert_allclose(kpca.eigenvalues_, theirs(3, kernel="rbf", gamma=0.05).fit(DIGITS).eigenvalues_, rtol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine", "laplacian"])
def test_sparse_rows_give_what_dense_ones_give(kernel):
    rows = scipy.sparse.csr_matrix(DIGITS)
    sparse, dense = KernelPCA(3, kernel=kernel).fit(rows), KernelPCA(3, kernel=kernel).fit(DIGITS)
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(sparse.transform(rows[:30]), dense.transform(DIGITS[:30]), atol=1e-7)
    np.testing.assert_allclose(sparse.transform(DIGITS[:30]), dense.transform(rows[:30]), atol=1e-7)


def test_a_clone_has_the_parameters_and_nothing_else():
    kpca = KernelPCA(3, kernel=mercer.rbf(0.5), memory="2G").fit(DIGITS)
    copy = clone(kpca)
    assert copy.get_params() == kpca.get_params()
    with pytest.raises(NotFittedError):
        copy.transform(DIGITS)
