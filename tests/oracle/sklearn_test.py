"""Agreement with scikit-learn's KernelPCA and PCA: eigenvalues to 1e-8 relative, scores up to sign to 1e-7.

Runs the real program (MERCER_PROGRAM) on digits, wine, breast_cancer and circles, for five kernels.
"""
import json
import os
import subprocess
import tempfile
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin when the machine is busy

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_circles
from sklearn.decomposition import PCA, KernelPCA
from sklearn.preprocessing import StandardScaler

PROGRAM = os.environ["MERCER_PROGRAM"]
K = 5
DATA = {
    "digits": load_digits().data / 16,
    "wine": StandardScaler().fit_transform(load_wine().data),
    "breast_cancer": StandardScaler().fit_transform(load_breast_cancer().data),
    "circles": make_circles(400, factor=0.3, noise=0.05, random_state=0)[0],
}


def kernels(d):
    """Our text and scikit-learn's arguments for the same kernel."""
    return {
        "linear": dict(kernel="linear"),
        "poly(degree=3, gamma=0.1, coef0=1)": dict(kernel="poly", degree=3, gamma=0.1, coef0=1),
        "rbf(gamma=0.05)": dict(kernel="rbf", gamma=0.05),
        "cosine": dict(kernel="cosine"),
        "laplacian(gamma=0.05)": dict(kernel="precomputed", laplacian=0.05),
    }


def components_for(x, kernel):
    """Five, or as many as the kernel's feature space has dimensions."""
    return min(K, x.shape[1]) if kernel in ("linear", "cosine") else K


def run(method, data, k, *options):
    """The report, the scores of the training data and the scores of its first rows as new points."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        np.save(path("x.npy"), data)
        np.save(path("new.npy"), data[:50] + 0.01)
        fit = subprocess.run([PROGRAM, method, path("x.npy"), "-k", str(k), *options, "--json", "--out", path("z.npy"),
                              "--model", path("m.mercer")], capture_output=True, text=True)
        assert fit.returncode == 0, fit.stderr
        subprocess.run([PROGRAM, "transform", path("m.mercer"), path("new.npy"), "--out", path("t.npy"), "--quiet"], check=True)
        return json.loads(fit.stdout), np.load(path("z.npy")), np.load(path("t.npy"))


def with_signs_of(a, b):
    return b * np.where((a * b).sum(axis=0) < 0, -1, 1)


class Agreement(unittest.TestCase):
    def compare(self, eigenvalues, scores, new_scores, report, z, t, what):
        found = np.array(report["gram_eigenvalues"])
        np.testing.assert_allclose(found, eigenvalues, rtol=1e-8, err_msg=what)
        # An eigenvector is known to 1e-7 only where its eigenvalue stands apart.
        gaps = np.abs(np.diff(np.append(eigenvalues, report["missed_bound"]["probable"] / 2)))
        apart = [i for i in range(len(eigenvalues)) if min(gaps[max(i - 1, 0)], gaps[i]) > 1e-3 * eigenvalues[i]]
        self.assertTrue(apart, what)
        scale = np.abs(scores).max()
        np.testing.assert_allclose(with_signs_of(scores, z)[:, apart], scores[:, apart], atol=1e-7 * scale, err_msg=what)
        signs = np.where((scores * z).sum(axis=0) < 0, -1, 1)
        np.testing.assert_allclose((t * signs)[:, apart], new_scores[:, apart], atol=1e-7 * scale, err_msg=what + ", new points")

    def test_kernel_pca(self):
        for name, x in DATA.items():
            for text, arguments in kernels(x.shape[1]).items():
                arguments = dict(arguments)
                with self.subTest(data=name, kernel=text):
                    train, new = x, x[:50] + 0.01
                    if "laplacian" in arguments:  # not among KernelPCA's own names
                        from sklearn.metrics.pairwise import laplacian_kernel
                        gamma = arguments.pop("laplacian")
                        train, new = laplacian_kernel(x, x, gamma), laplacian_kernel(new, x, gamma)
                    k = components_for(x, text)
                    peer = KernelPCA(k, eigen_solver="dense", **arguments).fit(train)
                    scores = peer.transform(train)
                    report, z, t = run("kpca", x, k, "--kernel", text)
                    self.compare(peer.eigenvalues_, scores, peer.transform(new), report, z, t, f"{name}, {text}")

    def test_pca(self):
        for name, x in DATA.items():
            with self.subTest(data=name):
                k = components_for(x, "linear")
                peer = PCA(k, svd_solver="full").fit(x)
                report, z, t = run("pca", x, k)
                n = len(x)
                self.compare(peer.explained_variance_ * (n - 1), peer.transform(x), peer.transform(x[:50] + 0.01), report, z, t, name)
                np.testing.assert_allclose(report["explained_variance_ratio"], peer.explained_variance_ratio_, rtol=1e-8)

    def test_the_comparison_can_fail(self):
        report, z, t = run("pca", DATA["wine"], K)
        with self.assertRaises(AssertionError):
            self.compare(np.array(report["gram_eigenvalues"]) * (1 + 1e-6), z, t, report, z, t, "spoilt")


if __name__ == "__main__":
    unittest.main()
