"""basis-pca through the program: it equals kernel PCA, reads a circle's equation, and explains mistakes."""
import json
import unittest
from decimal import Decimal, localcontext
from math import factorial

import numpy as np
from support import CliTest, kernel_pca, same_up_to_sign


def smallest_eigenvector(a):
    """By inverse iteration, Gauss and all, in decimals."""
    n = len(a)
    x = [Decimal(1)] * n
    for _ in range(40):
        rows = [list(row) + [b] for row, b in zip(a, x)]
        for c in range(n):
            pivot = max(range(c, n), key=lambda r: abs(rows[r][c]))
            rows[c], rows[pivot] = rows[pivot], rows[c]
            for r in range(c + 1, n):
                factor = rows[r][c] / rows[c][c]
                rows[r] = [p - factor * q for p, q in zip(rows[r], rows[c])]
        for c in reversed(range(n)):
            x[c] = (rows[c][n] - sum(rows[c][k] * x[k] for k in range(c + 1, n))) / rows[c][c]
        length = sum(v * v for v in x).sqrt()
        x = [v / length for v in x]
    return x


class BasisPca(CliTest):
    def test_it_is_kernel_pca_with_that_kernel(self):
        for n, d, degree in ((30, 3, 2), (8, 4, 3)):
            x = self.points(n=n, d=d, seed=degree)
            for center in ("yes", "no"):
                report = self.report("basis-pca", "points.csv", "--basis", f"poly(degree={degree})", "--center", center, "--out", "scores.csv")
                k = (x @ x.T + 1) ** degree
                if center == "yes":
                    values, scores = kernel_pca(k, 2)
                else:
                    values, vectors = np.linalg.eigh(k)
                    values, scores = values[::-1][:2], (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :2]
                np.testing.assert_allclose(report["gram_eigenvalues"], values, rtol=1e-9)
                self.assertTrue(same_up_to_sign(self.table("scores.csv")[1], scores, 1e-7 * np.abs(scores).max()))
                self.assertEqual(f"poly(degree={degree}, gamma=1, coef0=1)", report["kernel"])
                self.assertEqual("basis-pca", report["method"])

    def test_the_circle_reads_off_its_own_equation(self):
        self.ok("generate", "circle", "--n", 100, "--seed", 1, "--out", "circle.csv")
        command = ("basis-pca", "circle.csv", "--basis", "poly(degree=2)", "--center", "no", "--smallest", 1)
        self.assertIn("x1² + x2² − 2·x1 − 4·x2 + 2.75 = 0", self.ok(*command))
        report = self.report(*command)
        found = dict(zip(report["function_names"], np.array(report["coefficients"][0])))
        unit = found["x1²"]
        for name, value in {"1": 2.75, "x1": -2, "x2": -4, "x1²": 1, "x1·x2": 0, "x2²": 1}.items():
            self.assertAlmostEqual(value, found[name] / unit, 9, name)
        self.assertEqual("smallest", report["end"])
        self.assertEqual(4, self.report("basis-pca", "circle.csv", "-k", 10)["components"])
        angles = np.random.default_rng(0).uniform(0, 2 * np.pi, 50)
        np.savetxt(self.folder / "origin.csv", 3 * np.column_stack([np.cos(angles), np.sin(angles)]), delimiter=",", fmt="%.17g")
        self.assertIn("x1² + x2² − 9 = 0", self.ok("basis-pca", "origin.csv", *command[2:]))

    def test_relations_of_noisy_points_far_away_minimise_what_is_documented(self):
        """min |Phi u| for |u| = 1 in the weighted monomials, beside inverse iteration with 90 digits on the same numbers."""
        random = np.random.default_rng(3)
        for middle, noise, degree in (((300, 600), 1e-3, 2), ((1000, 2000), 1e-3, 2), ((1000, 2000), 0.1, 2), ((1000, 2000), 1e-2, 3)):
            with self.subTest(f"{middle} {noise} {degree}"), localcontext() as context:
                context.prec = 90
                angles = random.uniform(0, 2 * np.pi, 40)
                x = np.array(middle) + 1.5 * np.column_stack([np.cos(angles), np.sin(angles)]) + noise * random.normal(size=(40, 2))
                np.savetxt(self.folder / "far.csv", x, delimiter=",", fmt="%.17g")
                report = self.report("basis-pca", "far.csv", "--basis", f"poly(degree={degree})", "--center", "no", "--smallest", 1)
                powers = [(i, total - i) for total in range(degree + 1) for i in range(total, -1, -1)]
                weights = [Decimal(factorial(degree)) / (factorial(i) * factorial(j) * factorial(degree - i - j)) for i, j in powers]
                weights = [w.sqrt() for w in weights]
                phi = [[w * Decimal(a) ** i * Decimal(b) ** j for w, (i, j) in zip(weights, powers)] for a, b in x]
                scatter = [[sum(row[p] * row[q] for row in phi) for q in range(len(powers))] for p in range(len(powers))]
                u = smallest_eigenvector(scatter)
                value = sum(sum(a * b for a, b in zip(row, u)) ** 2 for row in phi)
                unit = u[-1] * weights[-1]
                found = dict(zip(report["function_names"], report["coefficients"][0]))
                last = f"x2{'²³'[degree - 2]}"
                for (i, j), weight, own in zip(powers, weights, u):
                    name = "·".join(f"x{v}{' ' if p == 1 else '²³'[p - 2]}".strip() for v, p in ((1, i), (2, j)) if p) or "1"
                    exact = float(own * weight / unit)
                    self.assertLess(abs(found[name] / found[last] - exact), 1e-6 * abs(exact), name)
                self.assertLess(abs(report["gram_eigenvalues"][0] / float(value) - 1), 1e-6)
                self.assertLess(0, report["missed_bound"]["rigorous"])

    def test_every_basis_fits_transforms_and_tells_what_it_is(self):
        x = self.points(n=40, d=2)
        for basis in ("poly", "monomials(degree=3)", "radial(count=5)", "radial(centers='0 0; 1 1', gamma=1)", "cosines(count=2)",
                      "fourier(count=20)", "functions('x1^2', 'x2')", "x1^2, x1*x2, sin(x1)", "monomials(1) + cosines(1)"):
            with self.subTest(basis):
                self.ok("basis-pca", "points.csv", "--basis", basis, "--out", "fit.csv", "--model", "m.mercer")
                self.ok("transform", "m.mercer", "points.csv", "--out", "again.csv")
                np.testing.assert_allclose(self.table("again.csv")[1], self.table("fit.csv")[1], atol=1e-12)
                told = json.loads(self.ok("info", "m.mercer", "--json"))
                self.assertEqual(self.report("basis-pca", "points.csv", "--basis", basis)["directions"], told["directions"])
        self.ok("basis-pca", "points.csv", "--basis", "x1^2, x2", "--center", "no", "-k", 2, "--out", "s.csv")
        scores, phi = self.table("s.csv")[1], np.column_stack([x[:, 0] ** 2, x[:, 1]])
        np.testing.assert_allclose(np.linalg.svd(scores)[1], np.linalg.svd(phi)[1], rtol=1e-12)

    def test_words_are_in_the_columns_names(self):
        random = np.random.default_rng(2)
        rows = "\n".join(f"{a},{b}" for a, b in random.normal(size=(50, 2)) * [1, 9])
        self.write("named.csv", "age,height\n" + rows + "\n")
        self.assertRegex(self.ok("basis-pca", "named.csv", "-k", 1), r"score 1: .*height²")

    def test_explain_tells_the_problem(self):
        self.points(n=50, d=3)
        self.assertIn("basis scatter matrix 10 x 10", self.ok("basis-pca", "points.csv", "--explain"))
        self.assertIn("basis Gram matrix 50 x 50", self.ok("basis-pca", "points.csv", "--basis", "poly(degree=6)", "--explain"))

    def test_mistakes_are_usage_errors_with_place_and_cure(self):
        self.points(n=20, d=2)
        for spec, part in (("ploy(degree=2)", "did you mean poly?"), ("poly(degre=2)", "poly takes degree, gamma, coef0"),
                           ("poly(degree=2", "')' is missing at position 14"), ("x1^^2", "basis function 'x1^^2'"), ("x1^2 +", "at its end"),
                           ("x3", "the columns are x1 to x2"), ("poly(coef0=-1)", "no feature map"), ("y+1", "x1, x2")):
            with self.subTest(spec):
                self.assertIn(part, self.fails(2, "basis-pca", "points.csv", "--basis", spec))
        self.assertIn("exclude each other", self.fails(2, "basis-pca", "points.csv", "--smallest", 1, "-k", 2))
        self.fails(2, "basis-pca", "points.csv", "--smallest", 0)
        self.fails(2, "basis-pca", "points.csv", "--route", "lowrank")
        self.assertRegex(self.fails(65, "basis-pca", "points.csv", "--basis", "ln(x1)"), r"not a number at row \d")
        self.points("wide.csv", n=20, d=100)
        self.assertIn("functions", self.fails(4, "basis-pca", "wide.csv", "--basis", "poly(degree=9)"))

    def test_scores_of_both_precisions_agree(self):
        self.points(n=60, d=2)
        double = self.report("basis-pca", "points.csv", "--basis", "poly(degree=3)")
        single = self.report("basis-pca", "points.csv", "--basis", "poly(degree=3)", "--precision", "float")
        np.testing.assert_allclose(single["variances"], double["variances"], rtol=1e-5)
        self.assertEqual("float", single["precision"])


if __name__ == "__main__":
    unittest.main()
