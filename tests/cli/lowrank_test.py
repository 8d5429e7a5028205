"""The low-rank route from the command line: fits with bounds, landmarks, updates and merged shards."""
import json
import unittest

import numpy as np
from support import CliTest, centred, rbf


class LowRank(CliTest):
    def fit(self, *options, data="points.csv", gamma=0.3):
        return self.report("kpca", data, "--kernel", f"rbf(gamma={gamma})", "-k", "3", *options)

    def truth(self, x, gamma=0.3):
        return np.linalg.eigvalsh(centred(rbf(x, gamma)))[::-1]

    def expect_bounded(self, report, truth):
        for bounds in ("eigenvalue_bounds", "eigenvalue_bounds_rigorous"):
            self.assertEqual(report["components"], len(report[bounds]))
            for (low, high), value in zip(report[bounds], truth):
                self.assertLessEqual(low, value * (1 + 1e-9))
                self.assertGreaterEqual(high, value * (1 - 1e-9))

    def test_a_rank_or_a_tolerance_chooses_the_route_and_bounds_every_eigenvalue(self):
        x = self.points(n=400, d=3)
        truth = self.truth(x)
        for options in (["--rank", "60"], ["--tolerance", "1e-4"], ["--route", "lowrank"],
                        ["--route", "lowrank", "--rank", "30", "--landmarks", "uniform"], ["--rank", "30", "--landmarks", "kmeans"]):
            with self.subTest(options):
                report = self.fit(*options, "--out", "fit.csv", "--model", "m.mercer")
                self.assertEqual("lowrank", report["plan"]["route"])
                self.expect_bounded(report, truth)
                self.assertGreaterEqual(report["missed_bound"]["probable"], truth[3])
                self.assertAlmostEqual(truth.sum(), report["trace"], places=8)
                self.assertLessEqual(report["gram_eigenvalues"][0], truth[0] * (1 + 1e-9))
                self.assertIn("remaining_trace", report)
                self.ok("transform", "m.mercer", "points.csv", "--out", "again.csv")
                np.testing.assert_allclose(self.table("fit.csv")[1], self.table("again.csv")[1], atol=1e-12)
                info = json.loads(self.ok("info", "m.mercer", "--json"))
                self.assertEqual(report["eigenvalue_bounds"], info["eigenvalue_bounds"])
        self.assertLessEqual(self.fit("--tolerance", "1e-4")["remaining_trace"], 1e-4 * 400)

    def test_the_automatic_choice_never_approximates(self):
        self.points(n=400, d=3)
        self.assertNotEqual("lowrank", self.fit()["plan"]["route"])
        self.assertNotIn("eigenvalue_bounds", self.fit())
        self.assertIn("--route lowrank", self.fails(4, "kpca", "points.csv", "--memory", "900K"))

    def test_landmarks_from_a_file_of_row_numbers(self):
        self.points(n=50, d=2)
        self.write("rows.csv", "3\n17\n42\n")
        self.assertEqual(3, self.fit("--landmarks", "rows.csv")["rank"])
        self.write("bad.csv", "3\n99\n")
        self.assertIn("99", self.fails(2, "kpca", "points.csv", "--landmarks", "bad.csv"))

    def test_float_fits_too(self):
        x = self.points(n=300, d=3)
        report = self.fit("--rank", "50", "--precision", "float")
        self.assertEqual("float", report["precision"])
        self.expect_bounded(report, self.truth(x))

    def test_explain_says_what_it_will_take(self):
        self.points(n=100, d=3)
        plan = self.report("kpca", "points.csv", "--rank", "20", "--explain")["plan"]
        self.assertEqual("lowrank", plan["route"])
        self.assertGreater(plan["bytes"], 100 * 20 * 8)
        self.assertIn("lowrank", self.ok("kpca", "points.csv", "--tolerance", "0.01", "--explain"))

    def test_a_table_larger_than_the_budget_is_fitted_and_scored_in_passes(self):
        x = self.points(n=20000, d=4)
        np.save(self.folder / "points.npy", x)
        small = self.fit("--rank", "20", "--memory", "3M", "--out", "fit.csv", "--model", "m.mercer")
        self.assertEqual(20000, small["n"])
        self.assertIn("the factor is not kept", small["plan"]["reason"])
        self.ok("transform", "m.mercer", "points.csv", "--out", "again.csv")
        np.testing.assert_allclose(self.table("fit.csv")[1], self.table("again.csv")[1], atol=1e-12)
        whole = self.report("kpca", "points.npy", "--landmarks", "m.mercer", "-k", "3")
        np.testing.assert_allclose(small["gram_eigenvalues"], whole["gram_eigenvalues"], rtol=1e-10)

    def test_columns_in_another_order_are_put_right_in_updates(self):
        self.write("ab.csv", "a,b\n1,2\n3,5\n-1,0\n2,2\n0,3\n")
        self.write("ba.csv", "b,a\n2,1\n5,3\n0,-1\n")
        self.write("same.csv", "a,b\n1,2\n3,5\n-1,0\n")
        self.ok("kpca", "ab.csv", "--rank", "3", "--kernel", "rbf(gamma=0.1)", "--model", "m.mercer")
        a = self.report("update", "m.mercer", "ba.csv", "--model", "a.mercer")
        b = self.report("update", "m.mercer", "same.csv", "--model", "b.mercer")
        self.assertEqual(a["gram_eigenvalues"], b["gram_eigenvalues"])

    def test_what_makes_no_sense_is_refused(self):
        self.points(n=40, d=3)
        self.fails(2, "kpca", "points.csv", "--rank", "5", "--tolerance", "0.1")
        self.fails(2, "kpca", "points.csv", "--rank", "5", "--route", "dense")
        self.fails(2, "kpca", "points.csv", "--rank", "0")
        self.fails(2, "kpca", "points.csv", "--tolerance", "1.5")
        self.fails(2, "kpca", "points.csv", "--landmarks", "uniform")
        self.fails(66, "kpca", "points.csv", "--landmarks", "absent.csv")
        self.fails(5, "kpca", "points.csv", "--rank", "5", "--kernel", "sigmoid")
        self.fails(2, "pca", "points.csv", "--route", "lowrank")


class Streaming(CliTest):
    def shards(self):
        x = self.points(n=300, d=3)
        for name, part in (("a.csv", x[:180]), ("b.csv", x[180:])):
            np.savetxt(self.folder / name, part, delimiter=",", fmt="%.17g")
        self.ok("kpca", "a.csv", "--kernel", "rbf(gamma=0.3)", "-k", "3", "--rank", "25", "--model", "a.mercer")
        self.whole = self.report("kpca", "points.csv", "--landmarks", "a.mercer", "-k", "3", "--model", "whole.mercer")
        return x

    def test_an_updated_model_is_the_model_of_all_points(self):
        self.shards()
        report = self.report("update", "a.mercer", "b.csv", "--model", "ab.mercer", "--out", "b.scores.csv")
        self.assertEqual(300, report["n"])
        np.testing.assert_allclose(report["gram_eigenvalues"], self.whole["gram_eigenvalues"], rtol=1e-10)
        self.ok("transform", "whole.mercer", "b.csv", "--out", "expected.csv")
        np.testing.assert_allclose(self.table("b.scores.csv")[1], self.table("expected.csv")[1], atol=1e-9)

    def test_a_growing_basis_keeps_true_bounds(self):
        x = self.shards()
        report = self.report("update", "a.mercer", "b.csv", "--model", "ab.mercer", "--max-rank", "60")
        self.assertLessEqual(report["rank"], 60)
        for (low, high), value in zip(report["eigenvalue_bounds"], np.linalg.eigvalsh(centred(rbf(x, 0.3)))[::-1]):
            self.assertTrue(low <= value <= high)

    def test_merged_shards_are_the_whole(self):
        self.shards()
        self.ok("kpca", "b.csv", "--landmarks", "a.mercer", "-k", "3", "--model", "b.mercer", "--out", "b.fit.csv")
        report = self.report("merge", "a.mercer", "b.mercer", "--model", "ab.mercer")
        np.testing.assert_allclose(report["gram_eigenvalues"], self.whole["gram_eigenvalues"], rtol=1e-10)
        self.assertAlmostEqual(report["remaining_trace"], self.whole["remaining_trace"], places=9)
        self.ok("transform", "ab.mercer", "points.csv", "--out", "merged.csv")
        self.ok("transform", "whole.mercer", "points.csv", "--out", "whole.csv")
        np.testing.assert_allclose(self.table("merged.csv")[1], self.table("whole.csv")[1], atol=1e-9)

    def test_what_cannot_be_joined_is_refused_and_says_why(self):
        self.shards()
        self.ok("kpca", "b.csv", "--kernel", "rbf(gamma=0.3)", "--rank", "25", "--model", "other.mercer")
        self.assertIn("landmarks differ", self.fails(2, "merge", "a.mercer", "other.mercer", "--model", "x.mercer"))
        self.ok("kpca", "b.csv", "--kernel", "rbf(gamma=0.3)", "--model", "exact.mercer")
        self.assertIn("--route lowrank", self.fails(2, "update", "exact.mercer", "b.csv", "--model", "x.mercer"))
        self.ok("pca", "b.csv", "--model", "pca.mercer")
        self.fails(2, "update", "pca.mercer", "b.csv", "--model", "x.mercer")
        self.points("wide.csv", n=10, d=5)
        self.fails(65, "update", "a.mercer", "wide.csv", "--model", "x.mercer")
        self.fails(66, "update", "a.mercer", "absent.csv", "--model", "x.mercer")
        self.fails(2, "kpca", "b.csv", "--landmarks", "a.mercer", "--kernel", "linear")
        self.fails(2, "update", "a.mercer", "b.csv")


class Labelled(CliTest):
    """A column of classes is left out of new points, whatever has happened to the model since its fit."""

    def setUp(self):
        super().setUp()
        x = np.random.default_rng(5).normal(size=(90, 2))
        self.parts = {"a.csv": x[:60], "b.csv": x[60:]}
        for name, part in self.parts.items():
            rows = "".join(f"{a!r},{'even' if i % 2 == 0 else 'odd'},{b!r}\n" for i, (a, b) in enumerate(part.tolist()))
            self.write(name, "u,class,v\n" + rows)
            self.write("bare_" + name, "u,v\n" + "".join(f"{a!r},{b!r}\n" for a, b in part.tolist()))
            self.write("swapped_" + name, "v,u\n" + "".join(f"{b!r},{a!r}\n" for a, b in part.tolist()))
        self.fit("a.csv", "--label", "class", "--rank", "20", "--kernel", "rbf(gamma=0.3)", "--model", "a.mercer")
        self.fit("bare_a.csv", "--rank", "20", "--kernel", "rbf(gamma=0.3)", "--model", "bare.mercer")

    def fit(self, *options):
        return self.report("kpca", *options, "-k", "3")

    def expect_names(self, model, classes):
        info = json.loads(self.ok("info", model, "--json"))
        self.assertEqual({"column": "class", "classes": classes}, info["label"])
        self.assertEqual(["u", "v"], info["columns"])
        self.assertIn("class", self.ok("info", model))
        for name, rows in (("b.csv", 30), ("bare_b.csv", 30), ("swapped_b.csv", 30)):
            self.ok("transform", model, name, "--out", name + ".scores.csv")
        scores = [self.table(name + ".scores.csv")[1] for name in ("b.csv", "bare_b.csv", "swapped_b.csv")]
        for other in scores[1:]:
            np.testing.assert_array_equal(scores[0], other)

    def test_in_updates_and_updates_of_updates(self):
        plain = self.report("update", "bare.mercer", "bare_b.csv", "--model", "plain.mercer")
        for data in ("b.csv", "bare_b.csv", "swapped_b.csv"):
            report = self.report("update", "a.mercer", data, "--model", "ab.mercer", "--out", "scores.csv")
            self.assertEqual(plain["gram_eigenvalues"], report["gram_eigenvalues"], data)
            self.assertEqual(30, len(self.table("scores.csv")[1]))
            self.expect_names("ab.mercer", [])
        self.assertEqual(120, self.report("update", "ab.mercer", "b.csv", "--model", "abb.mercer")["n"])
        self.expect_names("abb.mercer", [])

    def test_a_shard_without_classes_is_drawn_plain(self):
        self.fit("bare_b.csv", "--landmarks", "a.mercer", "--model", "b.mercer")
        self.ok("plot", "b.mercer", "--out", "b.svg")

    def test_in_updates_from_a_stream(self):
        expected = self.report("update", "a.mercer", "b.csv", "--model", "ab.mercer")
        report = self.report("update", "a.mercer", "-", "--model", "s.mercer", stdin=(self.folder / "bare_b.csv").read_text())
        self.assertEqual(expected["gram_eigenvalues"], report["gram_eigenvalues"])

    def test_in_fits_on_the_basis_of_a_model_and_in_merged_models(self):
        expected = self.fit("bare_b.csv", "--landmarks", "bare.mercer")
        for data, options in (("b.csv", []), ("b.csv", ["--label", "class"]), ("bare_b.csv", []), ("swapped_b.csv", [])):
            report = self.fit(data, *options, "--landmarks", "a.mercer", "--model", "b.mercer")
            np.testing.assert_allclose(report["gram_eigenvalues"], expected["gram_eigenvalues"], rtol=1e-12, err_msg=data)
            self.ok("merge", "a.mercer", "b.mercer", "--model", "ab.mercer")
            self.expect_names("ab.mercer", [])
        self.fit("b.csv", "--landmarks", "a.mercer", "--model", "b.mercer")
        self.expect_names("b.mercer", ["even", "odd"])
        self.ok("merge", "b.mercer", "a.mercer", "--model", "ba.mercer")
        self.expect_names("ba.mercer", [])

    def test_in_fits_on_rows_named_in_a_file(self):
        self.write("rows.csv", "3\n17\n42\n")
        self.fit("a.csv", "--label", "class", "--landmarks", "rows.csv", "--kernel", "rbf(gamma=0.3)", "--model", "r.mercer")
        self.expect_names("r.mercer", ["even", "odd"])

    def test_in_fits_in_passes(self):
        rng = np.random.default_rng(6)
        rows = "".join(f"{a:.30e},{'xy'[i % 2]},{b:.30e}\n" for i, (a, b) in enumerate(rng.normal(size=(60000, 2)).tolist()))
        self.write("long.csv", "u,class,v\n" + rows)
        report = self.fit("long.csv", "--label", "class", "--rank", "10", "--memory", "6M", "--model", "long.mercer")
        self.assertIn("the factor is not kept", report["plan"]["reason"])
        self.expect_names("long.mercer", [])
        self.assertEqual(60030, self.report("update", "long.mercer", "b.csv", "--model", "more.mercer")["n"])
        self.expect_names("more.mercer", [])


if __name__ == "__main__":
    unittest.main()
