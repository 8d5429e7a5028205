"""mercer tune: its table, its picture and the command it recommends."""
import shlex
import unittest

import numpy as np
from support import CliTest


class Tune(CliTest):
    def rings(self):
        self.ok("generate", "circles", "--n", "150", "--out", "rings.csv")

    def test_the_chosen_command_runs(self):
        self.rings()
        report = self.report("tune", "rings.csv", "--label", "class", "--kernel", "rbf", "--kernel", "linear", "--permutations", "3")
        self.assertEqual("accuracy", report["by"])
        self.assertTrue(report["kernel"].startswith("rbf(gamma="))
        self.assertEqual(report["kernel"], report["trials"][0]["kernel"])
        self.assertGreater(report["trials"][0]["accuracy"], 0.9)
        fitted = self.report(*shlex.split(report["run"])[1:])
        self.assertEqual(report["kernel"], fitted["kernel"])
        self.assertEqual(report["components"], fitted["components_requested"] if "components_requested" in fitted else fitted["components"])

    def test_the_sweep_begins_from_the_median_and_leaves_numbers_alone(self):
        x = self.points(n=60, d=3)
        report = self.report("tune", "points.csv", "--kernel", "rbf", "--kernel", "laplacian(gamma=0.5)", "-k", "2", "--permutations", "2")
        self.assertEqual("error", report["by"])
        distances = ((x[:, None] - x[None]) ** 2).sum(axis=2)[np.tril_indices(60, -1)]
        gammas = {t["width"]: float(t["kernel"][10:-1]) for t in report["trials"] if t["kernel"].startswith("rbf")}
        self.assertAlmostEqual(gammas[1], 1 / (2 * np.sort(distances)[len(distances) // 2]), 6)
        self.assertAlmostEqual(gammas[4], 4 * gammas[1], 6)
        self.assertEqual(1, sum(t["kernel"] == "laplacian(gamma=0.5)" for t in report["trials"]))
        self.assertEqual(sorted(t["error"] for t in report["trials"]), [t["error"] for t in report["trials"]])

    def test_words_end_with_the_command_and_a_picture_is_drawn(self):
        self.rings()
        text = self.ok("tune", "rings.csv", "--label", "class", "--kernel", "rbf", "--permutations", "2", "--plot", "sweep.svg")
        self.assertIn("chosen     mercer kpca rings.csv --kernel 'rbf(gamma=", text)
        self.assertIn("parallel analysis", text)
        self.assertIn("<svg", (self.folder / "sweep.svg").read_text())

    def test_errors(self):
        self.points()
        self.assertIn("classes", self.fails(2, "tune", "points.csv", "--by", "accuracy"))
        self.assertIn("nothing to choose by", self.fails(2, "tune", "points.csv", "--by", "luck"))
        self.assertIn("did you mean rbf?", self.fails(2, "tune", "points.csv", "--kernel", "rfb"))
        self.assertIn("folds", self.fails(2, "tune", "points.csv", "--folds", "1"))
        self.points("few.csv", n=4)
        self.assertIn("too few", self.fails(65, "tune", "few.csv"))
        self.fails(73, "tune", "points.csv", "--plot", "no/such/folder/x.svg")
        self.assertIn("svg", self.fails(2, "tune", "points.csv", "--plot", "sweep.txt"))
        self.fails(66, "tune", "absent.csv")


if __name__ == "__main__":
    unittest.main()
