"""Maps of neighbourhood graphs and t-SNE: scikit-learn's numbers, quality, graphs used again, new points."""
import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn import manifold
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.neighbors import kneighbors_graph

import mercer

ROLL, HEIGHT, _ = mercer.generate("swiss-roll", 500, seed=3)
METHODS = {
    "isomap": lambda **o: mercer.Isomap(n_neighbors=10, **o),
    "isomap with landmarks": lambda **o: mercer.Isomap(n_neighbors=10, landmarks=60, **o),
    "lle": lambda **o: mercer.LocallyLinearEmbedding(n_neighbors=10, **o),
    "modified lle": lambda **o: mercer.LocallyLinearEmbedding(n_neighbors=10, method="modified", **o),
    "hessian lle": lambda **o: mercer.LocallyLinearEmbedding(n_neighbors=10, method="hessian", **o),
    "laplacian": lambda **o: mercer.LaplacianEigenmaps(n_neighbors=10, **o),
    "diffusion": lambda **o: mercer.DiffusionMap(n_neighbors=10, **o),
    "unfolding": lambda **o: mercer.MaximumVarianceUnfolding(basis=10, **o),
    "t-SNE": lambda **o: mercer.TSNE(**o),
}
each_method = pytest.mark.parametrize("make", METHODS.values(), ids=METHODS)


def same_up_to_signs(a, b, rtol):
    signs = np.sign(np.sum(a * b, axis=0))
    np.testing.assert_allclose(a, b * signs, atol=rtol * np.abs(b).max())


def test_isomap_is_scikit_learns():
    theirs = manifold.Isomap(n_neighbors=10, n_components=3).fit(ROLL[:400])
    ours = mercer.Isomap(n_neighbors=10, n_components=3).fit(ROLL[:400])
    same_up_to_signs(ours.embedding_, theirs.embedding_, 1e-8)
    same_up_to_signs(ours.transform(ROLL[400:]), theirs.transform(ROLL[400:]), 1e-6)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.kernel_pca_.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize("method", ["standard", "modified", "hessian"])
def test_locally_linear_embedding_is_scikit_learns(method):
    options = dict(n_neighbors=10, n_components=2, method=method)
    theirs = manifold.LocallyLinearEmbedding(eigen_solver="dense", **options).fit(ROLL)
    ours = mercer.LocallyLinearEmbedding(**options).fit(ROLL)
    same_up_to_signs(ours.embedding_, theirs.embedding_, 1e-4)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4, abs=1e-12)


def test_laplacian_eigenmaps_are_scikit_learns_of_the_same_graph():
    links = kneighbors_graph(ROLL, 10)
    links = ((links + links.T) > 0).astype(float)
    theirs = manifold.SpectralEmbedding(2, affinity="precomputed", eigen_solver="arpack").fit_transform(links)
    same_up_to_signs(mercer.LaplacianEigenmaps(2, n_neighbors=10).fit_transform(ROLL), theirs, 1e-5)


def test_heat_weights_and_the_laplacian_change_the_map():
    plain = mercer.LaplacianEigenmaps(2, n_neighbors=10).fit(ROLL)
    for other in (dict(weights="heat"), dict(laplacian="unnormalized"), dict(weights="heat", heat=2.0)):
        assert not np.allclose(np.abs(mercer.LaplacianEigenmaps(2, n_neighbors=10, **other).fit(ROLL).embedding_), np.abs(plain.embedding_))
    assert mercer.LaplacianEigenmaps(2, weights="heat", heat=2.0).fit(ROLL).heat_ == 2.0


def test_diffusion_time_shrinks_each_coordinate_by_its_eigenvalue():
    first, third = (mercer.DiffusionMap(2, time=t).fit(ROLL) for t in (1, 3))
    same_up_to_signs(third.embedding_, first.embedding_ * first.eigenvalues_**2, 1e-8)
    assert np.all(np.diff(first.eigenvalues_) <= 0) and first.eigenvalues_[0] < 1


def test_unfolding_keeps_the_distances_of_neighbours_and_flattens():
    curve, along, _ = mercer.generate("s-curve", 500, seed=3)
    unfolded = mercer.MaximumVarianceUnfolding(2).fit(curve)
    assert unfolded.isometry_mean_ < 0.2
    assert np.abs(np.corrcoef(unfolded.embedding_[:, 0], along)[0, 1]) > 0.99


def test_tsne_keeps_digits_together():
    X, y = load_digits(n_class=4, return_X_y=True)
    tsne = mercer.TSNE(perplexity=20).fit(X)
    nearest = kneighbors_graph(tsne.embedding_, 1).indices
    assert np.mean(y[nearest] == y) > 0.97
    assert tsne.kl_divergence_ == pytest.approx(tsne.kl_history_[-1], rel=0.05)
    theirs = manifold.TSNE(perplexity=20, init="pca", learning_rate="auto", random_state=0).fit(X)
    assert tsne.kl_divergence_ < 1.1 * theirs.kl_divergence_


def test_trustworthiness_is_scikit_learns():
    isomap = mercer.Isomap(n_neighbors=10).fit(ROLL)
    k = isomap.report_.embedding["quality"]["neighbors"]
    expected = manifold.trustworthiness(ROLL, isomap.embedding_, n_neighbors=k)
    assert isomap.trustworthiness_ == pytest.approx(expected, abs=1e-9)
    assert 0 < isomap.neighbor_preservation_ <= 1 and 0 < isomap.continuity_ <= 1 and 0 <= isomap.stress_ < 1


@each_method
def test_a_method_maps_its_points_and_new_ones(make):
    fitted = make(n_components=2).fit(ROLL[:450])
    assert fitted.embedding_.shape == (450, 2) and np.isfinite(fitted.embedding_).all()
    assert fitted.rows_.tolist() == list(range(450))
    new = fitted.transform(ROLL[450:])
    assert new.shape == (50, 2)
    nearest = np.argmin(((ROLL[450:, None] - ROLL[None, :450]) ** 2).sum(axis=2), axis=1)
    spread = np.linalg.norm(np.ptp(fitted.embedding_, axis=0))
    assert np.median(np.linalg.norm(new - fitted.embedding_[nearest], axis=1)) < 0.1 * spread


@each_method
def test_single_precision_stays_single_and_names_are_the_methods(make):
    fitted = make(n_components=2).fit(ROLL.astype(np.float32))
    assert fitted.embedding_.dtype == np.float32 and fitted.transform(ROLL[:3].astype(np.float32)).dtype == np.float32
    prefix = type(fitted).__name__.lower()
    assert fitted.get_feature_names_out().tolist() == [f"{prefix}0", f"{prefix}1"]


@each_method
def test_files_pickles_and_clones_give_the_same(make, tmp_path):
    fitted = make(n_components=2).fit(ROLL)
    fitted.save(tmp_path / "model")
    for again in (mercer.load(tmp_path / "model"), type(fitted).load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted)), clone(fitted).fit(ROLL)):
        assert type(again) is type(fitted)
        np.testing.assert_array_equal(again.embedding_, fitted.embedding_)
        np.testing.assert_array_equal(again.transform(ROLL[:5] + 0.1), fitted.transform(ROLL[:5] + 0.1))
    loaded = mercer.load(tmp_path / "model").get_params()
    for name in ("method", "laplacian", "weights", "time", "alpha"):
        if name in loaded and not isinstance(fitted, mercer.TSNE):
            assert loaded[name] == fitted.get_params()[name]


@pytest.mark.parametrize("make", list(METHODS.values())[:-1], ids=list(METHODS)[:-1])
def test_a_graph_is_used_again(make, tmp_path):
    graph = mercer.NeighborGraph(ROLL, n_neighbors=9)
    graph.save(tmp_path / "graph")
    n = dict(n_neighbors=9)
    expected = make().set_params(**n).fit_transform(ROLL)
    for same in (graph, mercer.NeighborGraph.load(tmp_path / "graph"), pickle.loads(pickle.dumps(graph))):
        np.testing.assert_allclose(make().fit_transform(ROLL, graph=same), expected, atol=1e-12)
    with pytest.raises(ValueError, match="graph"):
        make().fit(ROLL[:100], graph=graph)


def test_the_graph_is_scikit_learns():
    graph = mercer.NeighborGraph(ROLL, n_neighbors=7)
    theirs = kneighbors_graph(ROLL, 7, mode="distance")
    assert abs(graph.to_sparse() - theirs.maximum(theirs.T)).max() < 1e-10
    assert len(graph) == 500 and graph.rows_ == list(range(500))
    assert graph.report_["pieces"] == 1 and graph.report_["recall"] == 1


def test_sparse_rows_are_taken():
    X = np.where(ROLL > 0, ROLL, 0)
    dense, sparse = (mercer.Isomap(n_neighbors=12).fit_transform(x) for x in (X, scipy.sparse.csr_matrix(X)))
    same_up_to_signs(sparse, dense, 1e-7)


PIECES = make_blobs([40, 60], centers=[[0, 0], [50, 50]], random_state=0)[0]


@pytest.mark.parametrize("make", list(METHODS.values())[:-1], ids=list(METHODS)[:-1])
def test_pieces_are_joined_left_out_or_refused(make):
    with pytest.warns(UserWarning, match="2 pieces"):
        joined = make(pieces="bridge").set_params(n_neighbors=10).fit(PIECES)
    assert np.isfinite(joined.embedding_).all()
    with pytest.warns(UserWarning, match="40 points are left out"):
        largest = make(pieces="largest").set_params(n_neighbors=10, **({"landmarks": None} if hasattr(joined, "landmarks") else {})).fit(PIECES)
    assert largest.embedding_.shape == (100, 2)
    assert np.isnan(largest.embedding_[:, 0]).sum() == 40 and np.isfinite(largest.embedding_[largest.rows_]).all()
    with pytest.raises(ValueError, match="pieces"):
        make(pieces="error").set_params(n_neighbors=10).fit(PIECES)


def test_errors_are_the_librarys_words():
    with pytest.raises(ValueError, match="neighbo"):
        mercer.Isomap(n_neighbors=30).fit(ROLL[:20])
    with pytest.raises(ValueError, match="perplexity"):
        mercer.TSNE(perplexity=30).fit(ROLL[:20])
    with pytest.raises(ValueError, match="'metric' parameter"):
        mercer.Isomap(metric="cosine").fit(ROLL)
    with pytest.raises(ValueError, match="Hessian|hessian|neighbo"):
        mercer.LocallyLinearEmbedding(n_neighbors=4, method="hessian").fit(ROLL)
    with pytest.raises(ValueError, match="is 'isomap'"):
        mercer.Isomap._from_model(mercer.LaplacianEigenmaps().fit(ROLL)._model)


def test_plans_say_what_a_fit_would_do():
    whole, few = (mercer.Isomap(n_neighbors=10, landmarks=count).explain(ROLL) for count in (None, 50))
    assert "geodesic kernel 500x500" in whole and "geodesic kernel 50x50 of landmarks, 500 points" in few
    assert "trustworthiness" in mercer.Isomap(n_neighbors=10).fit(ROLL).explain().lower()


def test_what_scikit_learn_refuses_is_refused_and_what_it_takes_is_taken():
    for isomap in (mercer.Isomap, manifold.Isomap):
        with pytest.raises(ValueError, match="Both n_neighbors and radius are provided"):
            isomap(n_neighbors=5, radius=2.0).fit(ROLL)
    assert mercer.Isomap(n_neighbors=None, radius=8.0).fit(ROLL).embedding_.shape == (len(ROLL), 2)
    quiet = mercer.TSNE(perplexity=10, n_iter=60, metric="euclidean", verbose=0).fit(ROLL[:100])
    assert quiet.embedding_.shape == (100, 2)
    with pytest.raises(ValueError, match="'metric' parameter"):
        mercer.TSNE(metric="cosine").fit(ROLL[:100])


@each_method
def test_the_seed_decides_and_progress_is_told(make):
    stages = []
    one = make(random_state=1, progress=lambda stage, fraction: stages.append(stage)).fit(ROLL)
    np.testing.assert_array_equal(make(random_state=1).fit(ROLL).embedding_, one.embedding_)
    assert stages
