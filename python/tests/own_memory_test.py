"""A fitted estimator is its own: changing the data after the fit changes nothing, and its file tells what it was."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import mercer

X, Y = load_iris(return_X_y=True)
X = X + 1e-3 * np.random.RandomState(0).rand(*X.shape)  # no two points are the same
STACK = np.random.RandomState(1).rand(12, 5, 4)

TABLES = [
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1),
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1, fit_inverse_transform=True),
    mercer.KernelPCA(2, kernel="rbf", gamma=0.1, solver="lowrank", rank=30),
    mercer.PCA(2),
    mercer.PCA(2, whiten=True),
    mercer.LDA(),
    mercer.KernelLDA(gamma=0.1),
    mercer.KernelLDA(gamma=0.1, solver="lowrank", rank=30),
    mercer.Isomap(n_neighbors=10),
    mercer.Isomap(n_neighbors=10, landmarks=40),
    mercer.LocallyLinearEmbedding(n_neighbors=10),
    mercer.LocallyLinearEmbedding(n_neighbors=10, method="hessian"),
    mercer.LaplacianEigenmaps(),
    mercer.DiffusionMap(),
    mercer.MaximumVarianceUnfolding(basis=8),
    mercer.TSNE(perplexity=10, n_iter=100),
    mercer.BasisPCA(2),
    mercer.BasisPCA(2, basis="radial(10)"),
    mercer.FeatureMap(),
    mercer.FeatureMap("radial(10)"),
    mercer.RandomFeaturePCA(2, n_features_map=64),
    mercer.MissingPCA(2),
]
ARRAYS = [mercer.Tucker((3, 3, 3)), mercer.CP(2, allow_partial=True), mercer.SVD2D((2, 2)), mercer.TensorKernelPCA(2)]


def named(estimator):
    return "".join(repr(estimator).split())


def changes_nothing(estimator, data, *classes):
    """Fits a copy of the data, looks, overwrites the copy, and looks again."""
    given = data.copy()
    estimator.fit(given, *classes)
    new = data[3:9].copy() + 0.01

    def seen():
        found = {name: value for name, value in vars(estimator).items() if isinstance(value, np.ndarray)}
        found["transform"] = estimator.transform(new)
        if hasattr(estimator, "reconstruct"):
            found["reconstruct"] = estimator.reconstruct()
        if getattr(estimator, "fit_inverse_transform", False):
            found["inverse"] = estimator.inverse_transform(found["transform"])
        found["pickled"] = pickle.loads(pickle.dumps(estimator)).transform(new)
        return {name: np.array(value) for name, value in found.items()}

    before = seen()
    given[:] = -7
    for name, value in seen().items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


@pytest.mark.filterwarnings("ignore:the graph of neighbours")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("estimator", TABLES, ids=named)
def test_changing_the_data_after_the_fit_changes_nothing(estimator, dtype):
    changes_nothing(estimator, X.astype(dtype), Y)


@pytest.mark.parametrize("estimator", ARRAYS, ids=named)
def test_changing_the_array_after_the_fit_changes_nothing(estimator):
    changes_nothing(estimator, STACK)


def test_changing_a_later_part_changes_nothing():
    kpca = mercer.KernelPCA(2, kernel="rbf", gamma=0.1, solver="lowrank", rank=20, max_rank=40).partial_fit(X[:70])
    later = X[70:].copy()
    before = kpca.partial_fit(later).transform(X)
    later[:] = -7
    np.testing.assert_array_equal(kpca.transform(X), before)


def test_changing_a_kernel_matrix_after_the_fit_changes_nothing():
    matrix = mercer.rbf(0.1)(X)
    for estimator in (mercer.KernelPCA(2, kernel="precomputed"), mercer.KernelLDA(kernel="precomputed")):
        given = matrix.copy()
        before = estimator.fit(given, Y).transform(matrix)
        given[:] = -7
        np.testing.assert_array_equal(estimator.transform(matrix), before)


CENTRED = [mercer.PCA(2), mercer.BasisPCA(2), mercer.RandomFeaturePCA(2, n_features_map=64), mercer.MissingPCA(2), mercer.SVD2D((2, 2))]


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("estimator", CENTRED, ids=named)
def test_a_file_tells_whether_it_was_centred(estimator, center, tmp_path):
    data = STACK if isinstance(estimator, mercer.SVD2D) else X
    fitted = clone(estimator).set_params(center=center).fit(data)
    fitted.save(tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.center is center
    np.testing.assert_array_equal(loaded.transform(data), fitted.transform(data))
