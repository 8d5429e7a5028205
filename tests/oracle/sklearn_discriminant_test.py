"""Agreement of lda with scikit-learn's LinearDiscriminantAnalysis: scores up to sign, shares, classes; and of klda with a linear
kernel and a small ridge."""
import json
import os
import subprocess
import tempfile
import unittest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin when the machine is busy

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

PROGRAM = os.environ["MERCER_PROGRAM"]
DATA = {"iris": load_iris(), "wine": load_wine(), "breast_cancer": load_breast_cancer(), "digits": load_digits()}


def run(method, x, y, new, *options):
    """The report, scores of training and new points, classes of new points by both rules."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        np.save(path("x.npy"), np.column_stack([x, y]))
        np.save(path("new.npy"), new)
        fit = subprocess.run([PROGRAM, method, path("x.npy"), "--label", str(x.shape[1]), *options, "--json", "--out", path("z.npy"),
                              "--model", path("m.mercer")], capture_output=True, text=True)
        assert fit.returncode == 0, fit.stderr
        classes = []
        for rule in ("auto", "centroid"):
            subprocess.run([PROGRAM, "predict", path("m.mercer"), path("new.npy"), "--decide", rule, "--out", path("y.npy"), "--quiet"],
                           check=True)
            classes.append(np.load(path("y.npy"))[:, 0].astype(int))
        subprocess.run([PROGRAM, "transform", path("m.mercer"), path("new.npy"), "--out", path("t.npy"), "--quiet"], check=True)
        return json.loads(fit.stdout), np.load(path("z.npy")), np.load(path("t.npy")), *classes


class Agreement(unittest.TestCase):
    def test_linear_discriminants(self):
        for name, data in DATA.items():
            with self.subTest(name):
                x, y, new = data.data[::2], data.target[::2], data.data[1::2]
                report, z, t, by_rule, by_centroid = run("lda", x, y, new)
                peer = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
                expected = peer.transform(x)
                signs = np.where((expected * z).sum(axis=0) < 0, -1, 1)
                scale = np.abs(expected).max()
                np.testing.assert_allclose(z * signs, expected, atol=1e-6 * scale)
                np.testing.assert_allclose(t * signs, peer.transform(new), atol=1e-5 * scale)
                np.testing.assert_allclose(report["explained_variance_ratio"], peer.explained_variance_ratio_, atol=1e-7)
                c = len(peer.classes_)
                flat = LinearDiscriminantAnalysis(solver="svd", priors=np.full(c, 1 / c)).fit(x, y)
                np.testing.assert_array_equal(flat.predict(new), by_centroid)
                if c == 2:  # the threshold weighs the classes by their sizes, as scikit-learn does
                    np.testing.assert_array_equal(peer.predict(new), by_rule)

    def test_kernel_discriminants_with_a_linear_kernel(self):
        x = DATA["wine"].data
        x, y = (x - x.mean(axis=0)) / x.std(axis=0), DATA["wine"].target
        _, z, t, *_ = run("klda", x, y, x + 0.01, "--kernel", "linear", "--ridge", "1e-6")
        peer = LinearDiscriminantAnalysis(solver="svd").fit(x, y)
        expected = peer.transform(x)
        signs = np.where((expected * z).sum(axis=0) < 0, -1, 1)
        off = (z * signs - expected).mean(axis=0)  # projections of the kernel are not centred
        np.testing.assert_allclose(z * signs - off, expected, atol=1e-6 * np.abs(expected).max())
        np.testing.assert_allclose(t * signs - off, peer.transform(x + 0.01), atol=1e-6 * np.abs(expected).max())


if __name__ == "__main__":
    unittest.main()
