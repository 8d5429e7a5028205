"""kpca --features through the program: near the exact answer, and labelled as uncertified."""
import json
import unittest

import numpy as np
from support import CliTest


class RandomFeatures(CliTest):
    def clusters(self, n=400):
        random = np.random.default_rng(1)
        x = 0.3 * random.normal(size=(n, 3)) + 2 * np.eye(3)[np.arange(n) % 3]
        np.savetxt(self.folder / "points.csv", x, delimiter=",", fmt="%.17g")

    def test_the_answer_is_near_the_exact_one_and_says_what_it_is(self):
        self.clusters()
        exact = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=0.3)")
        for kind in ("orthogonal", "fourier"):
            report = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=0.3)", "--features", 2000, "--feature-kind", kind)
            np.testing.assert_allclose(report["gram_eigenvalues"], exact["gram_eigenvalues"], rtol=0.1)
            self.assertEqual("kpca", report["method"])
            self.assertEqual("random features", report["approximation"])
            self.assertIs(False, report["certified"])
            self.assertEqual((2000, kind), (report["features"], report["feature_kind"]))
            self.assertNotIn("eigenvalue_bounds", report)
            self.assertEqual([None, None], [report["missed_bound"][key] for key in ("rigorous", "probable")])
            self.assertTrue(0 < report["kernel_rms_error"] < 0.03)
            self.assertIn(report["plan"]["route"], ("dense", "stored"))
        self.assertNotIn("certified", exact)
        self.assertIn("uncertified: random features", self.ok("kpca", "points.csv", "--features", 200))

    def test_models_transform_and_tell_what_they_are(self):
        self.clusters()
        for precision in ("double", "float"):
            self.ok("kpca", "points.csv", "--features", 256, "--precision", precision, "--out", "fit.npy", "--model", "m.mercer")
            self.ok("transform", "m.mercer", "points.csv", "--out", "again.npy")
            np.testing.assert_array_equal(np.load(self.folder / "fit.npy"), np.load(self.folder / "again.npy"))
            self.assertIn("uncertified", self.ok("info", "m.mercer"))
            self.assertIs(False, json.loads(self.ok("info", "m.mercer", "--json"))["certified"])

    def test_a_seed_gives_the_same_answer_again_and_another_seed_another(self):
        self.clusters()
        values = [self.report("kpca", "points.csv", "--features", 64, "--seed", seed)["gram_eigenvalues"] for seed in (1, 1, 2)]
        self.assertEqual(values[0], values[1])
        self.assertNotEqual(values[0], values[2])

    def test_explain_tells_the_plan(self):
        self.clusters()
        text = self.ok("kpca", "points.csv", "--features", 600, "--explain")
        self.assertIn("scatter matrix 600 x 600 of random features", text)

    def test_what_does_not_go_together_is_a_usage_error(self):
        self.clusters()
        self.assertIn("--route", self.fails(2, "kpca", "points.csv", "--features", 64, "--route", "tiled"))
        for option in (["--rank", 10], ["--tolerance", 0.1]):
            self.fails(2, "kpca", "points.csv", "--features", 64, *option)
        self.assertIn("--features", self.fails(2, "kpca", "points.csv", "--feature-kind", "fourier"))
        self.fails(2, "kpca", "points.csv", "--features", 64, "--feature-kind", "magic")
        self.assertIn("even number", self.fails(2, "kpca", "points.csv", "--features", 63))
        self.assertIn("matern52", self.fails(2, "kpca", "points.csv", "--features", 64, "--kernel", "linear"))
        self.assertIn("lower --features", self.fails(4, "kpca", "points.csv", "--features", 20000, "--memory", "1G"))


if __name__ == "__main__":
    unittest.main()
