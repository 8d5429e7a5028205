"""From scores back to points by kernel PCA, and denoising, as a user runs them."""
import json
import unittest

import numpy as np
from support import CliTest, parse_csv


class Inverse(CliTest):
    def fit(self, *options, k=29, n=30):
        x = self.points(n=n, d=3)
        self.ok("kpca", "points.csv", "-k", k, *options, "--out", "s.csv", "--model", "m.mercer", "--quiet")
        return x

    def test_training_points_come_back_at_full_rank(self):
        for method in ("fixed-point", "distances"):
            x = self.fit("--kernel", "rbf(gamma=0.5)")
            self.ok("inverse", "m.mercer", "s.csv", "--preimage", method, "--out", "back.npy")
            np.testing.assert_allclose(np.load(self.folder / "back.npy"), x, atol=1e-5)

    def test_linear_kernel_comes_back_exactly_with_the_columns_names(self):
        self.write("t.csv", "a,b\n1,2\n3,5\n4,4\n0,1\n")
        self.ok("kpca", "t.csv", "--kernel", "linear", "--scale", "standardize", "--out", "s.csv", "--model", "m.mercer")
        names, back = parse_csv(self.ok("inverse", "m.mercer", "s.csv"))
        self.assertEqual(["a", "b"], names)
        np.testing.assert_allclose(back, [[1, 2], [3, 5], [4, 4], [0, 1]], atol=1e-10)

    def test_json_holds_an_error_a_point(self):
        x = self.fit("--kernel", "rbf(gamma=0.5)", k=3)
        report = self.report("inverse", "m.mercer", "s.csv", "--out", "back.npy")
        back, scores = np.load(self.folder / "back.npy"), self.table("s.csv")[1]
        self.assertEqual("fixed-point", report["preimage"])
        self.assertEqual((30, 3), (report["n"], report["d"]))
        # |phi(z) - P|^2 = |phi(z) - mean|^2 - 2 (score of z)·(scores) + |scores|^2
        gram = lambda a, b: np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))
        centred = 1 - 2 * gram(back, x).mean(axis=1) + gram(x, x).mean()
        np.savetxt(self.folder / "back.csv", back, delimiter=",", fmt="%.17g")
        of_back = parse_csv(self.ok("transform", "m.mercer", "back.csv"))[1]
        expected = centred - 2 * (of_back * scores).sum(axis=1) + (scores ** 2).sum(axis=1)
        np.testing.assert_allclose(report["errors"], expected, atol=1e-9)
        self.assertAlmostEqual(report["mean_error"], expected.mean(), 9)
        self.assertAlmostEqual(report["max_error"], expected.max(), 9)

    def test_pca_says_that_it_is_exact(self):
        self.points(n=20, d=3)
        self.ok("pca", "points.csv", "--out", "s.csv", "--model", "m.mercer")
        report = self.report("inverse", "m.mercer", "s.csv", "--out", "back.csv")
        self.assertEqual("exact", report["preimage"])
        self.assertEqual(0, report["max_error"])
        self.assertIn("exact", self.fails(2, "inverse", "m.mercer", "s.csv", "--preimage", "ridge", "--out", "b.csv"))

    def test_every_kernel_has_a_way_back(self):
        for kernel, method in (("rbf", "fixed-point"), ("matern32", "fixed-point"), ("poly(degree=2)", "distances"),
                               ("laplacian", "ridge"), ("cosine", "exact"), ("linear", "exact"), ("rbf + linear", "ridge")):
            with self.subTest(kernel):
                self.fit("--kernel", kernel, k=2)
                self.assertEqual(method, self.report("inverse", "m.mercer", "s.csv", "--out", "back.csv")["preimage"])
                self.assertTrue(json.loads(self.ok("info", "m.mercer", "--json"))["inverse"])

    def test_low_rank_models_and_floats_come_back_too(self):
        x = self.fit("--kernel", "rbf(gamma=0.1)", "--rank", "60", "--precision", "float", k=20, n=200)
        report = self.report("inverse", "m.mercer", "s.csv", "--out", "back.npy")
        self.assertLess(np.abs(np.load(self.folder / "back.npy") - x).mean(), 0.2)
        self.assertLess(report["mean_error"], 0.05)

    def test_scores_too_large_to_come_back_from_name_their_row(self):
        for kernel, methods in (("rbf", ("fixed-point", "distances", "ridge")), ("linear", ("ridge",)), ("poly(degree=3)", ("ridge",))):
            self.fit("--kernel", kernel, k=2)
            self.write("huge.csv", "pc1,pc2\n0.1,0.2\n1e308,-1e308\n")
            for method in methods:
                with self.subTest(f"{kernel} {method}"):
                    message = self.fails(65, "inverse", "m.mercer", "huge.csv", "--preimage", method, "--out", "b.csv")
                    self.assertIn("the scores of row 1 are too large", message)
        self.ok("pca", "points.csv", "-k", 2, "--scale", "standardize", "--model", "m.mercer")
        self.write("huge.csv", "pc1,pc2\n0.1,0.2\n1.7e308,1.7e308\n")
        self.assertIn("the scores of row 1 are too large", self.fails(65, "inverse", "m.mercer", "huge.csv", "--out", "b.csv"))

    def test_the_row_is_counted_over_all_chunks(self):
        self.fit("--kernel", "rbf", k=2)
        self.write("huge.csv", "pc1,pc2\n" + "0.1,0.2\n" * 9000 + "1e308,0\n")
        run = ("inverse", "m.mercer", "huge.csv", "--preimage", "distances", "--neighbors", 2, "--out", "b.csv")
        self.assertIn("row 9000", self.fails(65, *run))

    def test_a_learned_map_keeps_to_the_memory(self):
        self.fit("--kernel", "laplacian", k=2, n=400)
        run = ("inverse", "m.mercer", "s.csv", "--memory", "3M", "--out", "b.csv")
        self.assertIn("give --ridge a number", self.fails(4, *run, "--ridge", "auto"))
        self.ok(*run)
        self.assertIn("--rank", self.fails(4, "inverse", "m.mercer", "s.csv", "--memory", "2M", "--out", "c.csv"))

    def test_errors(self):
        self.fit("--kernel", "laplacian", k=2)
        self.assertIn("ridge works", self.fails(2, "inverse", "m.mercer", "s.csv", "--preimage", "fixed-point", "--out", "b.csv"))
        self.assertIn("no way to a pre-image", self.fails(2, "inverse", "m.mercer", "s.csv", "--preimage", "magic", "--out", "b.csv"))
        self.assertIn("neither a number", self.fails(2, "inverse", "m.mercer", "s.csv", "--ridge", "-1", "--out", "b.csv"))
        self.assertIn("standard output", self.fails(2, "inverse", "m.mercer", "s.csv", "--json"))
        self.write("wide.csv", "1,2,3\n4,5,6\n")
        self.assertIn("expected 2 columns", self.fails(65, "inverse", "m.mercer", "wide.csv", "--out", "b.csv"))
        self.ok("convert", "points.csv", "k.csv")
        x = np.random.default_rng(1).normal(size=(8, 2))
        np.savetxt(self.folder / "k.csv", x @ x.T, delimiter=",")
        self.ok("kpca", "k.csv", "--kernel", "precomputed", "--out", "s.csv", "--model", "m.mercer")
        self.assertIn("no inputs", self.fails(2, "inverse", "m.mercer", "s.csv", "--out", "b.csv"))


class Denoise(CliTest):
    def half_circle(self):
        """A half circle, and the same with noise."""
        random = np.random.default_rng(3)
        angle = random.uniform(0, np.pi, 400)
        clean = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        noisy = clean + random.normal(scale=0.15, size=clean.shape)
        for name, rows in (("train", clean[:300]), ("clean", clean[300:]), ("noisy", noisy[300:])):
            np.savetxt(self.folder / f"{name}.csv", rows, delimiter=",", fmt="%.17g")
        return clean[300:], noisy[300:]

    def test_kernel_pca_takes_noise_off_a_curve_and_pca_cannot(self):
        clean, noisy = self.half_circle()
        distance = lambda name: ((np.load(self.folder / name) - clean) ** 2).sum(axis=1).mean()
        report = self.report("denoise", "train.csv", "--noisy", "noisy.csv", "-k", "4", "--kernel", "rbf(gamma=2)",
                             "--clean", "clean.csv", "--out", "kernel.npy")
        self.ok("denoise", "train.csv", "--noisy", "noisy.csv", "-k", "1", "--method", "pca", "--out", "linear.npy")
        self.assertAlmostEqual(report["mean_squared_distance"], distance("kernel.npy"), 12)
        self.assertAlmostEqual(report["noisy_squared_distance"], ((noisy - clean) ** 2).sum(axis=1).mean(), 12)
        self.assertLess(distance("kernel.npy"), 0.7 * report["noisy_squared_distance"])
        self.assertGreater(distance("linear.npy"), 2 * distance("kernel.npy"))
        self.assertEqual(100, len(report["errors"]))

    def test_it_is_fit_transform_inverse(self):
        self.half_circle()
        for method, options in (("pca", []), ("kpca", ["--kernel", "poly(degree=3)"])):
            self.ok("denoise", "train.csv", "--noisy", "noisy.csv", "--method", method, "-k", "1", *options, "--out", "a.npy")
            self.ok(method, "train.csv", "-k", "1", *options, "--model", "m.mercer")
            self.ok("transform", "m.mercer", "noisy.csv", "--out", "s.npy")
            self.ok("inverse", "m.mercer", "s.npy", "--out", "b.npy")
            np.testing.assert_allclose(np.load(self.folder / "a.npy"), np.load(self.folder / "b.npy"), atol=1e-9)

    def test_several_counts_are_tried_on_the_truth(self):
        self.half_circle()
        common = ["denoise", "train.csv", "--noisy", "noisy.csv", "--kernel", "rbf(gamma=2)", "--clean", "clean.csv", "--out"]
        swept = self.report(*common, "a.npy", "-k", "1,2,4,8")
        self.assertEqual([1, 2, 4, 8], [entry["components"] for entry in swept["sweep"]])
        best = min(swept["sweep"], key=lambda entry: entry["mean_squared_distance"])
        self.assertEqual(best["components"], swept["components"])
        for entry in swept["sweep"]:
            alone = self.report(*common, "b.npy", "-k", entry["components"])
            self.assertAlmostEqual(entry["mean_squared_distance"], alone["mean_squared_distance"], 6)

    def test_a_label_column_is_left_out_of_both(self):
        self.write("t.csv", "a,b,c\n1,2,x\n3,5,y\n4,4,x\n0,1,y\n2,2,x\n")
        self.ok("denoise", "t.csv", "--label", "c", "--noisy", "t.csv", "-k", "2", "--method", "pca", "--out", "o.csv")
        names, rows = self.table("o.csv")
        self.assertEqual(["a", "b"], names)
        np.testing.assert_allclose(rows, [[1, 2], [3, 5], [4, 4], [0, 1], [2, 2]], atol=1e-12)

    def test_gaps_are_for_the_points_to_fit_on_alone(self):
        self.write("train.csv", "a,b\n1,2\n3,5\n4,4\n0,\n2,2\n")
        self.write("noisy.csv", "a,b\n1,\n3,5\n4,4\n")
        self.write("clean.csv", "a,b\n1,2\n3,\n4,4\n")
        self.write("whole.csv", "a,b\n1,2\n3,5\n4,4\n")
        for policy in ("drop", "mean"):
            run = lambda noisy, clean: ("denoise", "train.csv", "--noisy", noisy, "--clean", clean, "--missing", policy,
                                        "--method", "pca", "-k", 2, "--out", "o.csv")
            self.assertIn("noisy.csv: row 0 has a missing value", self.fails(65, *run("noisy.csv", "clean.csv")))
            self.assertIn("leave the row out of every file", self.fails(65, *run("whole.csv", "clean.csv")))
            self.ok(*run("whole.csv", "whole.csv"))
            np.testing.assert_allclose(self.table("o.csv")[1], [[1, 2], [3, 5], [4, 4]], atol=1e-12)
            (self.folder / "o.csv").unlink()

    def test_other_names_are_noted(self):
        self.write("train.csv", "a,b\n1,2\n3,5\n4,4\n0,1\n")
        self.write("noisy.csv", "a,c\n1,2\n3,5\n")
        run = ("denoise", "train.csv", "--noisy", "noisy.csv", "--method", "pca", "-k", 2, "--out", "o.csv")
        self.assertIn("columns of noisy.csv are not named like", self.mercer(*run).stderr)
        self.assertEqual("", self.mercer(*run, "--quiet").stderr)

    def test_errors(self):
        self.half_circle()
        run = lambda code, *more: self.fails(code, "denoise", "train.csv", "--noisy", "noisy.csv", *more)
        self.assertIn("--out", run(2))
        self.assertIn("--clean", run(2, "-k", "1,2", "--out", "o.csv"))
        self.assertIn("no kernel", run(2, "--method", "pca", "--kernel", "rbf", "--out", "o.csv"))
        self.assertIn("exact", run(2, "--method", "pca", "--preimage", "ridge", "--out", "o.csv"))
        self.assertIn("300 rows", run(65, "--clean", "train.csv", "--out", "o.csv"))
        self.points("wide.csv", n=5, d=4)
        self.assertIn("expected 2 columns", self.fails(65, "denoise", "train.csv", "--noisy", "wide.csv", "--out", "o.csv"))
        self.fails(66, "denoise", "train.csv", "--noisy", "absent.csv", "--out", "o.csv")


if __name__ == "__main__":
    unittest.main()
