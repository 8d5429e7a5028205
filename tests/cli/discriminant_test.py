"""lda, klda and predict through the program, against numpy, and their errors."""
import json
import unittest

import numpy as np
from support import CliTest, rbf


def class_scatter(k, codes):
    """M_j as columns and N, as written in docs/mathematics.md."""
    means, within = [], np.zeros_like(k)
    for j in np.unique(codes):
        kj = k[:, codes == j]
        size = kj.shape[1]
        means.append(kj.mean(axis=1))
        within += kj @ (np.eye(size) - 1 / size) @ kj.T
    return np.array(means).T, within


class Discriminants(CliTest):
    def classes(self, name="points.csv", n=90, words=("red", "green", "blue"), seed=0, apart=2.0):
        """Gaussian classes with a label column of words called kind; the points and the classes."""
        random = np.random.default_rng(seed)
        codes = np.arange(n) % len(words)
        x = random.normal(size=(n, 3)) + apart * np.eye(3)[codes]
        with open(self.folder / name, "w") as out:
            out.write("a,b,kind,c\n")
            for row, code in zip(x, codes):
                out.write(f"{row[0]:.17g},{row[1]:.17g},{words[code]},{row[2]:.17g}\n")
        return x, np.array(words)[codes]

    def predicted(self, name):
        lines = (self.folder / name).read_text().splitlines()
        return lines[0], np.array(lines[1:])

    def test_a_ridge_of_zero_is_the_default_of_lda_and_none_of_klda(self):
        self.classes()
        plain = self.report("lda", "points.csv", "--label", "kind")
        self.assertEqual(plain["gram_eigenvalues"], self.report("lda", "points.csv", "--label", "kind", "--ridge", 0)["gram_eigenvalues"])
        self.assertIn("above 0", self.fails(2, "klda", "points.csv", "--label", "kind", "--ridge", 0))
        self.assertIn("0 or more", self.fails(2, "lda", "points.csv", "--label", "kind", "--ridge", -1))

    def test_klda_is_the_formula_and_predicts_words(self):
        x, kinds = self.classes()
        report = self.report("klda", "points.csv", "--label", "kind", "--ridge", 0.01, "--kernel", "rbf(gamma=0.2)", "--out", "z.csv",
                             "--model", "m.mercer")
        names, codes = np.unique(kinds, return_inverse=True)
        k = rbf(x, 0.2)
        means, within = class_scatter(k, codes)
        off = means - means.mean(axis=1, keepdims=True)  # classes of equal size
        values = np.linalg.eigvals(np.linalg.solve(within + 0.01 * np.eye(90), 30 * off @ off.T)).real
        np.testing.assert_allclose(report["gram_eigenvalues"], np.sort(values)[::-1][:2], rtol=1e-6)
        self.assertEqual(("klda", 90, 3, 2, "rbf(gamma=0.2)", 0.01),
                         tuple(report[key] for key in ("method", "n", "d", "components", "kernel", "ridge")))
        self.assertEqual((list(names), [30, 30, 30]), (report["classes"], report["class_sizes"]))
        self.assertEqual("dense", report["plan"]["route"])
        self.assertIsNone(report["threshold"])
        self.ok("transform", "m.mercer", "points.csv", "--out", "again.csv")
        self.assertEqual((self.folder / "z.csv").read_text(), (self.folder / "again.csv").read_text())

        self.ok("predict", "m.mercer", "points.csv", "--out", "found.csv")
        header, found = self.predicted("found.csv")
        self.assertEqual("kind", header)
        z = self.table("z.csv")[1]
        centroids = np.array([z[codes == j].mean(axis=0) for j in range(3)])
        nearest = names[np.argmin(((z[:, None] - centroids) ** 2).sum(axis=2), axis=1)]
        np.testing.assert_array_equal(nearest, found)
        wrong = int((found != kinds).sum())
        self.assertAlmostEqual(wrong / 90, report["training_error"])
        judged = json.loads(self.ok("predict", "m.mercer", "points.csv", "--json"))
        self.assertEqual((90, wrong), (judged["n"], judged["errors"]))
        self.assertEqual(90, sum(map(sum, judged["confusion"])))

    def test_points_without_a_label_are_predicted_too(self):
        x, kinds = self.classes(apart=6)
        for method in ("lda", "klda"):
            self.ok(method, "points.csv", "--label", "kind", "--model", "m.mercer")
            np.savetxt(self.folder / "new.csv", x, delimiter=",", header="a,b,c", comments="")
            text = self.ok("predict", "m.mercer", "new.csv")
            self.assertEqual(["kind", *kinds], text.split())
            np.save(self.folder / "new.npy", x)
            self.ok("predict", "m.mercer", "new.npy", "--out", "codes.npy")
            np.testing.assert_array_equal(np.unique(kinds, return_inverse=True)[1], np.load(self.folder / "codes.npy")[:, 0])

    def test_two_classes_have_a_threshold(self):
        self.classes(words=("no", "yes"), n=60)
        report = self.report("lda", "points.csv", "--label", "kind", "--model", "m.mercer", "--out", "z.csv")
        self.assertEqual(1, report["components"])
        z = self.table("z.csv")[1][:, 0]
        self.ok("predict", "m.mercer", "points.csv", "--out", "found.csv")
        found = self.predicted("found.csv")[1]
        above = set(found[z > report["threshold"]])
        self.assertEqual((1, 1), (len(above), len(set(found[z <= report["threshold"]]))))
        self.ok("predict", "m.mercer", "points.csv", "--decide", "centroid", "--out", "nearest.csv")

    def test_numbers_as_classes_come_back_as_numbers(self):
        random = np.random.default_rng(3)
        rows = np.column_stack([random.normal(size=(40, 2)) + 4 * (np.arange(40) % 2)[:, None], np.arange(40) % 2 * 2 - 1])
        np.save(self.folder / "x.npy", rows)
        self.ok("klda", "x.npy", "--label", 2, "--model", "m.mercer")
        self.ok("predict", "m.mercer", "x.npy", "--out", "y.npy")
        np.testing.assert_array_equal(rows[:, 2], np.load(self.folder / "y.npy")[:, 0])
        self.assertEqual("class", self.ok("predict", "m.mercer", "x.npy").splitlines()[0])

    def test_cross_validation_chooses_and_shows_its_table(self):
        self.ok("generate", "two-classes", "--n", 120, "--out", "rings.csv")
        done = self.mercer("klda", "rings.csv", "--label", "class", "--cv", 5, "--json", "--model", "m.mercer")
        report = json.loads(done.stdout)
        chosen, trials = report["cross_validation"]["chosen"], report["cross_validation"]["trials"]
        self.assertEqual(80, len(trials))
        self.assertEqual(min(t["error"] for t in trials), chosen["error"])
        self.assertEqual((report["kernel"], report["ridge"]), (chosen["kernel"], chosen["ridge"]))
        self.assertLess(chosen["error"], 0.05)
        self.assertIn("<- chosen", done.stderr)
        self.assertEqual(1 + len(trials), len(done.stderr.splitlines()))
        self.assertEqual(report["cross_validation"], json.loads(self.ok("info", "m.mercer", "--json"))["cross_validation"])
        fixed = self.report("klda", "rings.csv", "--label", "class", "--cv", 3, "--ridge", 0.5, "--kernel", "rbf(gamma=1)", "--quiet")
        self.assertEqual([("rbf(gamma=1)", 0.5)], [(t["kernel"], t["ridge"]) for t in fixed["cross_validation"]["trials"]])
        again = self.report("klda", "rings.csv", "--label", "class", "--kernel", chosen["kernel"], "--ridge", chosen["ridge"])
        self.assertEqual(report["training_error"], again["training_error"])

    def test_low_rank(self):
        self.ok("generate", "two-classes", "--n", 1000, "--out", "rings.csv")
        report = self.report("klda", "rings.csv", "--label", "class", "--kernel", "rbf(gamma=1)", "--rank", 40, "--model", "m.mercer")
        self.assertEqual("lowrank", report["plan"]["route"])
        self.assertLess(report["training_error"], 0.02)
        self.ok("generate", "two-classes", "--n", 500, "--seed", 5, "--out", "new.csv")
        self.assertLess(json.loads(self.ok("predict", "m.mercer", "new.csv", "--json"))["error"], 0.03)
        self.assertIn("lowrank", self.ok("klda", "rings.csv", "--label", "class", "--rank", 40, "--explain"))

    def test_models_tell_what_they_are_and_are_drawn(self):
        self.classes()
        for method in ("lda", "klda"):
            self.ok(method, "points.csv", "--label", "kind", "--model", "m.mercer", "--out", "z.csv")
            self.assertIn("3 classes: blue (30), green (30), red (30)", self.ok("info", "m.mercer"))
            self.ok("plot", "m.mercer", "--out", "m.svg")
            self.assertIn("route    dense", self.ok(method, "points.csv", "--label", "kind", "--explain"))
            self.assertIn("no inverse", self.fails(2, "inverse", "m.mercer", "z.csv", "--out", "x.csv"))

    def test_labels_that_do_not_do(self):
        self.classes()
        for method in ("lda", "klda"):
            self.assertIn("--label", self.fails(2, method, "points.csv"))
            self.assertIn("columns: a, b, kind, c", self.fails(2, method, "points.csv", "--label", "sort"))
            self.write("one.csv", "x,y,c\n1,2,a\n2,3,a\n3,5,a\n")
            self.assertIn("single class, 'a'", self.fails(65, method, "one.csv", "--label", "c"))
            self.write("lonely.csv", "x,y,c\n1,2,a\n2,3,a\n3,5,a\n2,2,b\n4,4,a\n")
            self.assertIn("class 'b' of label 'c' has one sample", self.fails(65, method, "lonely.csv", "--label", "c"))
            self.write("numbers.csv", "x,y\n1,2\n2,3\n3,5\n")
            self.assertIn("is it a class?", self.fails(65, method, "numbers.csv", "--label", "x"))
        self.ok("lda", "points.csv", "--label", "kind", "--model", "m.mercer")
        text = (self.folder / "points.csv").read_text().replace("red", "violet", 1)
        self.write("unseen.csv", text)
        message = self.fails(65, "predict", "m.mercer", "unseen.csv", "--out", "found.csv")
        self.assertIn("class 'violet' of column 'kind' is not one the model was fitted on (blue, green, red)", message)

    def test_predict_notes_other_names_and_rows_left_out(self):
        self.classes()
        self.ok("lda", "points.csv", "--label", "kind", "--model", "m.mercer")
        self.write("new.csv", "a,b,d\n1,2,3\n4,,6\n7,8,9\n")
        done = self.mercer("predict", "m.mercer", "new.csv", "--missing", "drop")
        self.assertEqual(3, len(done.stdout.split()))
        self.assertIn("columns of new.csv are not named like", done.stderr)
        self.assertIn("1 row of new.csv with missing values left out", done.stderr)
        self.assertIn("1 row of new.csv", self.mercer("transform", "m.mercer", "new.csv", "--missing", "drop").stderr)
        self.assertEqual("", self.mercer("predict", "m.mercer", "new.csv", "--missing", "drop", "--quiet").stderr)
        self.assertEqual(1, self.report("predict", "m.mercer", "new.csv", "--missing", "drop")["left_out"])
        self.assertIn("not of the training data", self.fails(2, "predict", "m.mercer", "new.csv", "--missing", "mean"))

    def test_what_does_not_go_together_is_a_usage_error(self):
        x, _ = self.classes()
        for wrong in (["--ridge", 0], ["--ridge", -1], ["--route", "tiled"], ["--cv", 1], ["--cv", 3, "--rank", 5], ["--decide", "centroid"],
                      ["--kernel", "frobnicate"], ["-k", 0]):
            self.fails(2, "klda", "points.csv", "--label", "kind", *wrong)
        self.assertIn("--rank R", self.fails(4, "klda", "points.csv", "--label", "kind", "--memory", "100000"))
        self.fails(5, "klda", "points.csv", "--label", "kind", "--kernel", "sigmoid(gamma=1)", "--rank", 5)
        np.save(self.folder / "x.npy", x)
        self.ok("pca", "x.npy", "--model", "pca.mercer")
        self.assertIn("lda or klda", self.fails(2, "predict", "pca.mercer", "x.npy"))
        self.ok("lda", "points.csv", "--label", "kind", "--model", "m.mercer")
        self.assertIn("two classes", self.fails(2, "predict", "m.mercer", "points.csv", "--decide", "threshold"))
        self.fails(2, "predict", "m.mercer", "points.csv", "--json", "--out", "-")
        self.fails(65, "predict", "m.mercer", "x.npy", "--label", 0)


if __name__ == "__main__":
    unittest.main()
