"""check_kernel, compare and tune."""
import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("kernel, verdict", [
    (mercer.rbf(0.5) + mercer.linear(), "valid"),
    (mercer.expression("exp(-sqdist)"), "valid-here"),
    (mercer.additive_chi2(), "conditional"),
    ("sigmoid(gamma=0.1, coef0=-3)", "invalid"),
    (lambda x, y: float(x[0] - y[0]), "invalid"),
], ids=lambda v: str(v)[:20])
def test_the_verdict_on_a_kernel(kernel, verdict):
    check = mercer.check_kernel(kernel, X)
    assert check.verdict == verdict and bool(check) == verdict.startswith("valid")
    assert json.loads(check.to_json())["verdict"] == verdict and "verdict" in str(check)


def test_the_witness_shows_what_is_wrong():
    check = mercer.check_kernel(mercer.sigmoid(0.1, -3.0), X)
    K = mercer.sigmoid(0.1, -3.0)(X)
    assert check.witness @ K @ check.witness == pytest.approx(check.witness_value, abs=1e-9)
    assert check.min_eigenvalue == pytest.approx(np.linalg.eigvalsh(K)[0], abs=1e-9) and check.witness_value < 0
    assert mercer.check_kernel(mercer.rbf(1.0), X).witness is None


def test_methods_are_compared_on_one_scale():
    roll, _, _ = mercer.generate("swiss-roll", 250)
    maps = mercer.compare(roll, ["pca", "hlle", "tsne"], n_neighbors=10, perplexity=20, random_state=0)
    assert [m.method for m in maps] == ["pca", "hlle", "tsne"]
    for one in maps:
        assert one.embedding.shape == (250, 2) and one.seconds > 0 and one.failure is None
    alone = mercer.LocallyLinearEmbedding(n_neighbors=10, method="hessian").fit(roll)
    assert maps[1].quality["trustworthiness"] == pytest.approx(alone.trustworthiness_, abs=1e-6)
    assert maps[1].title == "Hessian LLE"


def test_a_method_that_fails_says_so_and_the_others_go_on():
    apart = np.r_[X[:30], X[:30] + 1000]
    pca, isomap = mercer.compare(apart, ["pca", "isomap"], n_neighbors=5)
    assert pca.failure is None and "pieces" in isomap.failure and isomap.embedding is None
    with pytest.raises(ValueError, match="no-such"):
        mercer.compare(X, ["no-such"])


def test_tuning_ranks_kernels_and_advises_components():
    found = mercer.tune(X, kernels=["rbf(gamma=median)", mercer.linear()], rows=100, folds=3, permutations=5)
    errors = [t["error"] for t in found.trials]
    assert found.by == "error" and errors == sorted(errors) and found.kernel == found.trials[0]["kernel"]
    assert found.rows == 100 and found.folds == 3 and found.components >= 1
    by_class = mercer.tune(X, Y, kernels=[mercer.rbf("median")], n_components=2, by="alignment", folds=3, permutations=2)
    aligned = [t["alignment"] for t in by_class.trials]
    assert by_class.by == "alignment" and aligned == sorted(aligned, reverse=True)
    with pytest.raises(ValueError, match="150 rows"):
        mercer.tune(X, Y[:10])
    with pytest.raises(ValueError, match="guess"):
        mercer.tune(X, by="guess")
