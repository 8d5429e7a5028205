"""500 points of a swiss roll that a map has not seen, and where a map of all points puts them."""
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import NearestNeighbors

import mercer

SEEN, FRESH, NEIGHBORS = 2000, 500, 12
METHODS = {
    "Isomap": mercer.Isomap(n_neighbors=NEIGHBORS),
    "modified LLE": mercer.LocallyLinearEmbedding(n_neighbors=NEIGHBORS, method="modified"),
    "Hessian LLE": mercer.LocallyLinearEmbedding(n_neighbors=NEIGHBORS, method="hessian"),
    "MVU": mercer.MaximumVarianceUnfolding(n_neighbors=NEIGHBORS),
    "Laplacian eigenmaps": mercer.LaplacianEigenmaps(n_neighbors=NEIGHBORS),
    "diffusion maps": mercer.DiffusionMap(n_neighbors=NEIGHBORS),
    "LLE": mercer.LocallyLinearEmbedding(n_neighbors=NEIGHBORS),
    "LLE, 20 neighbours": mercer.LocallyLinearEmbedding(n_neighbors=20),
    "t-SNE": mercer.TSNE(random_state=1),
}
# Maps of t-SNE differ from fit to fit by far more than the spacing: the one of all points goes on from the one with the new
# for a while (it never comes to rest on a roll: the sheet opens ever wider).
REFIT = {"t-SNE": lambda placed: mercer.TSNE(init=placed, early_exaggeration=1, n_iter=100)}
# The share of the new points that must lie within the spacing, and how far they may be on average. Maps of LLE with few
# neighbours differ from fit to fit by more than the spacing, whether a point is new or not: there the old points are the measure.
WITHIN = {"Isomap": (0.95, 0.5), "modified LLE": (1, 0.2), "Hessian LLE": (1, 0.2), "MVU": (1, 0.1), "Laplacian eigenmaps": (0.6, 1),
          "diffusion maps": (0.6, 1), "t-SNE": (0.7, 0.9), "LLE, 20 neighbours": (0.75, 0.7)}


def laid_upon(a, b, rows):
    """a, turned, scaled and moved so that its first rows lie upon b's (Procrustes)."""
    x, y = a[:rows] - a[:rows].mean(0), b[:rows] - b[:rows].mean(0)
    u, s, v = np.linalg.svd(x.T @ y)
    return s.sum() / (x**2).sum() * (a - a[:rows].mean(0)) @ (u @ v) + b[:rows].mean(0)


@pytest.mark.parametrize("name", METHODS)
def test_new_points_land_where_a_map_of_all_puts_them(name):
    x, _ = make_swiss_roll(SEEN + FRESH, random_state=1)
    model = clone(METHODS[name])
    seen = model.fit_transform(x[:SEEN])
    placed = np.vstack([seen, model.transform(x[SEEN:])])
    refit = REFIT[name](placed) if name in REFIT else clone(METHODS[name])
    whole = refit.fit_transform(x)
    off = np.linalg.norm(laid_upon(placed, whole, SEEN) - whole, axis=1)
    near = NearestNeighbors(n_neighbors=NEIGHBORS).fit(x).kneighbors(return_distance=False)
    spacing = np.linalg.norm(whole[:, None] - whole[near], axis=2).mean()
    print(f"{name}: new points {off[SEEN:].mean() / spacing:.3f} of the spacing away, {(off[SEEN:] < spacing).mean():.1%} within it; "
          f"old ones {off[:SEEN].mean() / spacing:.3f}")
    if name in WITHIN:
        share, away = WITHIN[name]
        assert (off[SEEN:] < spacing).mean() >= share
        assert off[SEEN:].mean() <= away * spacing
    assert off[SEEN:].mean() <= 1.15 * off[:SEEN].mean()
