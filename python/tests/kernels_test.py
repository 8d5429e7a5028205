"""Kernels as objects: they add, multiply, print, parse, pickle, and evaluate like scikit-learn's."""
import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics import pairwise

import mercer

X = np.random.RandomState(0).rand(300, 7)
Y = np.random.RandomState(1).rand(40, 7)

AS_SKLEARN = [
    (mercer.linear(), pairwise.linear_kernel, {}),
    (mercer.polynomial(3, 0.2, 1.5), pairwise.polynomial_kernel, dict(degree=3, gamma=0.2, coef0=1.5)),
    (mercer.rbf(0.7), pairwise.rbf_kernel, dict(gamma=0.7)),
    (mercer.laplacian(0.7), pairwise.laplacian_kernel, dict(gamma=0.7)),
    (mercer.sigmoid(0.3, 0.5), pairwise.sigmoid_kernel, dict(gamma=0.3, coef0=0.5)),
    (mercer.cosine(), pairwise.cosine_similarity, {}),
    (mercer.chi2(0.4), pairwise.chi2_kernel, dict(gamma=0.4)),
    (mercer.additive_chi2(), pairwise.additive_chi2_kernel, {}),
]


@pytest.mark.parametrize("kernel, theirs, parameters", AS_SKLEARN, ids=lambda v: str(v) if isinstance(v, mercer.Kernel) else "")
def test_values_are_those_of_scikit_learn(kernel, theirs, parameters):
    np.testing.assert_allclose(kernel(X, Y), theirs(X, Y, **parameters), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel(X), theirs(X, **parameters), rtol=1e-10, atol=1e-12)


def test_sums_and_products_are_those_of_the_values():
    a, b = mercer.rbf(0.5), mercer.linear()
    np.testing.assert_allclose((a + 0.1 * b * a)(X, Y), a(X, Y) + 0.1 * b(X, Y) * a(X, Y), rtol=1e-12)
    assert 2 * a == a * 2


def test_a_kernel_prints_parses_and_pickles_as_itself():
    k = mercer.rbf(0.5) + 0.1 * mercer.linear() * mercer.matern32(2.0)
    for same in (mercer.Kernel(str(k)), eval(repr(k), {"Kernel": mercer.Kernel}), pickle.loads(pickle.dumps(k)), copy.deepcopy(k)):
        assert same == k and hash(same) == hash(k) and str(same) == str(k)
    assert mercer.rbf(0.5) != mercer.rbf(0.25)


def test_single_precision_stays_single():
    assert mercer.rbf(0.5)(X.astype(np.float32)).dtype == np.float32
    assert mercer.rbf(0.5)(X.astype(np.float32), Y).dtype == np.float64


@pytest.mark.parametrize("layout", ["fortran", "every_other_row", "every_other_column", "integers", "csr", "csc", "unsorted"])
def test_any_layout_of_the_rows_gives_the_same_values(layout):
    whole = np.round(X * 9)
    rows = {
        "fortran": lambda: np.asfortranarray(whole),
        "every_other_row": lambda: np.repeat(whole, 2, axis=0)[::2],
        "every_other_column": lambda: np.repeat(whole, 2, axis=1)[:, ::2],
        "integers": lambda: whole.astype(np.int32),
        "csr": lambda: scipy.sparse.csr_matrix(whole),
        "csc": lambda: scipy.sparse.csc_matrix(whole),
        "unsorted": lambda: _with_columns_reversed(scipy.sparse.csr_matrix(whole)),
    }[layout]()
    np.testing.assert_allclose(mercer.rbf(0.01)(rows), pairwise.rbf_kernel(whole, gamma=0.01), rtol=1e-10)


def _with_columns_reversed(m):
    """The same matrix, the entries of each row stored from the last to the first."""
    order = np.concatenate([np.arange(m.indptr[i + 1] - 1, m.indptr[i] - 1, -1) for i in range(m.shape[0])])
    return scipy.sparse.csr_matrix((m.data[order], m.indices[order], m.indptr), shape=m.shape)


def test_rules_for_gamma_take_it_from_the_data():
    assert mercer.rbf("auto").resolved(X) == mercer.rbf(1 / 7)
    median = mercer.rbf("median")
    assert not median.is_resolved
    squared = pairwise.euclidean_distances(X, squared=True)[np.tril_indices(300, -1)]
    assert str(median.resolved(X)).startswith("rbf(gamma=")
    np.testing.assert_allclose(median(X), pairwise.rbf_kernel(X, gamma=1 / (2 * np.median(squared))), rtol=1e-3)


def test_functions_of_rows_and_of_blocks_are_kernels():
    smaller = mercer.function(lambda x, y: np.minimum(x, y).sum(), "smaller")
    in_blocks = mercer.function(lambda x, y: np.minimum(x[:, None], y[None]).sum(axis=2), "smaller", blocks=True)
    expected = np.minimum(X[:, None], Y[None]).sum(axis=2)
    np.testing.assert_allclose(smaller(X, Y), expected)
    np.testing.assert_allclose(in_blocks(X, Y), expected)
    np.testing.assert_allclose((2 * smaller + mercer.linear())(X, Y), 2 * expected + X @ Y.T)


def test_a_function_cannot_be_pickled_with_its_kernel():
    with pytest.raises(TypeError, match="user\\(smaller\\)"):
        pickle.dumps(mercer.function(lambda x, y: 1.0, "smaller") + mercer.linear())


def test_what_a_function_raises_comes_out():
    def fails(x, y):
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        mercer.function(fails)(X, Y)


def test_errors_are_the_librarys_words():
    with pytest.raises(ValueError, match="gamma = -1 must be positive"):
        mercer.rbf(-1)
    with pytest.raises(ValueError, match="no rule"):
        mercer.rbf("often")
    with pytest.raises(ValueError, match="row 1, column 0 is nan"):
        mercer.rbf(1)([[1.0], [np.nan]])
    with pytest.raises(ValueError, match="1 dimension"):
        mercer.rbf(1)(np.zeros(3))
    with pytest.raises(ValueError):
        mercer.Kernel("no such kernel")


def test_what_is_known_without_data():
    assert mercer.rbf(1).definiteness == "psd"
    assert mercer.additive_chi2().definiteness == "conditional"
    assert mercer.sigmoid(1).definiteness == "unknown"
