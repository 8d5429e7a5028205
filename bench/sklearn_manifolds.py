"""Their side of bench/manifolds.py, and the data: `make FILE N D`, or `METHOD FILE`: one fit, a JSON line."""
import json
import sys
import time

import numpy as np

NEIGHBORS = 12


def make(path, n, d):
    """A smooth image of a cube in d dimensions, and a little noise: one piece, no plane."""
    random = np.random.default_rng(n)
    places = random.uniform(size=(n, 3))
    x = np.sin(places @ random.normal(scale=2.0, size=(3, d)) + random.uniform(0, 2 * np.pi, size=d))
    np.save(path, x + 0.02 * random.normal(size=x.shape))


def estimator(method, iterations):
    from sklearn import manifold, neighbors
    if method == "neighbors":
        return neighbors.NearestNeighbors(n_neighbors=NEIGHBORS, n_jobs=-1)
    if method == "isomap":
        return manifold.Isomap(n_neighbors=NEIGHBORS, n_components=2, n_jobs=-1)
    if method == "laplacian":
        return manifold.SpectralEmbedding(n_components=2, affinity="nearest_neighbors", n_neighbors=NEIGHBORS + 1,
                                          random_state=1, n_jobs=-1)
    if method == "tsne":
        return manifold.TSNE(n_components=2, perplexity=30, init="pca", learning_rate="auto", n_iter=iterations,
                             random_state=1, n_jobs=-1)
    variant = {"lle": "standard", "mlle": "modified", "hlle": "hessian"}[method]
    return manifold.LocallyLinearEmbedding(n_neighbors=NEIGHBORS, n_components=2, method=variant, random_state=1, n_jobs=-1)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
        return
    method, x = sys.argv[1], np.load(sys.argv[2])
    model = estimator(method, int(sys.argv[3]) if len(sys.argv) > 3 else 1000)
    start = time.perf_counter()
    if method == "neighbors":
        model.fit(x).kneighbors()
    else:
        model.fit_transform(x)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "kl_divergence": float(getattr(model, "kl_divergence_", 0)) or None}))


main()
