"""Tucker, CP, 2D-SVD and kernel PCA of N-way arrays."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mercer

RNG = np.random.RandomState(0)
FACTORS = [RNG.rand(n, 3) for n in (12, 9, 8)]
SUM = np.einsum("ir,jr,kr->ijk", *FACTORS)
NOISY = SUM + 0.01 * RNG.standard_normal(SUM.shape)
STACK, _, _ = mercer.generate_tensor("spots", 40)
MODELS = [
    (mercer.Tucker((3, 3, 3)), NOISY),
    (mercer.CP(3, tol=1e-13, max_iter=20000), NOISY),
    (mercer.SVD2D((4, 4)), STACK),
    (mercer.TensorKernelPCA(2, ranks=(4, 4)), STACK),
]
each_model = pytest.mark.parametrize("make, X", MODELS, ids=lambda v: type(v).__name__ if hasattr(v, "fit") else "")


def unfolded(x, mode):
    return np.moveaxis(x, mode, 0).reshape(x.shape[mode], -1)


def test_tucker_is_core_times_factors():
    tucker = mercer.Tucker((3, 2, 3)).fit(NOISY)
    rebuilt = np.einsum("abc,ia,jb,kc->ijk", tucker.core_, *tucker.factors_)
    np.testing.assert_allclose(tucker.reconstruct(), rebuilt, atol=1e-12)
    assert tucker.relative_error_ == pytest.approx(np.linalg.norm(NOISY - rebuilt) / np.linalg.norm(NOISY), rel=1e-9)
    for factor in tucker.factors_:
        np.testing.assert_allclose(factor.T @ factor, np.eye(factor.shape[1]), atol=1e-12)


def test_hosvd_has_the_singular_values_of_the_unfoldings():
    tucker = mercer.Tucker(NOISY.shape, method="hosvd").fit(NOISY)
    for mode in range(3):
        expected = np.linalg.svd(unfolded(NOISY, mode), compute_uv=False)
        np.testing.assert_allclose(tucker.mode_values_[mode], expected, atol=1e-8)


def test_an_error_chooses_the_ranks_and_sweeps_lower_it():
    assert mercer.Tucker(error=0.05).fit(NOISY).relative_error_ <= 0.05
    rough, polished = (mercer.Tucker((2, 2, 2), hooi=h).fit(NOISY).relative_error_ for h in (0, 20))
    assert polished <= rough
    assert mercer.Tucker().fit(SUM).ranks_ == [3, 3, 3]


def test_cp_finds_what_was_planted():
    cp = mercer.CP(3, random_state=0).fit(SUM)
    np.testing.assert_allclose(np.einsum("r,ir,jr,kr->ijk", cp.weights_, *cp.factors_), SUM, atol=1e-5)
    for planted, found in zip(FACTORS, cp.factors_):
        cosines = np.abs((planted / np.linalg.norm(planted, axis=0)).T @ found)
        assert np.all(cosines.max(axis=0) > 0.9999)
    assert cp.core_consistency_ > 99 and cp.n_iter_ > 0 and np.all(np.diff(cp.weights_) <= 0)


def test_cp_without_negative_numbers_with_gaps_and_with_weights():
    assert all((f >= 0).all() for f in mercer.CP(3, nonnegative=True).fit(NOISY).factors_)
    hidden = RNG.rand(*SUM.shape) < 0.2
    gaps = np.where(hidden, np.nan, SUM)
    filled = mercer.CP(3, missing=True, random_state=0).fit(gaps).reconstruct()
    assert np.abs(filled - SUM)[hidden].max() < 1e-2
    with pytest.raises(ValueError, match="NaN"):
        mercer.CP(3).fit(gaps)
    spoilt = np.where(hidden, 100.0, SUM)
    weighted = mercer.CP(3, random_state=0).fit(spoilt, weights=(~hidden).astype(float)).reconstruct()
    assert np.abs(weighted - SUM)[~hidden].max() < 1e-2


def test_sparse_arrays_are_never_made_dense_and_mean_the_same():
    where = np.nonzero(RNG.rand(15, 14, 13) < 0.1)
    values = RNG.rand(len(where[0]))
    sparse = mercer.sparse_tensor(np.array(where), values, (15, 14, 13))
    dense = sparse.to_dense()
    assert sparse.nnz == len(values) and dense[where].tolist() == values.tolist()
    a, b = (mercer.Tucker((3, 3, 3), hooi=200, tol=1e-12).fit(x) for x in (sparse, dense))
    assert a.relative_error_ == pytest.approx(b.relative_error_, rel=1e-3)
    np.testing.assert_allclose(a.transform(sparse), a.transform(dense), atol=1e-9)
    again = pickle.loads(pickle.dumps(sparse))
    np.testing.assert_array_equal(again.to_dense(), dense)
    with pytest.raises(ValueError, match="to_dense"):
        mercer.SVD2D((2, 2)).fit(sparse)
    with pytest.raises(ValueError, match="outside|index"):
        mercer.sparse_tensor([[0], [0], [99]], [1.0], (2, 2, 2))


def test_2d_svd_has_the_eigenvectors_of_the_scatter():
    svd = mercer.SVD2D((4, 3)).fit(STACK)
    centred = STACK - STACK.mean(axis=0)
    rows, columns = np.einsum("nij,nkj->ik", centred, centred), np.einsum("nij,nik->jk", centred, centred)
    np.testing.assert_allclose(svd.left_values_, np.linalg.eigvalsh(rows)[::-1], atol=1e-8 * np.trace(rows))
    np.testing.assert_allclose(svd.right_values_, np.linalg.eigvalsh(columns)[::-1], atol=1e-8 * np.trace(rows))
    left, right = svd.factors_
    cores = np.einsum("ip,nij,jq->npq", left, centred, right)
    np.testing.assert_allclose(svd.transform(STACK), cores.reshape(40, -1), atol=1e-9)
    back = svd.mean_ + np.einsum("ip,npq,jq->nij", left, cores, right)
    np.testing.assert_allclose(svd.inverse_transform(svd.transform(STACK)), back, atol=1e-9)
    assert svd.rms_error_ == pytest.approx(np.sqrt(np.mean(np.sum((STACK - back) ** 2, axis=(1, 2)))), rel=1e-9)


def test_with_full_ranks_kernel_pca_of_arrays_is_that_of_long_vectors():
    flat = STACK.reshape(40, -1)
    gamma = mercer.KernelPCA(3, kernel="rbf", gamma="median").fit(flat).gamma_
    expected = mercer.KernelPCA(3, kernel="rbf", gamma=gamma).fit_transform(flat)
    found = mercer.TensorKernelPCA(3, ranks=STACK.shape[1:], gamma=gamma).fit_transform(STACK)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-7)


@each_model
def test_any_layout_gives_the_same(make, X):
    expected = np.abs(clone(make).fit_transform(X))
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1][::-1], np.ascontiguousarray(X.transpose(2, 0, 1)).transpose(1, 2, 0)):
        np.testing.assert_allclose(np.abs(clone(make).fit_transform(same)), expected, atol=1e-4 * expected.max())


@each_model
def test_training_samples_have_their_scores_and_single_samples_are_taken(make, X):
    fitted = clone(make).fit(X)
    scores = fitted.fit_transform(X)
    assert scores.shape == (X.shape[0], fitted.transform(X[:1]).shape[1])
    np.testing.assert_allclose(fitted.transform(X), scores, atol=1e-6 * np.abs(scores).max())
    np.testing.assert_allclose(fitted.transform(X[3]), fitted.transform(X[3:4]), atol=1e-12)
    assert fitted.inverse_transform(scores[:5]).shape == (5, *X.shape[1:])
    assert fitted.reconstruct().shape == X.shape


@each_model
def test_files_pickles_clones_and_single_precision(make, X, tmp_path):
    fitted = clone(make).fit(X)
    fitted.save(tmp_path / "model")
    for again in (mercer.load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted)), clone(fitted).fit(X)):
        assert type(again) is type(fitted)
        np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    single = clone(make).fit(X.astype(np.float32))
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert all(f.dtype == np.float32 for f in single.factors_) and single.reconstruct().dtype == np.float32
    names = fitted.get_feature_names_out()
    assert len(names) == fitted.transform(X).shape[1] and names[0] == type(fitted).__name__.lower() + "0"


def test_another_mode_may_count_the_samples():
    last = mercer.Tucker((3, 3, 3), sample_mode=2).fit(NOISY)
    assert last.transform(NOISY).shape == (8, 3) and last.transform(NOISY[:, :, :2]).shape == (2, 3)


def test_errors_are_the_librarys_words():
    with pytest.raises(ValueError, match="does not fit a model of 12 x 9 x 8"):
        mercer.Tucker((2, 2, 2)).fit(NOISY).transform(NOISY[:, :, :3])
    with pytest.raises(ValueError, match="rank"):
        mercer.Tucker((2, 2)).fit(NOISY)
    with pytest.raises(ValueError, match="sample_mode|mode"):
        mercer.CP(2, sample_mode=7).fit(NOISY)
    with pytest.raises(NotFittedError):
        mercer.CP(2).transform(NOISY)


def dot(a, b):
    return float(a @ b)


def test_a_function_as_kernel_is_pickled_with_the_model():
    fitted = mercer.TensorKernelPCA(2, ranks=(4, 4), kernel=dot).fit(STACK)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(STACK), fitted.transform(STACK))
