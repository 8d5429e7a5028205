"""PCA of tables with gaps."""
import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.decomposition import PCA

import mercer

RNG = np.random.RandomState(0)
WHOLE = 3 + RNG.standard_normal((300, 3)) * [5, 3, 1] @ np.linalg.qr(RNG.standard_normal((10, 3)))[0].T
NOISY = WHOLE + 0.01 * RNG.standard_normal(WHOLE.shape)
GAPS = np.where(RNG.rand(*WHOLE.shape) < 0.3, np.nan, NOISY)


def test_without_gaps_it_is_pca():
    theirs, ours = PCA(3).fit(NOISY), mercer.MissingPCA(3, ridge=0).fit(NOISY)
    np.testing.assert_allclose(np.abs(ours.components_ @ theirs.components_.T), np.eye(3), atol=1e-6)
    np.testing.assert_allclose(ours.mean_, theirs.mean_, atol=1e-9)
    np.testing.assert_allclose(np.abs(ours.transform(NOISY)), np.abs(theirs.transform(NOISY)), atol=1e-6)


def test_gaps_are_filled_nearly_as_they_were_and_the_rest_stays():
    pca = mercer.MissingPCA(3).fit(GAPS)
    filled = pca.fill(GAPS)
    hidden = np.isnan(GAPS)
    np.testing.assert_array_equal(filled[~hidden], GAPS[~hidden])
    assert np.sqrt(np.mean((filled - WHOLE)[hidden] ** 2)) < 0.05
    assert pca.held_out_error_ < 0.2 * pca.column_mean_error_


def test_what_a_sparse_matrix_does_not_store_is_unknown():
    known = ~np.isnan(GAPS)
    sparse = scipy.sparse.csr_matrix((GAPS[known], np.nonzero(known)), shape=GAPS.shape)
    a, b = mercer.MissingPCA(3, ridge=0.1).fit(sparse), mercer.MissingPCA(3, ridge=0.1).fit(GAPS)
    np.testing.assert_allclose(np.abs(a.components_ @ b.components_.T), np.eye(3), atol=1e-4)
    np.testing.assert_allclose(a.fill(sparse), b.fill(GAPS), atol=1e-3)


def test_new_points_may_have_gaps_too():
    pca = mercer.MissingPCA(3).fit(GAPS)
    row = NOISY[:1].copy()
    row[0, :4] = np.nan
    assert np.abs(pca.inverse_transform(pca.transform(row)) - WHOLE[0]).max() < 0.1
    nothing = pca.transform(np.full((1, 10), np.nan))
    np.testing.assert_allclose(nothing, 0, atol=1e-12)


def test_files_pickles_and_precision(tmp_path):
    pca = mercer.MissingPCA(2).fit(GAPS.astype(np.float32))
    assert pca.transform(GAPS.astype(np.float32)).dtype == np.float32
    pca.save(tmp_path / "model")
    for again in (mercer.load(tmp_path / "model"), pickle.loads(pickle.dumps(pca))):
        assert type(again) is mercer.MissingPCA
        np.testing.assert_array_equal(again.transform(GAPS.astype(np.float32)), pca.transform(GAPS.astype(np.float32)))


def test_a_column_of_which_nothing_is_known_is_refused():
    with pytest.raises(ValueError, match="column"):
        mercer.MissingPCA(2).fit(np.c_[GAPS, np.full(300, np.nan)])
    with pytest.raises(ValueError, match="not stored is unknown"):
        mercer.MissingPCA(1).fit(scipy.sparse.csr_matrix([[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]))
