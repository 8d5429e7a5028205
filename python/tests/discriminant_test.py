"""LDA and KernelLDA: scikit-learn's LDA, curved boundaries, classes of any kind, files."""
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

X, Y = load_iris(return_X_y=True)
MOONS, SIDE = make_moons(300, noise=0.15, random_state=0)


def test_lda_is_scikit_learns_up_to_signs():
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, Y)
    ours = mercer.LDA().fit(X, Y)
    a, b = ours.transform(X), theirs.transform(X)
    np.testing.assert_allclose(np.abs(np.corrcoef(a.T, b.T)[:2, 2:]), np.eye(2), atol=1e-6)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, Y) == theirs.score(X, Y)


def test_within_a_class_the_scores_of_lda_have_variance_one():
    z = mercer.LDA().fit_transform(X, Y)
    pooled = sum(np.cov(z[Y == c].T, bias=True) * np.sum(Y == c) for c in range(3)) / (len(X) - 3)
    np.testing.assert_allclose(pooled, np.eye(2), atol=0.03)


def test_curved_boundaries_beat_straight_ones():
    straight, curved = (cross_val_score(e, MOONS, SIDE, cv=5).mean() for e in (mercer.LDA(), mercer.KernelLDA(gamma=3.0)))
    assert curved > 0.95 > straight


def test_kernel_lda_with_the_linear_kernel_is_lda():
    scaled = StandardScaler().fit_transform(X)
    linear = mercer.LDA(ridge=1e-6).fit_transform(scaled, Y)
    kernel = mercer.KernelLDA(kernel="linear", ridge=1e-6).fit_transform(scaled, Y)
    np.testing.assert_allclose(np.abs(np.corrcoef(kernel.T, linear.T)[:2, 2:]), np.eye(2), atol=1e-4)


def test_centroids_are_the_mean_scores_and_the_nearest_decides():
    klda = mercer.KernelLDA(gamma=0.5, decision="centroid").fit(X, Y)
    z = klda.transform(X)
    np.testing.assert_allclose(klda.centroids_, [z[Y == c].mean(axis=0) for c in range(3)], atol=1e-9)
    nearest = np.argmin(((z[:, None] - klda.centroids_) ** 2).sum(axis=2), axis=1)
    np.testing.assert_array_equal(klda.predict(X), nearest)


def test_two_classes_have_a_threshold():
    klda = mercer.KernelLDA(gamma=3.0).fit(MOONS, SIDE)
    above = klda.transform(MOONS)[:, 0] > klda.threshold_
    assert np.array_equal(klda.predict(MOONS) == klda.predict(MOONS)[np.argmax(above)], above)


def test_cross_validation_chooses_width_and_ridge():
    klda = mercer.KernelLDA(cv=4, random_state=0).fit(MOONS, SIDE)
    errors = [t["error"] for t in klda.cv_results_]
    assert len(errors) > 10 and min(errors) == klda.cv_results_[klda.report_.discrimination["chosen"]]["error"]
    assert klda.score(MOONS, SIDE) > 0.95
    assert klda.ridge_ == klda.cv_results_[klda.report_.discrimination["chosen"]]["ridge"]


def test_a_few_landmarks_do_nearly_as_well():
    lowrank = mercer.KernelLDA(gamma=3.0, solver="lowrank", rank=40).fit(MOONS, SIDE)
    assert lowrank.score(MOONS, SIDE) > 0.95


@pytest.mark.parametrize("classes", [np.array(["setosa", "versicolor", "virginica"]), np.array([10, 2, 30]), np.array([1.0, 2.0, 9.0])], ids=str)
def test_classes_come_back_as_they_were_given(classes, tmp_path):
    y = classes[Y]
    klda = mercer.KernelLDA(gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(klda.classes_, np.unique(classes))
    assert klda.predict(X).dtype == y.dtype and klda.score(X, y) > 0.95
    klda.save(tmp_path / "model")
    for again in (mercer.load(tmp_path / "model"), pickle.loads(pickle.dumps(klda)), clone(klda).fit(X, y)):
        np.testing.assert_array_equal(again.predict(X), klda.predict(X))
        np.testing.assert_array_equal(again.transform(X), klda.transform(X))


@pytest.mark.parametrize("classes", [["01", "02", "03"], ["1", "2", "x"], ["1.50", "2", "3"], [3, 10, 200], [1.0, 2.0, 9.0], ["a", "b", "c"]],
                         ids=str)
@pytest.mark.parametrize("estimator", [mercer.LDA(), mercer.KernelLDA(gamma=0.5)], ids=lambda e: type(e).__name__)
def test_classes_in_a_file_are_of_the_kind_they_were(estimator, classes, tmp_path):
    estimator.fit(X, np.array(classes)[Y]).save(tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.classes_.tolist() == classes and loaded.predict(X[:1]).tolist() == classes[:1]


def test_classes_in_a_file_that_were_booleans_are_booleans(tmp_path):
    mercer.LDA().fit(MOONS, SIDE == 1).save(tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert loaded.classes_.dtype == bool and loaded.classes_.tolist() == [False, True]


def test_a_file_after_another_fit_brings_its_own_classes(tmp_path):
    mercer.LDA().fit(X, Y).save(tmp_path / "iris")
    lda = mercer.LDA().fit(MOONS, SIDE)
    assert lda.fit(X, Y).classes_.tolist() == [0, 1, 2]
    assert mercer.LDA.load(tmp_path / "iris").classes_.tolist() == [0, 1, 2]


def test_single_precision_names_pipelines_and_grids():
    klda = mercer.KernelLDA(gamma=0.5).fit(X.astype(np.float32), Y)
    assert klda.transform(X.astype(np.float32)).dtype == np.float32
    assert klda.get_feature_names_out().tolist() == ["kernellda0", "kernellda1"]
    search = GridSearchCV(make_pipeline(StandardScaler(), mercer.KernelLDA()), {"kernellda__gamma": [1e-4, 0.3, 100.0]}, cv=3)
    assert search.fit(X, Y).best_params_["kernellda__gamma"] == 0.3


def test_a_precomputed_kernel_is_that_kernel():
    K = mercer.rbf(0.5)(X)
    given = mercer.KernelLDA(kernel="precomputed").fit(K, Y).transform(K[:20])
    np.testing.assert_allclose(given, mercer.KernelLDA(gamma=0.5).fit(X, Y).transform(X[:20]), atol=1e-8)


def test_errors_are_value_errors_with_words():
    with pytest.raises(ValueError, match="two classes"):
        mercer.LDA().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="Unknown label type"):
        mercer.KernelLDA().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="'ridge' parameter"):
        mercer.KernelLDA(ridge=0).fit(X, Y)


def test_there_are_at_most_as_many_directions_as_classes_less_one():
    with pytest.raises(ValueError, match="cannot be larger than min"):
        mercer.LDA(n_components=3).fit(X, Y)
    with pytest.raises(ValueError, match="cannot be larger than min"):
        LinearDiscriminantAnalysis(n_components=3).fit(X, Y)
    assert mercer.LDA(n_components=2).fit_transform(X, Y).shape == (150, 2)
    assert mercer.LDA(n_components=1).fit_transform(X, Y).shape == (150, 1)


def dot(a, b):
    return float(a @ b)


def test_a_function_as_kernel_is_pickled_with_the_model():
    klda = mercer.KernelLDA(kernel=dot, ridge=0.1).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(klda)).transform(X), klda.transform(X))
    np.testing.assert_allclose(klda.transform(X), mercer.KernelLDA(kernel="linear", ridge=0.1).fit(X, Y).transform(X), atol=1e-6)
