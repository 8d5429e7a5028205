"""KernelPCA: what scikit-learn's lacks. Shares, certificates, ways back, routes, memory, streams, files."""
import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import KernelPCA as theirs
from sklearn.datasets import load_digits, load_iris, make_circles
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import KernelCenterer

import mercer
from mercer import KernelPCA

DIGITS = load_digits().data[:600] / 16
CENTRED = KernelCenterer().fit_transform(rbf_kernel(DIGITS, gamma=0.05))
CIRCLES = make_circles(n_samples=300, factor=0.3, noise=0.05, random_state=0)[0]


def rbf(*arguments, **options):
    return KernelPCA(*arguments, **{"kernel": "rbf", "gamma": 0.05, **options})


def test_a_share_of_variance_takes_as_many_components_as_it_needs():
    kpca = rbf(0.8).fit(DIGITS)
    shares = np.cumsum(kpca.explained_variance_ratio_)
    assert shares[-1] >= 0.8 > shares[-2]
    assert kpca.transform(DIGITS[:3]).shape == (3, len(shares))


def test_ratios_are_of_the_exact_trace_however_few_components_are_found():
    values = np.linalg.eigvalsh(CENTRED)[::-1]
    kpca = rbf(3).fit(DIGITS)
    np.testing.assert_allclose(kpca.explained_variance_ratio_, values[:3] / values.sum(), rtol=1e-9)
    np.testing.assert_allclose(kpca.explained_variance_, values[:3] / 600, rtol=1e-9)
    np.testing.assert_allclose(rbf().fit(DIGITS).explained_variance_ratio_.sum(), 1, rtol=1e-9)


@pytest.mark.parametrize("solver", ["dense", "stored", "tiled"])
def test_residuals_are_what_they_say(solver):
    kpca = rbf(4, solver=solver).fit(DIGITS)
    measured = np.linalg.norm(CENTRED @ kpca.eigenvectors_ - kpca.eigenvectors_ * kpca.eigenvalues_, axis=0)
    assert np.all(kpca.residuals_ <= 1e-9 * kpca.eigenvalues_[0])
    np.testing.assert_allclose(kpca.residuals_, measured, atol=1e-11 * kpca.eigenvalues_[0])


def test_a_looser_tolerance_is_allowed_to_be_less_exact():
    loose, tight = (rbf(4, solver="stored", tol=tol).fit(DIGITS) for tol in (1e-2, 1e-11))
    assert loose.report_.passes < tight.report_.passes
    assert tight.residuals_.max() <= 1e-11 * tight.eigenvalues_[0]


@pytest.mark.parametrize("solver", ["dense", "stored", "tiled", "lowrank"])
def test_a_solver_is_the_route_that_the_plan_takes(solver):
    assert rbf(3, solver=solver).fit(DIGITS).report_.plan.route == solver


@pytest.mark.parametrize("eigen_solver, route", [("dense", "dense"), ("arpack", "stored"), ("randomized", "stored")])
def test_scikit_learns_solvers_are_routes(eigen_solver, route):
    assert rbf(3, eigen_solver=eigen_solver).fit(DIGITS).report_.plan.route == route


@pytest.mark.parametrize("method", ["ridge", "auto", "fixed-point", "distances"])
def test_every_way_back_comes_near(method):
    kpca = KernelPCA(20, kernel="rbf", gamma=2, fit_inverse_transform=True, inverse_method=method, alpha=1e-3)
    back = kpca.inverse_transform(kpca.fit_transform(CIRCLES))
    assert np.linalg.norm(back - CIRCLES) < 0.05 * np.linalg.norm(CIRCLES)
    assert kpca._back.method == ("fixed-point" if method == "auto" else method)


def test_the_exact_way_back_of_the_linear_kernel_has_the_mean():
    kpca = KernelPCA(64, fit_inverse_transform=True, inverse_method="exact")
    np.testing.assert_allclose(kpca.inverse_transform(kpca.fit_transform(DIGITS)), DIGITS, atol=1e-8)
    with pytest.raises(ValueError, match="needs the linear kernel"):
        rbf(2, fit_inverse_transform=True, inverse_method="exact").fit(DIGITS)


def test_the_score_is_the_negative_distance_to_the_pre_image():
    kpca = KernelPCA(2, kernel="rbf", gamma=2, fit_inverse_transform=True).fit(CIRCLES[:200])
    held_out = CIRCLES[200:]
    back = kpca.inverse_transform(kpca.transform(held_out))
    assert kpca.score(held_out) == pytest.approx(-np.mean(np.sum((held_out - back) ** 2, axis=1)))


def test_a_grid_search_can_choose_by_the_score():
    search = GridSearchCV(KernelPCA(4, kernel="rbf", alpha=0.1), {"gamma": [1e-3, 2.0, 1e3]}, cv=3).fit(CIRCLES)
    assert search.best_params_ == {"gamma": 2.0}


def test_the_memory_budget_is_kept_or_refused():
    X = np.random.RandomState(0).rand(3000, 5)
    assert rbf(3, solver="auto").fit(X).report_.plan.route == "stored"
    assert rbf(3, memory="12M").fit(X).report_.plan.route == "tiled"
    with pytest.raises(MemoryError, match="budget"):
        rbf(3, memory=12_000_000, solver="dense").fit(X)
    with pytest.raises(ValueError, match="lots"):
        rbf(3, memory="lots").fit(X)


def test_low_rank_is_bounded_and_streams():
    X = load_digits().data / 16
    exact = rbf(3).fit(X)
    kpca = rbf(3, solver="lowrank", rank=300, random_state=1)
    for part in np.array_split(X, 4):
        kpca.partial_fit(part)
    assert kpca.report_.n == len(X) and len(kpca.X_fit_) == 300
    np.testing.assert_allclose(kpca.eigenvalues_, exact.eigenvalues_, rtol=0.05)
    bounds = kpca.report_.bounds
    assert np.all(bounds["low"] <= exact.eigenvalues_) and np.all(exact.eigenvalues_ <= bounds["high"])
    whole = rbf(3, solver="lowrank", rank=300, random_state=1).fit(X)
    np.testing.assert_allclose(np.abs(whole.fit_transform(X)), np.abs(whole.transform(X)), atol=1e-8)
    np.testing.assert_allclose(whole.eigenvectors_.T @ whole.eigenvectors_, np.eye(3), atol=1e-8)


def test_the_way_back_of_points_that_came_in_passes():
    parts = np.array_split(CIRCLES, 2)
    kpca = KernelPCA(8, kernel="rbf", gamma=2, solver="lowrank", rank=100, fit_inverse_transform=True, alpha=1e-3)
    kpca.partial_fit(parts[0])
    assert kpca.eigenvectors_.shape == kpca.X_transformed_fit_.shape == (150, 8)
    kpca.partial_fit(parts[1])
    assert not hasattr(kpca, "eigenvectors_") and not hasattr(kpca, "X_transformed_fit_")
    scores = kpca.transform(CIRCLES)
    back = kpca.inverse_transform(scores)
    assert np.linalg.norm(back - CIRCLES) < 0.2 * np.linalg.norm(CIRCLES)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(kpca)).inverse_transform(scores), back)
    assert hasattr(kpca.fit(CIRCLES), "eigenvectors_")


def test_an_alpha_of_zero_is_the_plain_solve():
    apart = 10 * np.random.RandomState(0).standard_normal((30, 5))  # nothing to learn from the neighbours: leaving out wants a large ridge
    ours, peer = (make(fit_inverse_transform=True, alpha=0, kernel="rbf", gamma=1.0).fit(apart) for make in (KernelPCA, theirs))
    np.testing.assert_allclose(ours.dual_coef_, peer.dual_coef_, atol=1e-8)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(apart)), apart, atol=1e-8)


@pytest.mark.parametrize("options", [dict(kernel="rbf", gamma=2.0), dict(kernel="poly", gamma=1.0), dict(kernel="linear")], ids=str)
def test_an_alpha_of_zero_passes_through_the_points_where_the_matrix_is_singular(options):
    kpca = KernelPCA(fit_inverse_transform=True, alpha=0, **options).fit(CIRCLES[:40])
    centred = CIRCLES[:40] - (CIRCLES[:40].mean(axis=0) if options["kernel"] == "linear" else 0)
    np.testing.assert_allclose(kpca.inverse_transform(kpca.transform(CIRCLES[:40])), centred, atol=1e-3)


@pytest.mark.parametrize("alpha", ["auto", None])
def test_leaving_one_out_chooses_alpha(alpha):
    noisy = CIRCLES + 0.05 * np.random.RandomState(0).standard_normal(CIRCLES.shape)
    scores = {a: KernelPCA(6, kernel="rbf", gamma=2, fit_inverse_transform=True, alpha=a).fit(noisy[:200]).score(noisy[200:])
              for a in (alpha, 1e3, 0)}
    assert scores[alpha] > scores[1e3] and scores[alpha] >= scores[0] - 1e-3


def test_landmarks_can_be_more_or_be_named():
    first, second = DIGITS[:300], DIGITS[300:] + 0.5
    grown = rbf(3, solver="lowrank", rank=50, max_rank=90).partial_fit(first).partial_fit(second)
    assert 50 < len(grown.X_fit_) <= 90
    named = rbf(3, solver="lowrank", landmarks=range(0, 300, 3)).fit(first)
    np.testing.assert_array_equal(named.X_fit_, first[::3])


def test_a_low_rank_model_goes_on_from_its_file(tmp_path):
    half = rbf(3, solver="lowrank", rank=80).fit(DIGITS[:300])
    half.save(tmp_path / "half.mercer")
    loaded = KernelPCA.load(tmp_path / "half.mercer")
    np.testing.assert_allclose(loaded.partial_fit(DIGITS[300:]).eigenvalues_, half.partial_fit(DIGITS[300:]).eigenvalues_)


def test_exact_models_do_not_stream():
    assert not hasattr(rbf(2), "partial_fit")
    assert hasattr(rbf(2, solver="lowrank"), "partial_fit")


def test_a_partial_fit_with_another_width_is_refused():
    kpca = rbf(2, solver="lowrank").partial_fit(DIGITS)
    with pytest.raises(ValueError, match="63 features"):
        kpca.partial_fit(DIGITS[:, 1:])


def test_kernel_objects_and_their_texts_are_kernels():
    k = mercer.rbf(0.05) + 0.1 * mercer.linear()
    by_object, by_text = KernelPCA(3, kernel=k).fit(DIGITS), KernelPCA(3, kernel=str(k)).fit(DIGITS)
    np.testing.assert_array_equal(by_object.eigenvalues_, by_text.eigenvalues_)
    K = KernelCenterer().fit_transform(rbf_kernel(DIGITS, gamma=0.05) + 0.1 * DIGITS @ DIGITS.T)
    np.testing.assert_allclose(by_object.eigenvalues_, np.linalg.eigvalsh(K)[::-1][:3], rtol=1e-9)
    with pytest.raises(ValueError, match="nothing"):
        KernelPCA(3, kernel="nothing(2)").fit(DIGITS)


def test_data_frames_have_their_names_everywhere(tmp_path):
    iris = load_iris(as_frame=True).data
    kpca = rbf(2).set_output(transform="pandas").fit(iris)
    assert list(kpca.feature_names_in_) == list(iris.columns)
    scores = kpca.transform(iris)
    assert isinstance(scores, pd.DataFrame) and list(scores.columns) == ["kernelpca0", "kernelpca1"]
    assert scores.index.equals(iris.index)
    kpca.save(tmp_path / "iris.mercer")
    assert list(KernelPCA.load(tmp_path / "iris.mercer").feature_names_in_) == list(iris.columns)


@pytest.mark.parametrize("options", [{}, dict(solver="lowrank"), dict(kernel="precomputed"), dict(n_components=0.5), dict(kernel=np.dot)],
                         ids=str)
def test_a_pickle_is_the_same_estimator(options):
    X = DIGITS @ DIGITS.T if options.get("kernel") == "precomputed" else DIGITS[:100]
    kpca = rbf(**{"n_components": 3, **options}).fit(X)
    before = kpca.transform(X)
    same = pickle.loads(pickle.dumps(kpca))
    np.testing.assert_array_equal(same.transform(X), before)
    np.testing.assert_array_equal(kpca.transform(X), before)
    np.testing.assert_array_equal(same.X_fit_, kpca.X_fit_)
    assert str(same.report_) == str(kpca.report_)


def test_a_pickle_holds_the_data_once():
    kpca = rbf(2).fit(DIGITS)
    assert len(pickle.dumps(kpca)) < 1.5 * DIGITS.nbytes


def test_the_way_back_survives_a_pickle():
    kpca = rbf(3, fit_inverse_transform=True).fit(DIGITS)
    scores = kpca.transform(DIGITS[:9])
    np.testing.assert_allclose(pickle.loads(pickle.dumps(kpca)).inverse_transform(scores), kpca.inverse_transform(scores))


def test_a_saved_model_is_loaded_as_it_was(tmp_path):
    kpca = rbf(3).fit(DIGITS)
    kpca.save(tmp_path / "m.mercer")
    for loaded in (KernelPCA.load(tmp_path / "m.mercer"), mercer.load(tmp_path / "m.mercer")):
        assert isinstance(loaded, KernelPCA) and loaded.kernel == mercer.rbf(0.05)
        np.testing.assert_array_equal(loaded.transform(DIGITS), kpca.transform(DIGITS))
        np.testing.assert_allclose(loaded.eigenvectors_, kpca.eigenvectors_, atol=1e-14)
    with pytest.raises(FileNotFoundError):
        mercer.load(tmp_path / "none.mercer")
    (tmp_path / "m.mercer").write_bytes(b"not a model")
    with pytest.raises(ValueError):
        mercer.load(tmp_path / "m.mercer")


@pytest.mark.skipif("MERCER_PROGRAM" not in os.environ, reason="the command line was not built")
def test_the_command_line_reads_our_files_and_we_read_its(tmp_path):
    np.save(tmp_path / "x.npy", DIGITS)
    run = lambda *words: subprocess.run([os.environ["MERCER_PROGRAM"], *map(str, words), "--quiet"], check=True)
    kpca = rbf(3).fit(DIGITS)
    kpca.save(tmp_path / "ours.mercer")
    run("transform", tmp_path / "ours.mercer", tmp_path / "x.npy", "--out", tmp_path / "z.npy")
    np.testing.assert_allclose(np.load(tmp_path / "z.npy"), kpca.transform(DIGITS), atol=1e-12)
    run("kpca", tmp_path / "x.npy", "-k", 3, "--kernel", "rbf(gamma=0.05)", "--model", tmp_path / "theirs.mercer")
    np.testing.assert_allclose(mercer.load(tmp_path / "theirs.mercer").transform(DIGITS), kpca.transform(DIGITS), atol=1e-12)


def overlap(a, b):
    return float(np.minimum(a, b).sum())


def overlaps(A, B):
    return np.minimum(A[:, None], B[None]).sum(axis=2)


@pytest.mark.parametrize("kernel", [overlap, mercer.function(overlap), mercer.function(overlaps, blocks=True)], ids=["function", "made", "blocks"])
def test_functions_are_found_again_by_name(kernel, tmp_path):
    X = DIGITS[:60]
    kpca = KernelPCA(3, kernel=kernel).fit(X)
    same = pickle.loads(pickle.dumps(kpca))
    np.testing.assert_array_equal(same.transform(X), kpca.transform(X))
    kpca.save(tmp_path / "m.mercer")
    with pytest.raises(ValueError, match="overlap"):
        mercer.load(tmp_path / "m.mercer")
    name = "overlaps" if "overlaps" in str(kpca.kernel_) else "overlap"
    for load in (mercer.load, KernelPCA.load):
        loaded = load(tmp_path / "m.mercer", kernels={name: kernel})
        np.testing.assert_array_equal(loaded.transform(X), kpca.transform(X))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(loaded)).transform(X), kpca.transform(X))


def test_errors_speak_of_what_they_are_about_and_in_pythons_words():
    with pytest.raises(mercer.NotPositiveSemidefiniteError, match="^There are significant negative eigenvalues: .*ask for a number of components"):
        KernelPCA(kernel="sigmoid", gamma=1.0, coef0=-1, eigen_solver="dense").fit(DIGITS[:100])
    with pytest.raises(mercer.NotPositiveSemidefiniteError, match="^route lowrank needs a kernel"):
        KernelPCA(2, kernel="sigmoid", solver="lowrank", rank=10).fit(DIGITS)
    with pytest.raises(MemoryError, match="raise memory=") as raised:
        rbf(2, memory=10_000).fit(DIGITS)
    assert "--" not in str(raised.value)
    with pytest.raises(FileNotFoundError, match="no--such"):
        mercer.load("no--such-file")


def test_it_explains_itself_before_and_after(tmp_path):
    kpca = rbf(3, solver="tiled")
    assert "tiled" in kpca.explain(DIGITS)
    with pytest.raises(NotFittedError):
        kpca.explain()
    kpca.fit(DIGITS)
    assert "certificate" in kpca.explain() and kpca.explain() == str(kpca.report_)
    assert json.loads(kpca.report_.to_json())["n"] == 600


def test_a_failed_fit_leaves_the_last_one_alone():
    kpca = rbf(3).fit(DIGITS)
    before = kpca.transform(DIGITS)
    kpca.set_params(memory=1)
    with pytest.raises(MemoryError):
        kpca.fit(DIGITS)
    kpca.set_params(memory=None)
    np.testing.assert_array_equal(kpca.transform(DIGITS), before)
