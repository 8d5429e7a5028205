"""pca and kpca through the program: the numbers, the report, and where they are written."""
import json
import unittest

import numpy as np
from support import CliTest, DIGITS, kernel_pca, parse_csv, rbf, same_up_to_sign


class FirstSteps(CliTest):
    def test_the_first_command_works(self):
        self.ok("generate", "circles", "--n", 100, "--seed", 1, "--out", "circles.csv")
        text = self.ok("kpca", "circles.csv", "--label", "2", "--out", "scores.csv", "--model", "circles.mercer")
        self.assertIn("scores.csv", text)
        self.assertIn("circles.mercer", text)
        header, scores = self.table("scores.csv")
        self.assertEqual(["pc1", "pc2"], header)
        self.assertEqual((100, 2), scores.shape)

    def test_digits_work_out_of_the_box(self):
        report = self.report("kpca", DIGITS, "--label", "64", "-k", "5")
        self.assertEqual((1797, 64, 5), (report["n"], report["d"], report["components"]))


class TheReport(CliTest):
    def test_json_holds_every_field_of_the_contract(self):
        x = self.points(n=40, d=4)
        report = self.report("kpca", "points.csv", "-k", "3", "--kernel", "rbf(gamma=0.3)")
        self.assertEqual("kpca", report["method"])
        self.assertEqual((40, 4, 3), (report["n"], report["d"], report["components"]))
        self.assertEqual("rbf(gamma=0.3)", report["kernel"])
        self.assertEqual("double", report["precision"])
        values, _ = kernel_pca(rbf(x, 0.3), 40)
        np.testing.assert_allclose(report["gram_eigenvalues"], values[:3], rtol=1e-10)
        np.testing.assert_allclose(report["variances"], values[:3] / 40, rtol=1e-10)
        np.testing.assert_allclose(report["trace"], values.sum(), rtol=1e-10)
        np.testing.assert_allclose(report["explained_variance_ratio"], values[:3] / values.sum(), rtol=1e-10)
        self.assertLess(max(report["residuals"]), 1e-9 * values[0])
        self.assertGreaterEqual(report["missed_bound"]["rigorous"] * (1 + 1e-9), values[3])
        self.assertGreaterEqual(report["missed_bound"]["probable"] * (1 + 1e-9), values[3])
        self.assertGreaterEqual(report["missed_bound"]["delta"], 0)
        self.assertIs(True, report["converged"])
        self.assertIn(report["plan"]["route"], ("dense", "stored", "tiled"))
        self.assertGreater(report["plan"]["bytes"], 0)
        self.assertGreater(report["plan"]["flops"], 0)
        for stage in ("read", "solve", "total"):
            self.assertGreaterEqual(report["seconds"][stage], 0)
        self.assertGreaterEqual(report["seconds"]["total"], report["seconds"]["read"])
        self.assertGreater(report["peak_bytes"], 1e6)

    def test_pca_speaks_of_the_covariance_problem(self):
        x = self.points(n=50, d=4)
        report = self.report("pca", "points.csv", "-k", "2")
        variances = np.linalg.eigvalsh(np.cov(x.T, bias=True))[::-1]
        np.testing.assert_allclose(report["variances"], variances[:2], rtol=1e-10)
        np.testing.assert_allclose(report["explained_variance_ratio"], variances[:2] / variances.sum(), rtol=1e-10)
        for field in ("method", "trace", "gram_eigenvalues", "residuals", "missed_bound", "converged", "plan", "seconds"):
            self.assertIn(field, report)
        unbiased = self.report("pca", "points.csv", "-k", "2", "--unbiased")
        np.testing.assert_allclose(unbiased["variances"], variances[:2] * 50 / 49, rtol=1e-10)

    def test_a_share_of_variance_takes_as_many_components_as_needed(self):
        self.points(n=50, d=6)
        ratios = self.report("pca", "points.csv", "-k", "6")["explained_variance_ratio"]
        needed = int(np.searchsorted(np.cumsum(ratios), 0.8)) + 1
        self.assertEqual(needed, self.report("pca", "points.csv", "-k", "0.8")["components"])

    def test_more_components_than_there_are_are_reported_not_invented(self):
        self.points(n=50, d=3)
        done = self.mercer("kpca", "points.csv", "-k", "10", "--kernel", "linear", "--json", "--out", "scores.csv")
        report = json.loads(done.stdout)
        self.assertEqual(3, report["components"])
        self.assertEqual(["pc1", "pc2", "pc3"], self.table("scores.csv")[0])

    def test_explain_prints_the_plan_and_fits_nothing(self):
        self.points()
        text = self.ok("kpca", "points.csv", "--explain", "--out", "scores.csv", "--model", "m.mercer")
        self.assertRegex(text, "dense|stored|tiled")
        self.assertEqual(["points.csv"], [p.name for p in self.folder.iterdir()])
        plan = self.report("kpca", "points.csv", "--explain", "--route", "tiled")["plan"]
        self.assertEqual("tiled", plan["route"])
        self.assertGreater(plan["flops"], 0)

    def test_the_machine_is_measured_by_explain_and_never_by_a_fit(self):
        self.points()
        kept = self.cache / "mercer" / "calibration.json"
        self.assertEqual(0, self.report("kpca", "points.csv")["plan"]["seconds"])
        self.assertGreater(self.report("kpca", "points.csv", "--explain", env={"MERCER_CACHE": "off"})["plan"]["seconds"], 0)
        self.assertFalse(kept.exists())
        expected = self.report("kpca", "points.csv", "--explain")["plan"]["seconds"]
        before = kept.read_text()
        self.assertEqual(expected, self.report("kpca", "points.csv")["plan"]["seconds"])
        self.assertEqual(expected, self.report("kpca", "points.csv", "--explain")["plan"]["seconds"])
        self.assertEqual(before, kept.read_text())
        kept.write_text("{ damaged")
        self.assertGreater(self.report("kpca", "points.csv", "--explain")["plan"]["seconds"], 0)


class TheNumbers(CliTest):
    def test_scores_agree_with_numpy_on_every_route(self):
        x = self.points(n=60, d=3)
        _, expected = kernel_pca(rbf(x, 0.5), 3)
        for route in ("auto", "dense", "stored", "tiled"):
            with self.subTest(route):
                self.ok("kpca", "points.csv", "-k", "3", "--kernel", "rbf(gamma=0.5)", "--route", route, "--out", "s.csv")
                self.assertTrue(same_up_to_sign(expected, self.table("s.csv")[1], 1e-8))

    def test_linear_kernel_pca_is_pca(self):
        self.points(n=40, d=5)
        self.ok("pca", "points.csv", "-k", "3", "--out", "pca.csv")
        self.ok("kpca", "points.csv", "-k", "3", "--kernel", "linear", "--out", "kpca.csv")
        self.assertTrue(same_up_to_sign(self.table("pca.csv")[1], self.table("kpca.csv")[1], 1e-9))

    def test_uncentred_and_scaled_fits(self):
        x = self.points(n=40, d=3) + 0
        report = self.report("pca", "points.csv", "-k", "3", "--center", "no")
        np.testing.assert_allclose(report["gram_eigenvalues"], np.linalg.svd(x, compute_uv=False) ** 2, rtol=1e-10)
        scaled = self.report("pca", "points.csv", "-k", "3", "--scale", "standardize")
        np.testing.assert_allclose(sum(scaled["variances"]), 3, rtol=1e-10)

    def test_precomputed_expression_and_composed_kernels(self):
        x = self.points(n=25, d=2)
        np.savetxt(self.folder / "k.csv", rbf(x, 1.0), delimiter=",", fmt="%.17g")
        direct = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=1)")
        for data, kernel in (("k.csv", "precomputed"), ("points.csv", "expr('exp(-sqdist)')")):
            other = self.report("kpca", data, "--kernel", kernel)
            np.testing.assert_allclose(other["gram_eigenvalues"], direct["gram_eigenvalues"], rtol=1e-9)
        sum_report = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=1) + 0.1*linear()")
        values, _ = kernel_pca(rbf(x, 1.0) + 0.1 * x @ x.T, 2)
        np.testing.assert_allclose(sum_report["gram_eigenvalues"], values, rtol=1e-9)

    def test_float_is_close_to_double(self):
        self.points(n=60, d=3)
        double = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=0.5)")
        single = self.report("kpca", "points.csv", "--kernel", "rbf(gamma=0.5)", "--precision", "float")
        self.assertEqual("float", single["precision"])
        np.testing.assert_allclose(single["gram_eigenvalues"], double["gram_eigenvalues"], rtol=1e-4)

    def test_same_input_same_answer_on_any_number_of_threads(self):
        self.points(n=80, d=3)
        runs = [self.report("kpca", "points.csv", "--route", "stored", "--threads", t)["gram_eigenvalues"] for t in (1, 2, 4)]
        np.testing.assert_allclose(runs[1], runs[0], rtol=1e-12)
        np.testing.assert_allclose(runs[2], runs[0], rtol=1e-12)
        first = self.ok("kpca", "points.csv", "--seed", 7, "--out", "-")
        self.assertEqual(first, self.ok("kpca", "points.csv", "--seed", 7, "--out", "-"))


class Inputs(CliTest):
    def test_stdin_header_label_by_name_and_by_index(self):
        rows = "a,b,kind\n1,2,x\n3,5,y\n4,4,x\n0,1,y\n"
        self.write("t.csv", rows)
        by_name = self.ok("pca", "t.csv", "--label", "kind", "--out", "-")
        self.assertEqual(by_name, self.ok("pca", "t.csv", "--label", "2", "--out", "-"))
        self.assertEqual(by_name, self.ok("pca", "-", "--label", "kind", "--out", "-", stdin=rows))

    def test_keep_label_appends_the_column(self):
        self.write("t.csv", "a,b,kind\n1,2,x\n3,5,y\n4,4,x\n0,1,y\n")
        rows = self.ok("pca", "t.csv", "--label", "kind", "--keep-label", "--out", "-").splitlines()
        self.assertEqual("pc1,pc2,kind", rows[0])
        self.assertEqual(["x", "y", "x", "y"], [row.split(",")[2] for row in rows[1:]])

    def test_missing_values_are_dropped_or_filled_on_request(self):
        self.write("t.csv", "a,b\n1,2\n3,\n4,4\nNaN,1\n2,2\n")
        self.assertEqual(3, self.report("pca", "t.csv", "--missing", "drop")["n"])
        self.assertEqual(5, self.report("pca", "t.csv", "--missing", "mean")["n"])

    def test_transpose_takes_columns_as_samples(self):
        x = self.points(n=12, d=5)
        np.savetxt(self.folder / "t.csv", x.T, delimiter=",", fmt="%.17g")
        a = self.report("pca", "points.csv")
        b = self.report("pca", "t.csv", "--transpose")
        np.testing.assert_allclose(a["variances"], b["variances"], rtol=1e-12)

    def test_npy_npz_tsv_and_libsvm_hold_the_same_points(self):
        x = self.points(n=20, d=3)
        np.save(self.folder / "x.npy", x)
        np.savez(self.folder / "x.npz", x=x, other=x[:2])
        np.savetxt(self.folder / "x.tsv", x, delimiter="\t", fmt="%.17g")
        self.write("x.libsvm", "".join("0 " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(map(float, row))) + "\n" for row in x))
        expected = self.report("pca", "points.csv")["variances"]
        for name in ("x.npy", "x.npz:x", "x.tsv", "x.libsvm"):
            with self.subTest(name):
                np.testing.assert_allclose(self.report("pca", name)["variances"], expected, rtol=1e-10)


class Outputs(CliTest):
    def test_scores_in_every_format(self):
        self.points(n=20, d=3)
        expected = parse_csv(self.ok("kpca", "points.csv", "--out", "-", "--kernel", "rbf(gamma=1)"))[1]
        for name in ("s.csv", "s.tsv", "s.npy", "s.npz"):
            self.ok("kpca", "points.csv", "--kernel", "rbf(gamma=1)", "--out", name)
        np.testing.assert_allclose(self.table("s.csv")[1], expected, rtol=1e-15)
        np.testing.assert_allclose(parse_csv((self.folder / "s.tsv").read_text(), "\t")[1], expected, rtol=1e-15)
        np.testing.assert_allclose(np.load(self.folder / "s.npy"), expected, rtol=1e-15)
        archive = np.load(self.folder / "s.npz")
        np.testing.assert_allclose(archive[archive.files[0]], expected, rtol=1e-15)

    def test_data_alone_on_stdout_when_scores_go_there(self):
        self.points(n=20, d=3)
        done = self.mercer("kpca", "points.csv", "--out", "-")
        header, scores = parse_csv(done.stdout)
        self.assertEqual((["pc1", "pc2"], (20, 2)), (header, scores.shape))
        self.assertIn("kpca", done.stderr)

    def test_json_alone_on_stdout(self):
        self.points(n=20, d=3)
        done = self.mercer("kpca", "points.csv", "--json", "--out", "s.csv", "--model", "m.mercer")
        json.loads(done.stdout)
        self.assertEqual("", done.stderr)

    def test_quiet_says_nothing(self):
        self.points(n=20, d=3)
        done = self.mercer("kpca", "points.csv", "--quiet", "--out", "s.csv")
        self.assertEqual(("", ""), (done.stdout, done.stderr))


if __name__ == "__main__":
    unittest.main()
