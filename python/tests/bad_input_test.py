"""What cannot be understood is a ValueError or a TypeError that says so, also below the estimators."""
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_iris

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


IRIS, SPECIES = load_iris(return_X_y=True)


def test_advice_is_in_pythons_words():
    two = np.vstack([IRIS, IRIS + 100])
    for call, words in (
        (lambda: mercer.Isomap(n_neighbors=3, pieces="error").fit(two), "pieces='largest' to keep"),
        (lambda: mercer.KernelPCA(kernel="sigmoid").fit(IRIS), "ask for a number of components"),
        (lambda: mercer.CP(2, max_iter=1).fit(np.random.RandomState(0).rand(10, 6, 5)), "allow_partial="),
        (lambda: mercer.RandomFeaturePCA(memory=1000).fit(IRIS), "n_features_map="),
    ):
        with pytest.raises(Exception, match=words) as caught:
            call()
        assert "--" not in str(caught.value)
    told = str(mercer.check_kernel("sigmoid(gamma=0.1, coef0=-3)", IRIS))
    assert "KernelPCA with a number of components" in told and "--" not in told


def test_a_kernel_that_has_no_gamma_refuses_one():
    with pytest.raises(ValueError, match="matern32.length=2"):
        mercer.KernelPCA(2, kernel="matern32", gamma=0.1).fit(IRIS)
    assert mercer.KernelLDA(kernel="matern32").fit(IRIS, SPECIES).score(IRIS, SPECIES) > 0.9
    assert mercer.KernelLDA(kernel="poly").fit(IRIS, SPECIES).gamma_ == 0.25
    with pytest.raises(ValueError, match="n_classes - 1=2"):
        mercer.KernelLDA(9).fit(IRIS, SPECIES)


def test_shares_of_a_trace_that_negative_eigenvalues_have_eaten_up_are_of_the_positive_part():
    X = IRIS - IRIS.mean(0)
    fitted = mercer.KernelPCA(3, kernel="sigmoid", gamma=1, coef0=1).fit(X)
    gram = np.tanh(X @ X.T + 1)
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    values = np.linalg.eigvalsh(centred)
    assert values.sum() < 0.9 * values[values > 0].sum()
    np.testing.assert_allclose(fitted.explained_variance_ratio_, values[::-1][:3] / values[values > 0].sum(), rtol=1e-9)
    shares = mercer.KernelPCA(3, kernel="rbf").fit(IRIS).explained_variance_ratio_
    assert 0.5 < shares.sum() < 1


def test_numbers_whose_squares_overflow():
    for estimator in (mercer.PCA(2), mercer.TSNE()):
        with pytest.raises(ValueError, match="scale the data first"):
            estimator.fit(IRIS * 1e160)


def test_large_matrices_that_overflow():
    large = np.random.default_rng(0).normal(size=(1100, 1050)) * 1e160
    with pytest.raises(ValueError, match="overflow"):
        mercer.PCA(200).fit(large)


def test_groups_of_equal_points_far_apart():
    with pytest.warns(UserWarning, match="only 1 that are not zero"):
        places = mercer.Isomap().fit(np.repeat([[0.0], [1.0], [3.0]], 40, axis=0)).embedding_
    np.testing.assert_allclose(np.abs(places[[0, 40], 0] - places[[40, 80], 0]), [1, 2])


@pytest.mark.parametrize("call", [lambda x: mercer.Isomap().fit(x), lambda x: mercer.Isomap().fit_transform(x),
                                  lambda x: mercer.Isomap().set_output(transform="pandas").fit_transform(x),
                                  lambda x: mercer.MissingPCA(3).fit(x), lambda x: mercer.MissingPCA(3).fit_transform(x)])
def test_warnings_point_to_the_line_that_called(call):
    with pytest.warns(UserWarning, match="there are only") as caught:
        call(np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0]], 40, axis=0))
    assert {warning.filename for warning in caught} == {__file__}


def test_wrong_kinds_are_named():
    with pytest.raises(TypeError, match="NeighborGraph"):
        mercer.Isomap().fit(IRIS, graph="x")
    with pytest.raises(ValueError, match="progress=3"), pytest.warns(FutureWarning):
        mercer.KernelPCA(progress=3).fit(IRIS)


def test_one_name_where_several_may_be():
    assert str(mercer.tune(IRIS, kernels="rbf").kernel).startswith("rbf")
    assert [one.title for one in mercer.compare(IRIS, "pca,isomap", pieces="bridge")] == ["PCA", "Isomap"]


def test_landmarks_are_asked_for_by_their_number():
    assert mercer.KernelPCA(2, kernel="rbf", rank=20).fit(IRIS).report_.plan.route == "lowrank"


def test_small_data_has_a_map_at_the_usual_perplexity():
    tsne = mercer.TSNE(n_iter=250).fit(IRIS[:60])
    assert tsne.embedding_.shape == (60, 2)
    assert np.array_equal(pickle.loads(pickle.dumps(tsne)).embedding_, tsne.embedding_)  # as files keep it
    with pytest.raises(ValueError, match="perplexity of 30"):
        mercer.TSNE().fit(IRIS[:25])


def test_a_frame_with_gaps_stays_a_frame(recwarn):
    frame = load_iris(as_frame=True).data
    filled = mercer.MissingPCA(1).fit(frame.mask(frame > 7.5)).fill(frame.mask(frame > 7.5))
    assert list(filled.columns) == list(frame.columns) and not filled.isna().any().any() and not recwarn.list


def test_a_loaded_model_finds_its_way_back(tmp_path):
    mercer.KernelPCA(4, kernel="rbf", gamma=0.1).fit(IRIS).save(tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert np.abs(loaded.inverse_transform(loaded.transform(IRIS)) - IRIS).mean() < 0.3


def test_a_function_that_gives_no_number_is_told_from_one_of_blocks():
    with pytest.raises(ValueError, match="gave ndarray.*blocks=True"):
        mercer.KernelPCA(kernel=lambda x, y: np.outer(x, y)).fit(IRIS)
    with pytest.raises(ValueError, match="gave str"):
        mercer.KernelPCA(kernel=lambda x, y: "near").fit(IRIS)


def test_a_feature_that_is_not_there_is_missed_at_the_fit():
    with pytest.raises(ValueError, match="x9"):
        mercer.FeatureMap("x1*x9").fit(IRIS)


def test_maps_to_begin_with_are_looked_at():
    with pytest.raises(ValueError, match="in one place"):
        mercer.TSNE(init=np.ones((150, 2))).fit(IRIS)
    with pytest.raises(ValueError, match="no points"):
        mercer.TSNE(init=np.empty((0, 2))).fit(IRIS)


@pytest.mark.parametrize("exact", [{"eigen_solver": "dense"}, {"solver": "stored"}])
@pytest.mark.parametrize("about", [{"rank": 20}, {"tolerance": 0.1}, {"max_rank": 30}, {"landmarks": "uniform"}, {"landmarks": [1, 2]}])
def test_landmarks_beside_an_exact_solver_are_refused(exact, about):
    assert mercer.KernelPCA(2, kernel="rbf", **exact).fit(IRIS).report_.plan.route == (exact.get("solver") or "dense")
    with pytest.raises(ValueError, match="is exact: leave one of them out"):
        mercer.KernelPCA(2, kernel="rbf", **exact, **about).fit(IRIS)
    assert not hasattr(mercer.KernelPCA(2, kernel="rbf", **exact, **about), "partial_fit")


def test_a_largest_rank_asks_for_landmarks():
    assert mercer.KernelPCA(2, kernel="rbf", max_rank=30).fit(IRIS).report_.plan.route == "lowrank"


def test_fewer_functions_than_relations_asked_for():
    with pytest.warns(UserWarning, match="only [0-9]+ functions"):
        mercer.BasisPCA(99, smallest=True, basis="poly(degree=2)").fit(IRIS)


def test_small_things(recwarn):
    mercer.KernelPCA(2, progress=np.False_).fit(IRIS)
    assert len(mercer.compare(IRIS, "pca, isomap", pieces="bridge")) == 2
    with pytest.raises(ValueError, match=r"ridge=[0-9]"):
        mercer.LDA(ridge=1e-30).fit(np.repeat(IRIS, 2, axis=1), IRIS[:, 0] > 5.8)
    assert not any("center" in line for line in mercer.check_kernel("expr('-sqdist')", IRIS).advice)


def test_gamma_beside_a_kernel_that_has_its_own():
    with pytest.raises(ValueError, match=r"gamma=5 beside kernel=rbf\(gamma=0.1\)"):
        mercer.KernelPCA(2, kernel=mercer.rbf(0.1), gamma=5).fit(IRIS)


def test_shares_of_an_indefinite_kernel_are_warned_about():
    with pytest.warns(UserWarning, match="not positive semidefinite on this data"):
        shares = mercer.KernelPCA(3, kernel="sigmoid", gamma=1, coef0=1).fit(IRIS - IRIS.mean(0)).explained_variance_ratio_
    assert (shares > 0).all() and shares.sum() <= 1
