"""The command line and Python are one: the same numbers, and each reads the other's models, graphs and arrays."""
import json
import os
import subprocess

import numpy as np
import pytest

import mercer

pytestmark = pytest.mark.skipif("MERCER_PROGRAM" not in os.environ, reason="the command line was not built")

ROLL, HEIGHT, _ = mercer.generate("swiss-roll", 300, seed=1)
NEW = ROLL[:20] + 0.05
MOONS, SIDE, _ = mercer.generate("moons", 200, seed=1)
SPOTS, _, _ = mercer.generate_tensor("spots", 25)
MIX, _, _ = mercer.generate_tensor("fluorescence", 12)


def run(*words):
    words = [os.environ["MERCER_PROGRAM"], *map(str, words)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


# The words of the command line, and the estimator that they mean.
ON_POINTS = {
    "isomap": ("isomap --neighbors 10 -k 3", mercer.Isomap(n_neighbors=10, n_components=3)),
    "landmarks": ("isomap --neighbors 10 --landmarks 50 --seed 7", mercer.Isomap(n_neighbors=10, landmarks=50, random_state=7)),
    "lle": ("lle --neighbors 9", mercer.LocallyLinearEmbedding(n_neighbors=9)),
    "hessian": ("hlle --neighbors 9", mercer.LocallyLinearEmbedding(n_neighbors=9, method="hessian")),
    "laplacian": ("laplacian --weights heat --heat 3", mercer.LaplacianEigenmaps(n_neighbors=12, weights="heat", heat=3.0)),
    "random walk": ("laplacian --laplacian random-walk", mercer.LaplacianEigenmaps(n_neighbors=12, laplacian="random-walk")),
    "diffusion": ("laplacian --diffusion 2 --alpha 0.5", mercer.DiffusionMap(time=2, alpha=0.5)),
    "unfolding": ("mvu --neighbors 8 --basis 15", mercer.MaximumVarianceUnfolding(n_neighbors=8, basis=15)),
    "tsne": ("tsne --perplexity 20 --iterations 300", mercer.TSNE(perplexity=20, n_iter=300)),
    "basis": ("basis-pca --basis monomials(degree=3)", mercer.BasisPCA(2, basis="monomials(degree=3)")),
    "bumps": ("basis-pca --basis radial(9) --seed 4", mercer.BasisPCA(2, basis="radial(9)", random_state=4)),
    "random features": ("kpca --features 128 --kernel rbf(gamma=0.01) -k 2", mercer.RandomFeaturePCA(2, gamma=0.01, n_features_map=128)),
}


@pytest.mark.parametrize("words, estimator", ON_POINTS.values(), ids=ON_POINTS)
def test_points_are_mapped_alike_and_models_are_shared(words, estimator, tmp_path):
    np.save(tmp_path / "x.npy", ROLL)
    np.save(tmp_path / "new.npy", NEW)
    command, *options = words.split(" ")
    run(command, tmp_path / "x.npy", *options, "--out", tmp_path / "z.npy", "--model", tmp_path / "theirs", "--quiet", "--threads", 1)
    estimator.set_params(n_jobs=1)
    ours = estimator.fit_transform(ROLL)
    np.testing.assert_array_equal(ours, np.load(tmp_path / "z.npy"))

    theirs = mercer.load(tmp_path / "theirs")
    assert type(theirs) is type(estimator)
    np.testing.assert_array_equal(theirs.transform(NEW), estimator.transform(NEW))
    estimator.save(tmp_path / "ours")
    run("transform", tmp_path / "ours", tmp_path / "new.npy", "--out", tmp_path / "znew.npy", "--quiet", "--threads", 1)
    np.testing.assert_array_equal(np.load(tmp_path / "znew.npy"), estimator.transform(NEW))
    assert json.loads(run("info", tmp_path / "ours", "--json"))["method"] == theirs.report_.method


WITH_CLASSES = {
    "lda": ("lda", mercer.LDA()),
    "klda": ("klda --ridge 0.01", mercer.KernelLDA(ridge=0.01)),
    "low rank": ("klda --rank 20 --kernel rbf(gamma=2)", mercer.KernelLDA(solver="lowrank", rank=20, gamma=2.0)),
    "cross-validated": ("klda --cv 3", mercer.KernelLDA(cv=3)),
}


@pytest.mark.parametrize("words, estimator", WITH_CLASSES.values(), ids=WITH_CLASSES)
def test_classes_are_told_apart_alike(words, estimator, tmp_path):
    mercer.write(tmp_path / "x.csv", MOONS, columns=["a", "b"], labels=SIDE, label="side")
    mercer.write(tmp_path / "new.csv", MOONS[:40] + 0.05, columns=["a", "b"])
    command, *options = words.split(" ")
    run(command, tmp_path / "x.csv", "--label", "side", *options, "--out", tmp_path / "z.npy", "--model", tmp_path / "theirs", "--quiet", "--threads", 1)
    estimator.set_params(n_jobs=1).fit(MOONS, SIDE)
    np.testing.assert_array_equal(estimator.transform(MOONS), np.load(tmp_path / "z.npy"))
    theirs = mercer.load(tmp_path / "theirs")
    assert theirs.classes_.tolist() == estimator.classes_.tolist() == ["lower", "upper"]
    estimator.save(tmp_path / "ours")
    run("predict", tmp_path / "ours", tmp_path / "new.csv", "--out", tmp_path / "found.csv", "--quiet", "--threads", 1)
    found = (tmp_path / "found.csv").read_text().split()[1:]
    np.testing.assert_array_equal(found, estimator.predict(MOONS[:40] + 0.05))
    np.testing.assert_array_equal(theirs.predict(MOONS[:40] + 0.05), estimator.predict(MOONS[:40] + 0.05))


ON_ARRAYS = {
    "tucker": ("tucker --ranks 3,4,3 --hooi 3", mercer.Tucker((3, 4, 3), hooi=3), MIX),
    "tucker by error": ("tucker --error 0.1", mercer.Tucker(error=0.1), MIX),
    "cp": ("cp --rank 3 --nonnegative", mercer.CP(3, nonnegative=True), MIX),
    "svd2d": ("svd2d --ranks 4,5", mercer.SVD2D((4, 5)), SPOTS),
    "kernel": ("kpca --tensor --ranks 4,4 --kernel rbf(gamma=0.1) -k 2", mercer.TensorKernelPCA(2, ranks=(4, 4), gamma=0.1), SPOTS),
}


@pytest.mark.parametrize("words, estimator, X", ON_ARRAYS.values(), ids=ON_ARRAYS)
def test_arrays_are_decomposed_alike(words, estimator, X, tmp_path):
    mercer.write_tensor(tmp_path / "x.npy", X)
    command, *options = words.split(" ")
    run(command, tmp_path / "x.npy", *options, "--out", tmp_path / "z.npy", "--model", tmp_path / "theirs", "--quiet", "--threads", 1)
    X = mercer.read_tensor(tmp_path / "x.npy")  # the same layout
    ours = estimator.set_params(n_jobs=1).fit_transform(X)
    np.testing.assert_allclose(ours, np.load(tmp_path / "z.npy"), atol=1e-9 * np.abs(ours).max())
    theirs = mercer.load(tmp_path / "theirs")
    assert type(theirs) is type(estimator)
    np.testing.assert_allclose(theirs.transform(X[:3]), estimator.transform(X[:3]), atol=1e-9 * np.abs(ours).max())
    estimator.save(tmp_path / "ours")
    run("transform", tmp_path / "ours", tmp_path / "x.npy", "--out", tmp_path / "znew.npy", "--quiet", "--threads", 1)
    np.testing.assert_allclose(np.load(tmp_path / "znew.npy"), estimator.transform(X), atol=1e-12 * np.abs(ours).max())


def test_variances_of_pca_are_over_n_minus_one_whoever_made_the_file(tmp_path):
    np.save(tmp_path / "x.npy", ROLL)
    run("pca", tmp_path / "x.npy", "-k", 2, "--model", tmp_path / "theirs", "--quiet")
    theirs, ours = mercer.load(tmp_path / "theirs"), mercer.PCA(2).fit(ROLL)
    for name in ("explained_variance_", "noise_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(theirs, name), getattr(ours, name), rtol=1e-12)
    assert np.isclose(theirs.score(ROLL), ours.score(ROLL), rtol=1e-12)


def test_gaps_are_estimated_alike(tmp_path):
    X = ROLL @ np.random.RandomState(0).standard_normal((3, 6))
    X[np.random.RandomState(1).rand(*X.shape) < 0.1] = np.nan
    np.save(tmp_path / "x.npy", X)
    run("pca", tmp_path / "x.npy", "--missing", "fit", "-k", 3, "--out", tmp_path / "z.npy", "--model", tmp_path / "theirs", "--quiet", "--threads", 1)
    ours = mercer.MissingPCA(3, n_jobs=1)
    np.testing.assert_array_equal(ours.fit_transform(X), np.load(tmp_path / "z.npy"))
    assert type(mercer.load(tmp_path / "theirs")) is mercer.MissingPCA


def test_graphs_are_shared(tmp_path):
    np.save(tmp_path / "x.npy", ROLL)
    run("isomap", tmp_path / "x.npy", "--neighbors", 8, "--save-graph", tmp_path / "graph", "--out", tmp_path / "z.npy", "--quiet", "--threads", 1)
    graph = mercer.NeighborGraph.load(tmp_path / "graph")
    np.testing.assert_array_equal(mercer.Isomap(n_jobs=1).fit_transform(ROLL, graph=graph), np.load(tmp_path / "z.npy"))


def test_verdicts_and_generated_data_are_the_same(tmp_path):
    np.save(tmp_path / "x.npy", ROLL)
    said = json.loads(run("check-kernel", "sigmoid(gamma=0.1, coef0=-1)", tmp_path / "x.npy", "--json"))
    ours = json.loads(mercer.check_kernel("sigmoid(gamma=0.1, coef0=-1)", ROLL).to_json())
    assert said["verdict"] == ours["verdict"] and said["min_eigenvalue"] == pytest.approx(ours["min_eigenvalue"])
    run("generate", "swiss-roll", "--n", 300, "--seed", 1, "--out", tmp_path / "roll.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "roll.npy")[:, :3], ROLL)
