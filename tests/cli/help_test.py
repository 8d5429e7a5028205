"""What the program says about itself."""
import unittest

import numpy as np
from support import CliTest

COMMANDS = ["pca", "kpca", "basis-pca", "lda", "klda", "isomap", "lle", "hlle", "laplacian", "mvu", "tsne", "tucker", "cp", "svd2d",
            "transform", "predict", "update", "merge", "inverse", "denoise", "tune", "compare", "info", "plot", "check-kernel", "kernels",
            "convert", "generate", "demo"]


class Help(CliTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.ok("--version"), r"^mercer \d+\.\d+\.\d+\n$")

    def test_main_help_lists_the_commands_that_work_and_no_others(self):
        text = self.ok("--help")
        listed = [line.split()[0] for line in text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
                  if line.startswith("  ")]
        listed = [word for word in listed if not word.startswith("-")]
        self.assertEqual(COMMANDS, listed)

    def test_every_help_fits_a_screen_and_ends_with_an_example(self):
        for command in COMMANDS:
            with self.subTest(command):
                lines = self.ok(command, "--help").splitlines()
                self.assertLessEqual(len(lines), 40)
                self.assertLessEqual(max(map(len, lines)), 100)
                self.assertTrue(lines[0].startswith(f"usage: mercer {command}"), lines[0])
                self.assertTrue(lines[-1].startswith(f"Example: mercer {command}"), lines[-1])
        self.assertLessEqual(len(self.ok("--help").splitlines()), 40)

    def test_options_that_do_not_work_yet_are_not_offered(self):
        text = self.ok("kpca", "--help")
        for absent in ("--basis", "--ridge"):
            self.assertNotIn(absent, text)
        self.assertIn("--kernel", text)

    def test_pca_has_no_kernel(self):
        self.assertNotIn("--kernel", self.ok("pca", "--help"))
        self.fails(2, "pca", "x.csv", "--kernel", "linear")

    def test_no_command_and_unknown_commands_are_usage_errors(self):
        self.assertIn("--help", self.fails(2))
        self.assertIn("no command 'frobnicate'", self.fails(2, "frobnicate", "x.csv"))
        self.assertIn("no command 'umap'", self.fails(2, "umap", "x.csv"))

    def test_a_wrong_option_names_itself_and_the_help(self):
        message = self.fails(2, "kpca", "x.csv", "--frobnicate")
        self.assertIn("--frobnicate", message)
        self.assertIn("mercer kpca --help", message)

    def test_what_was_mistyped_is_answered_with_what_was_meant(self):
        for typed, meant in (("kpac", "kpca"), ("PCA", "pca"), ("tranform", "transform"), ("gen", "generate"), ("kernel", "kernels")):
            self.assertIn(f"did you mean {meant}?", self.fails(2, typed))
        for typed, meant in (("--kernal=rbf", "--kernel"), ("--componets", "--components"), ("--lable", "--label")):
            self.assertIn(f"did you mean {meant}?", self.fails(2, "kpca", "x.csv", typed, "3"))
        self.assertNotIn("did you mean", self.fails(2, "kpca", "x.csv", "--frobnicate"))
        self.assertNotIn("did you mean", self.fails(2, "frobnicate", "x.csv"))

    def test_so_are_kernels(self):
        self.points()
        for typed, hint in (("rfb(gamma=1)", "did you mean rbf?"), ("linear + laplacain(gamma=1)", "did you mean laplacian?"),
                            ("RBF", "did you mean rbf?"), ("matern", "did you mean matern32?"), ("polinomial(degree=2)", "did you mean polynomial?"),
                            ("rbf:gamma=0.01", "write it rbf(gamma=0.01)"), ("poly:degree=2,coef0=1", "write it poly(degree=2,coef0=1)"),
                            ("rbf gamma=0.01", "write it rbf(gamma=0.01)"), (" rbff", "did you mean rbf?")):
            with self.subTest(typed):
                self.assertIn(hint, self.fails(2, "kpca", "points.csv", "--kernel", typed))
        self.assertIn("rbf takes gamma or sigma", self.fails(2, "kpca", "points.csv", "--kernel", "rbf(gama=1)"))
        self.assertIn("kernels: linear", self.fails(2, "kpca", "points.csv", "--kernel", "frobnicate"))

    def test_the_list_of_kernels_is_what_is_there(self):
        x = np.abs(self.points())
        np.savetxt(self.folder / "points.csv", x, delimiter=",")
        text = self.ok("kernels")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        listed = [line[:33].strip() for line in text.split("\n\n")[0].splitlines()]
        known = self.fails(2, "kpca", "points.csv", "--kernel", "frobnicate").split("kernels: ")[1].rstrip(")\n").split(", ")
        self.assertEqual([name.split("(")[0] for name in known], [s.split("(")[0] for s in sorted(listed, key=lambda s: "expr" in s)])
        for spec in listed:
            if spec != "precomputed":
                fitted = self.report("kpca", "points.csv", "--indefinite", "clip", "--kernel", spec)["kernel"]
                bare = self.report("kpca", "points.csv", "--indefinite", "clip", "--kernel", spec if "expr" in spec else spec.split("(")[0])["kernel"]
                self.assertEqual(bare, fitted, "the parameters shown are the defaults")

    def test_a_missing_argument_is_a_usage_error(self):
        self.assertIn("DATA", self.fails(2, "kpca"))
        self.assertIn("--out", self.fails(2, "plot", "model.mercer"))


if __name__ == "__main__":
    unittest.main()
