"""What cannot be understood is a ValueError or a TypeError that says so, also below the estimators."""
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import mercer

X = np.random.RandomState(0).rand(20, 3)

BAD = {
    "text": (lambda: mercer.rbf(1.0)([["a"]]), "could not convert string"),
    "ragged": (lambda: mercer.rbf(1.0)([[1.0, 2.0], [3.0]]), "inhomogeneous"),
    "none": (lambda: mercer.rbf(1.0)([[None, object()]]), "float"),
    "one row": (lambda: mercer.rbf(1.0)([1.0, 2.0]), "1 dimension"),
    "complex": (lambda: mercer.rbf(1.0)(X + 1j), "complex"),
    "complex and sparse": (lambda: mercer.rbf(1.0)(scipy.sparse.csr_matrix(X + 1j)), "complex"),
    "complex tensor": (lambda: mercer._mercer.fit_tucker(np.ones((3, 3, 3)) * 1j, ranks=[1, 1, 1]), "complex"),
    "gamma of none": (lambda: mercer.rbf(None), "gamma = None is no number"),
    "gamma of a list": (lambda: mercer.laplacian([1.0]), "is no number"),
    "gamma of a rule": (lambda: mercer.rbf("mean"), "is no rule"),
    "ragged coordinates": (lambda: mercer.sparse_tensor([[0, 1], [0]], [1.0, 2.0]), "inhomogeneous"),
    "coordinates without entries": (lambda: mercer.sparse_tensor(np.empty((3, 0)), []), "shape"),
    "too few values": (lambda: mercer.sparse_tensor([[0, 1], [0, 1]], [1.0]), "2 entries, and 1 values"),
    "a search that is none": (lambda: mercer.compare(X, ["pca"], neighbors_algorithm="zz"), "neighbors_algorithm='zz'"),
    "an option of another kind": (lambda: mercer._mercer.fit_isomap(X, components="two"), "components cannot be 'two'"),
    "components of another kind": (lambda: mercer._mercer.fit_pca(X, "two"), "Unable to cast"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_words(name):
    call, words = BAD[name]
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_widths_that_do_not_match_are_refused():
    with pytest.raises(ValueError):
        mercer.rbf(1.0)(X, X[:, :2])


@pytest.mark.parametrize("form", ["coo", "csc", "csr", "lil", "dok"])
def test_every_sparse_form_is_taken(form):
    np.testing.assert_allclose(mercer.rbf(0.5)(scipy.sparse.csr_matrix(X).asformat(form)), mercer.rbf(0.5)(X), atol=1e-12)


def test_a_basis_is_equal_to_nothing_else():
    basis = mercer.Basis("poly(degree=2)")
    assert basis == mercer.Basis("poly(degree=2)") and basis != 3 and not basis == "poly(degree=2)"


PICKLES = {
    "Kernel": "mercer.rbf(0.5) + mercer.linear()",
    "Basis": "mercer.Basis('poly(degree=2)')",
    "SparseTensor": "mercer.sparse_tensor([[0, 1], [1, 2]], [1.0, 2.0])",
    "empty": "mercer.sparse_tensor([[], []], [], (2, 3))",
}


@pytest.mark.parametrize("name", PICKLES)
def test_every_pickle_protocol_works(name):
    """In another process, since what is wrong here may end it."""
    program = f"""
import pickle, mercer
given = {PICKLES[name]}
for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
    same = pickle.loads(pickle.dumps(given, protocol))
    assert type(same) is type(given) and repr(same) == repr(given), protocol
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_belongs_to_an_estimator_is_pickled_with_it_alone():
    program = """
import pickle, numpy as np, mercer
X = np.random.RandomState(0).rand(30, 3)
kpca = mercer.KernelPCA(2, kernel="rbf").fit(X)
graph = mercer.NeighborGraph(X, 5, pieces="bridge")._graph
for given in (kpca.report_, kpca.report_.plan, kpca._model, mercer.check_kernel(mercer.rbf(1.0), X), graph, mercer._mercer.Run()):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        try:
            pickle.loads(pickle.dumps(given, protocol))
        except TypeError as error:
            assert "cannot pickle" in str(error)
        else:
            raise AssertionError(given)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_kernel_of_a_function_is_pickled_with_it_and_a_sum_is_refused():
    kernel = mercer.function(np.dot)
    for protocol in (0, 1, 2, 4):
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel, protocol))(X), kernel(X))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(kernel + mercer.linear())
