"""Manifold methods: agreement with scikit-learn, the sheets that they must unroll, and new points.

Runs the real program (MERCER_PROGRAM). Subspaces are compared by their largest principal angle, with the same
neighbours and regularisation and scikit-learn's dense eigensolver, where an eigengap makes them well defined.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin when the machine is busy

try:
    import numpy as np
    from scipy.linalg import orthogonal_procrustes, subspace_angles
    from scipy.stats import spearmanr
    from sklearn.datasets import load_digits
    from sklearn.manifold import TSNE, Isomap, LocallyLinearEmbedding, SpectralEmbedding, trustworthiness
    from sklearn.neighbors import NearestNeighbors, kneighbors_graph
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PROGRAM = os.environ["MERCER_PROGRAM"]
ANGLE = 1e-5


def mercer(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"mercer {' '.join(map(str, arguments))}\n{done.stderr}"
    return done.stdout


def generated(name, n, seed):
    """Points and the place along the sheet."""
    rows = np.array([[float(v) for v in line.split(",")] for line in mercer("generate", name, "--n", n, "--seed", seed).split()[1:]])
    return rows[:, :3], rows[:, 3]


def fit(method, x, *options, new=None):
    """The map, the report and, where there are new points, their places."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        np.save(path("x.npy"), x)
        report = json.loads(mercer(method, path("x.npy"), *options, "--json", "--out", path("z.npy"), "--model", path("m.mercer")))
        if new is None:
            return np.load(path("z.npy")), report
        np.save(path("new.npy"), new)
        mercer("transform", path("m.mercer"), path("new.npy"), "--out", path("t.npy"), "--quiet")
        return np.load(path("z.npy")), report, np.load(path("t.npy"))


def sheet(name, x, t):
    """Flat coordinates: the length of the curve up to t, and the height."""
    along = (t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2 if name == "swiss-roll" else t
    return np.column_stack([along, x[:, 1]])


def recovered(z, flat):
    """R² of each flat coordinate by a linear function of the map; the worse one."""
    a = np.column_stack([z, np.ones(len(z))])
    left = flat - a @ np.linalg.lstsq(a, flat, rcond=None)[0]
    return (1 - (left ** 2).sum(axis=0) / ((flat - flat.mean(axis=0)) ** 2).sum(axis=0)).min()


def angle(a, b):
    centre = lambda m: m - m.mean(axis=0)
    return subspace_angles(centre(a), centre(b)).max()


# Pixels are whole numbers, and neighbours at equal distances everybody's choice: a little noise settles it.
DIGITS = load_digits().data / 16 + 1e-4 * np.random.default_rng(0).normal(size=(1797, 64))
DATA = {"digits": DIGITS[:700], "swiss-roll": generated("swiss-roll", 700, 1)[0]}


class Agreement(unittest.TestCase):
    """With scikit-learn, on digits and on the roll."""

    def agree(self, peer, method, *options, components=(1, 2)):
        for name, x in DATA.items():
            for k in components:
                with self.subTest(data=name, components=k):
                    expected = peer(k).fit_transform(x)
                    z, report = fit(method, x, "-k", k, "--neighbors", 12, *options)
                    # Where the next eigenvalue lies as near as rounding, the subspace is nobody's.
                    wider = fit(method, x, "-k", k + 1, "--neighbors", 12, *options)[1]["gram_eigenvalues"]
                    apart = abs(wider[k] - wider[k - 1]) / max(abs(wider[k]), abs(wider[k - 1]))
                    if apart < 1e-3:
                        continue
                    self.assertLess(angle(z, expected), ANGLE)

    def test_isomap(self):
        self.agree(lambda k: Isomap(n_neighbors=12, n_components=k, eigen_solver="dense"), "isomap")

    def test_isomap_scores_and_new_points(self):
        for name, x in DATA.items():
            with self.subTest(data=name):
                peer = Isomap(n_neighbors=12, n_components=2, eigen_solver="dense").fit(x[:600])
                z, _, new = fit("isomap", x[:600], "--neighbors", 12, new=x[600:])
                signs = np.sign((z * peer.embedding_).sum(axis=0))
                scale = np.abs(peer.embedding_).max()
                np.testing.assert_allclose(z * signs, peer.embedding_, atol=1e-6 * scale)
                np.testing.assert_allclose(new * signs, peer.transform(x[600:]), atol=1e-6 * scale)

    def lle(self, method, **more):
        return lambda k: LocallyLinearEmbedding(n_neighbors=12, n_components=k, reg=1e-3, eigen_solver="dense", method=method, **more)

    def test_lle(self):
        self.agree(self.lle("standard"), "lle")

    def test_modified_lle(self):
        self.agree(self.lle("modified"), "lle", "--variant", "modified")

    def test_hessian_lle(self):
        self.agree(self.lle("hessian"), "hlle")

    def test_laplacian_eigenmaps(self):
        for name, x in DATA.items():
            links = kneighbors_graph(x, 12)
            links = links.maximum(links.T).toarray()
            with self.subTest(data=name):
                peer = SpectralEmbedding(n_components=2, affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-12,
                                         random_state=0).fit_transform(links)
                z, _ = fit("laplacian", x, "--neighbors", 12)
                self.assertLess(subspace_angles(z, peer).max(), ANGLE)
                z = fit("laplacian", x, "--neighbors", 12, "--laplacian", "random-walk")[0]
                self.assertLess(subspace_angles(z, peer).max(), ANGLE)
            with self.subTest(data=name, kind="unnormalized"):
                values, vectors = np.linalg.eigh(np.diag(links.sum(axis=1)) - links)
                z, report = fit("laplacian", x, "--neighbors", 12, "--laplacian", "unnormalized")
                self.assertLess(subspace_angles(z, vectors[:, 1:3]).max(), ANGLE)
                np.testing.assert_allclose(report["gram_eigenvalues"], values[1:3], rtol=1e-7)

    def test_tsne(self):
        x = DATA["digits"]
        peer = TSNE(n_components=2, perplexity=30, method="exact", init="pca", learning_rate="auto", random_state=0, n_iter=1000)
        expected = peer.fit_transform(x)
        z, report = fit("tsne", x, "--perplexity", 30, "--gradient", "exact")
        self.assertLess(report["kl_divergence"], 1.02 * peer.kl_divergence_)
        self.assertGreater(trustworthiness(x, z, n_neighbors=12), trustworthiness(x, expected, n_neighbors=12) - 0.005)

    def test_trustworthiness_is_scikit_learns(self):
        for name, x in DATA.items():
            for method in ("isomap", "lle"):
                with self.subTest(data=name, method=method):
                    z, report = fit(method, x, "--neighbors", 12)
                    self.assertAlmostEqual(report["trustworthiness"], trustworthiness(x, z, n_neighbors=report["quality_neighbors"]), places=9)


class Sheets(unittest.TestCase):
    """Rolled-up and bent sheets of 2,000 points, 12 neighbours."""

    UNROLL = {"isomap": ["isomap"], "hessian LLE": ["hlle"], "modified LLE": ["lle", "--variant", "modified"], "MVU": ["mvu"]}

    def test_the_sheet_is_recovered(self):
        for name in ("swiss-roll", "s-curve"):
            x, t = generated(name, 2000, 1)
            flat = sheet(name, x, t)
            for method, (command, *options) in self.UNROLL.items():
                with self.subTest(data=name, method=method):
                    self.assertGreater(recovered(fit(command, x, "--neighbors", 12, *options)[0], flat), 0.99)
            with self.subTest(data=name, method="lle"):
                ours = recovered(fit("lle", x, "--neighbors", 12)[0], flat)
                theirs = recovered(LocallyLinearEmbedding(n_neighbors=12, n_components=2, reg=1e-3, eigen_solver="dense").fit_transform(x), flat)
                self.assertAlmostEqual(ours, theirs, places=3)
        x, t = generated("swiss-roll", 2000, 1)
        self.assertLess(recovered(fit("pca", x)[0], sheet("swiss-roll", x, t)), 0.3)

    def test_laplacian_eigenmaps_open_the_severed_sphere(self):
        x, t = generated("severed-sphere", 2000, 1)
        z, _ = fit("laplacian", x, "--neighbors", 12)
        self.assertGreater(abs(spearmanr(z[:, 0], t).correlation), 0.97)


class NewPoints(unittest.TestCase):
    """500 points that were not there land where a fit that includes them puts them, within the spacing of neighbours."""

    def test_held_out(self):
        x, _ = generated("swiss-roll", 2500, 1)
        # A refit of t-SNE moves all points further than that: there the new ones may not move more than the others.
        others = {"t-SNE": ["tsne"], "LLE": ["lle"], "Laplacian": ["laplacian"], "diffusion": ["laplacian", "--diffusion", 1]}
        for method, (command, *options) in {**Sheets.UNROLL, **others}.items():
            with self.subTest(method=method):
                if command != "tsne":
                    options += ["--neighbors", 12]
                old, _, new = fit(command, x[:2000], *options, new=x[2000:])
                refit, _ = fit(command, x, *options)
                near = NearestNeighbors(n_neighbors=13).fit(x).kneighbors(x[2000:])[1][:, 1:]
                # Procrustes by the points that both have: move, turn, stretch each as one.
                centre, centre_refit = old.mean(axis=0), refit[:2000].mean(axis=0)
                a, b = old - centre, refit[:2000] - centre_refit
                turn, scale = orthogonal_procrustes(a, b)
                turn *= scale / (a ** 2).sum()
                landed = (new - centre) @ turn + centre_refit
                spacing = np.sqrt(((refit[near] - refit[2000:, None, :]) ** 2).sum(axis=2)).mean(axis=1)
                away = np.sqrt(((landed - refit[2000:]) ** 2).sum(axis=1))
                if command != "tsne":
                    self.assertLess(np.median(away / spacing), 1)
                    self.assertLess(away.mean(), spacing.mean())
                # Placing adds little to what the refit does to everybody.
                moved = np.sqrt(((a @ turn + centre_refit - refit[:2000]) ** 2).sum(axis=1))
                self.assertLess(away.mean(), 1.1 * moved.mean())

    def test_tsne_places_new_points_among_their_neighbours(self):
        x = DIGITS
        z, _, new = fit("tsne", x[:1297], "--perplexity", 30, new=x[1297:])
        nearest = NearestNeighbors(n_neighbors=1).fit(x[:1297]).kneighbors(x[1297:])[1][:, 0]
        spread = np.sqrt(z.var(axis=0).sum())
        self.assertLess(np.median(np.sqrt(((new - z[nearest]) ** 2).sum(axis=1))), 0.1 * spread)


if __name__ == "__main__":
    unittest.main()
