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

    def test_the_command_is_quoted_for_a_shell(self):
        text = "\n".join(["a b,it's"] + [f"{i % 7},{'xy'[i % 2]}" for i in range(40)])
        self.write("o'clock 1.csv", text)
        report = self.report("tune", "o'clock 1.csv", "--label", "it's", "--kernel", "expr('exp(-sqdist/30)')", "-k", 2, "--permutations", 1)
        words = shlex.split(report["run"])
        self.assertEqual(["mercer", "kpca", "o'clock 1.csv", "--kernel", report["kernel"]], words[:5])
        self.assertEqual("it's", words[words.index("--label") + 1])
        self.assertEqual(report["kernel"], self.report(*words[1:])["kernel"])

    def test_it_advises_what_can_be_had(self):
        self.points(n=60)
        report = self.report("tune", "points.csv", "--kernel", "rbf(gamma=1)", "-k", 500, "--permutations", 1)
        self.assertEqual(59, report["components"])
        self.assertIn(" -k 59", report["run"])
        self.assertIn("500 components were asked for, and there are 59", report["notes"])

    def test_a_share_that_was_not_reached_is_not_reported(self):
        self.points(n=150, d=40)
        options = ("tune", "points.csv", "--kernel", "rbf(gamma=10)", "-k", 2, "--permutations", 1)
        self.assertIsNone(self.report(*options)["component_rules"]["share"])
        self.assertIn("components more than 100 by a share of 90 %", self.ok(*options))

    def test_memory_is_kept_to(self):
        self.points(n=400)
        message = self.fails(4, "tune", "points.csv", "--memory", "2M")
        self.assertIn("400 rows", message)
        self.assertIn("--rows", message)
        self.ok("tune", "points.csv", "--memory", "2M", "--threads", 1, "--rows", 100, "--kernel", "rbf", "-k", 2, "--permutations", 1)

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
