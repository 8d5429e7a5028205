"""Pre-images by ridge are scikit-learn's inverse_transform (KernelPCA, fit_inverse_transform=True) to 1e-6."""
import os
import subprocess
import tempfile
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin when the machine is busy

import numpy as np
from sklearn.datasets import load_digits, load_wine, make_circles
from sklearn.decomposition import KernelPCA
from sklearn.preprocessing import StandardScaler

PROGRAM = os.environ["MERCER_PROGRAM"]
DATA = {
    "digits": load_digits().data[:400] / 16,
    "wine": StandardScaler().fit_transform(load_wine().data),
    "circles": make_circles(400, factor=0.3, noise=0.05, random_state=0)[0],
}
KERNELS = {
    "linear": dict(kernel="linear"),
    "poly(degree=3, gamma=0.1, coef0=1)": dict(kernel="poly", degree=3, gamma=0.1, coef0=1),
    "rbf(gamma=0.3)": dict(kernel="rbf", gamma=0.3),
    "cosine": dict(kernel="cosine"),
}


def ours(x, new, kernel, k, alpha):
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        np.save(path("x.npy"), x)
        np.save(path("new.npy"), new)
        run = lambda *arguments: subprocess.run([PROGRAM, *arguments, "--quiet"], check=True)
        run("kpca", path("x.npy"), "-k", str(k), "--kernel", kernel, "--model", path("m.mercer"))
        run("transform", path("m.mercer"), path("new.npy"), "--out", path("z.npy"))
        run("inverse", path("m.mercer"), path("z.npy"), "--preimage", "ridge", "--ridge", str(alpha), "--out", path("back.npy"))
        return np.load(path("back.npy"))


class Agreement(unittest.TestCase):
    def test_the_learned_map(self):
        for name, x in DATA.items():
            for text, arguments in KERNELS.items():
                for alpha in (1.0, 0.01):
                    with self.subTest(data=name, kernel=text, alpha=alpha):
                        k = min(4, x.shape[1])
                        new = x[:50] + 0.01
                        peer = KernelPCA(k, eigen_solver="dense", fit_inverse_transform=True, alpha=alpha, **arguments).fit(x)
                        expected = peer.inverse_transform(peer.transform(new))
                        np.testing.assert_allclose(ours(x, new, text, k, alpha), expected, atol=1e-6 * np.abs(expected).max())

    def test_the_default_ridge_is_theirs(self):
        x = DATA["circles"]
        peer = KernelPCA(2, kernel="rbf", gamma=2, eigen_solver="dense", fit_inverse_transform=True).fit(x)
        np.testing.assert_allclose(ours(x, x, "rbf(gamma=2)", 2, 1), peer.inverse_transform(peer.transform(x)), atol=1e-6)


if __name__ == "__main__":
    unittest.main()
