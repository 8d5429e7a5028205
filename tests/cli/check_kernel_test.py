"""check-kernel through the program: the verdict is a success whatever it is, in words and as JSON."""
import json
import unittest

import numpy as np
from support import CliTest


class CheckKernel(CliTest):
    def verdict(self, kernel, *more):
        return json.loads(self.ok("check-kernel", kernel, "points.csv", "--json", *more))

    def test_verdicts_with_their_eigenvalues(self):
        x = self.points(n=40, d=3)
        for kernel, verdict in (("rbf(gamma=0.5)", "valid"), ("poly(degree=2) + 0.1*rbf", "valid"), ("expr('exp(-sqdist)')", "valid-here"),
                                ("expr('-sqrt(sqdist)')", "conditional"), ("expr('sqrt(sqdist)')", "invalid"),
                                ("-1*linear", "invalid"), ("sigmoid(gamma=1, coef0=1)", "invalid")):
            with self.subTest(kernel):
                self.assertEqual(verdict, self.verdict(kernel)["verdict"])
        k = np.tanh(x @ x.T + 1)
        found = self.verdict("sigmoid(gamma=1, coef0=1)")
        self.assertAlmostEqual(np.linalg.eigvalsh(k)[0], found["min_eigenvalue"], 9)
        c = np.array(found["witness"]["vector"])
        self.assertLess(c @ k @ c, 0)
        self.assertAlmostEqual(c @ k @ c, found["witness"]["value"], 9)
        self.assertEqual(list(np.argsort(-np.abs(c), kind="stable")[:5]), found["witness"]["rows"])

    def test_the_words_say_why_and_what_to_do(self):
        self.points(n=40, d=3)
        text = self.ok("check-kernel", "2*rbf(gamma=1)*linear + poly(degree=2)", "points.csv")
        for part in ("valid always: its feature map is known", "a sum of kernels is one", "Schur", "a multiple by 2", "Bochner"):
            self.assertIn(part, text)
        text = self.ok("check-kernel", "sigmoid(gamma=1, coef0=1)", "points.csv")
        for part in ("not valid", "cᵀKc = -", "at row", "shift", "clip", "flip", "coef0 < 0"):
            self.assertIn(part, text)
        self.assertIn("kernel PCA is sound", self.ok("check-kernel", "expr('-sqdist')", "points.csv"))

    def test_the_verdict_agrees_with_what_kpca_does(self):
        self.points(n=40, d=3)
        self.fails(5, "kpca", "points.csv", "--kernel", "sigmoid(gamma=1, coef0=1)")
        self.ok("kpca", "points.csv", "--kernel", "expr('-sqrt(sqdist)')")
        self.ok("kpca", "points.csv", "--kernel", "expr('exp(-sqdist)')")

    def test_a_matrix_may_be_lopsided(self):
        self.write("points.csv", "1,2\n0,1\n")
        found = self.verdict("precomputed")
        self.assertEqual(("invalid", False, 2), (found["verdict"], found["symmetric"], found["asymmetry"]))

    def test_mistakes(self):
        self.points(n=10, d=2)
        self.assertIn("did you mean rbf?", self.fails(2, "check-kernel", "rfb", "points.csv"))
        self.fails(66, "check-kernel", "rbf", "nowhere.csv")
        self.fails(65, "check-kernel", "chi2", "points.csv")
        self.fails(65, "check-kernel", "precomputed", "points.csv")
        self.fails(2, "check-kernel", "rbf")
        self.fails(2, "check-kernel", "precomputed", "points.csv", "--scale", "center")


if __name__ == "__main__":
    unittest.main()
