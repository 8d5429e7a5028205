"""Every exit code of the contract, with a message that names the place and the cure."""
import os
import stat
import unittest

import numpy as np
from support import CliTest


class Usage(CliTest):  # exit 2
    def setUp(self):
        super().setUp()
        self.points(n=20, d=3)

    def test_impossible_numbers_of_components(self):
        for k in ("0", "-3", "abc", "1.5", "nan", ""):
            with self.subTest(k):
                self.fails(2, "kpca", "points.csv", f"--components={k}")

    def test_kernels_that_cannot_be_parsed(self):
        for spec in ("rbff", "rbf(gama=1)", "rbf(gamma=", "poly(degree=x)", "rbf(gamma=-1)", "1 +", "expr('exp(')"):
            with self.subTest(spec):
                self.fails(2, "kpca", "points.csv", "--kernel", spec)

    def test_an_unknown_kernel_is_named_and_the_known_ones_listed(self):
        message = self.fails(2, "kpca", "points.csv", "--kernel", "rbff(gamma=1)")
        self.assertIn("rbff", message)
        self.assertIn("rbf", message.replace("rbff", ""))

    def test_routes_that_are_not_there_are_answered_with_those_that_are(self):
        message = self.fails(2, "kpca", "points.csv", "--route", "fastest")
        for route in ("auto", "dense", "stored", "tiled", "lowrank"):
            self.assertIn(route, message)

    def test_outputs_that_would_overwrite_each_other_or_the_data(self):
        self.fails(2, "pca", "points.csv", "--out", "x.csv", "--model", "x.csv")
        self.fails(2, "pca", "points.csv", "--out", "points.csv")
        self.fails(2, "pca", "points.csv", "--model", "./points.csv")

    def test_gaps_in_new_points_are_not_filled_from_themselves(self):
        self.ok("pca", "points.csv", "--model", "m.mercer")
        self.assertIn("--missing drop", self.fails(2, "transform", "m.mercer", "points.csv", "--missing", "mean"))

    def test_numbers_that_must_be_positive_say_so(self):
        self.assertIn("'0' is not a number above 0", self.fails(2, "pca", "points.csv", "--residual", "0"))
        self.assertIn("'0' is not a number above 0", self.fails(2, "generate", "circles", "--n", "0"))

    def test_values_that_an_option_does_not_take(self):
        for option, value in (("--center", "maybe"), ("--precision", "half"), ("--scale", "big"), ("--missing", "fit"),
                              ("--indefinite", "ignore"), ("--memory", "lots"), ("--memory", "-4G"), ("--threads", "0"),
                              ("--seed", "x"), ("--residual", "0"), ("--residual", "-1")):
            with self.subTest(f"{option} {value}"):
                self.fails(2, "kpca", "points.csv", f"{option}={value}")

    def test_json_and_scores_cannot_share_stdout(self):
        self.assertIn("--json", self.fails(2, "kpca", "points.csv", "--json", "--out", "-"))

    def test_an_output_whose_ending_names_no_format(self):
        for command in (("kpca", "not-even-read.csv"), ("convert", "points.csv"), ("generate", "circles")):
            output = ["s.xyz"] if command[0] == "convert" else ["--out", "s.xyz"]
            self.assertIn(".csv", self.fails(2, *command, *output))

    def test_keep_label_needs_a_label(self):
        self.assertIn("--label", self.fails(2, "kpca", "points.csv", "--keep-label", "--out", "s.csv"))

    def test_a_label_column_that_is_not_there(self):
        self.write("t.csv", "a,b,c\n1,2,3\n4,5,7\n")
        message = self.fails(2, "pca", "t.csv", "--label", "colour")
        self.assertIn("colour", message)

    def test_a_seed_is_a_whole_number(self):
        for seed in ("-1", "1.5", "99999999999999999999"):
            with self.subTest(seed):
                self.assertIn("no whole number", self.fails(2, "generate", "circles", "--seed", seed))

    def test_an_unknown_generator_is_answered_with_the_list(self):
        message = self.fails(2, "generate", "spirals-of-doom")
        self.assertIn("circles", message)
        self.assertIn("fluorescence", message)
        self.assertIn("--list", self.fails(2, "generate"))


class Numerics(CliTest):
    def test_3_when_the_solver_cannot_reach_the_residual(self):
        self.points(n=600, d=3)
        message = self.fails(3, "kpca", "points.csv", "-k", "1", "--route", "stored", "--residual", "1e-30",
                             "--threads", "1", "--out", "s.csv")
        self.assertIn("converge", message)

    def test_4_when_no_route_fits_and_says_what_would(self):
        self.points(n=300, d=3)
        message = self.fails(4, "kpca", "points.csv", "--memory", "10K", "--out", "s.csv")
        self.assertRegex(message, r"\d ?[kMG]B?")
        self.assertIn("--memory", message)

    def test_5_when_the_kernel_matrix_is_not_psd(self):
        self.points(n=40, d=3)
        message = self.fails(5, "kpca", "points.csv", "--kernel", "sigmoid(gamma=2, coef0=-1)", "--out", "s.csv")
        self.assertIn("--indefinite clip", message)
        self.ok("kpca", "points.csv", "--kernel", "sigmoid(gamma=2, coef0=-1)", "--indefinite", "clip")


class BadData(CliTest):  # exit 65
    def test_a_cell_that_is_not_a_number_is_named_by_line_and_column(self):
        rows = ["name,age,size"] + [f"{i},{i},{i * i}" for i in range(10)]
        rows[8] = "7,N/A,49"
        self.write("points.csv", "\n".join(rows) + "\n")
        message = self.fails(65, "pca", "points.csv")
        self.assertIn("points.csv:9:", message)
        self.assertIn("'N/A' is not a number", message)
        self.assertIn('"age"', message)
        self.assertIn("--missing drop", message)

    def test_tables_that_are_not_tables(self):
        for name, text in (("ragged.csv", "1,2\n3,4,5\n6,7\n"), ("empty.csv", ""), ("words.csv", "a,b\nc,d\ne,f\n"),
                           ("header.csv", "a,b\n"), ("bad.npy", "\x93NUMPY nonsense"), ("bad.npz", "PK nonsense")):
            with self.subTest(name):
                self.write(name, text)
                self.assertIn(name, self.fails(65, "pca", name))

    def test_values_that_are_not_finite(self):
        self.write("inf.csv", "1,2\n3,inf\n5,6\n")
        self.fails(65, "pca", "inf.csv")
        x = np.ones((4, 3))
        x[2, 1] = np.nan
        np.save(self.folder / "nan.npy", x)
        self.assertIn("2", self.fails(65, "kpca", "nan.npy"))

    def test_data_on_which_the_kernel_is_not_defined(self):
        self.points(n=10, d=3)
        self.assertIn("chi2", self.fails(65, "kpca", "points.csv", "--kernel", "chi2"))
        self.fails(65, "kpca", "points.csv", "--kernel", "precomputed")

    def test_files_that_are_not_models(self):
        self.write("m.mercer", "this is not a model")
        self.write("x.csv", "1,2\n3,4\n")
        self.assertIn("m.mercer", self.fails(65, "info", "m.mercer"))
        self.assertIn("m.mercer", self.fails(65, "transform", "m.mercer", "x.csv"))

    def test_a_model_with_one_flipped_byte(self):
        self.points(n=20, d=3)
        self.ok("kpca", "points.csv", "--model", "m.mercer")
        content = bytearray((self.folder / "m.mercer").read_bytes())
        for position in (3, len(content) // 2, len(content) - 5):
            broken = bytearray(content)
            broken[position] ^= 0x40
            (self.folder / "broken.mercer").write_bytes(broken)
            with self.subTest(position):
                self.fails(65, "info", "broken.mercer")
        (self.folder / "broken.mercer").write_bytes(content[:-100])
        self.fails(65, "info", "broken.mercer")

    def test_new_points_of_another_width(self):
        self.points(n=20, d=3)
        self.ok("kpca", "points.csv", "--model", "m.mercer")
        self.write("wide.csv", "1,2,3,4,5\n6,7,8,9,0\n")
        message = self.fails(65, "transform", "m.mercer", "wide.csv")
        self.assertIn("expected 3", message)
        self.assertIn("found 5", message)
        self.assertIn("expected 2", self.fails(65, "inverse", "m.mercer", "wide.csv"))


class Files(CliTest):
    def test_a_folder_is_no_input_file(self):
        (self.folder / "d").mkdir()
        for command in (("kpca", "d"), ("pca", "d"), ("info", "d"), ("transform", "d", "x.csv"), ("hlle", "x.csv", "--graph", "d")):
            self.points("x.csv")
            with self.subTest(command):
                self.assertIn("d: is a folder", self.fails(66, *command))

    def test_66_when_there_is_no_such_input(self):
        for arguments in (("pca", "nowhere.csv"), ("kpca", "nowhere.npy"), ("info", "nowhere.mercer"),
                          ("transform", "nowhere.mercer", "x.csv"), ("convert", "nowhere.csv", "x.npy"),
                          ("plot", "nowhere.csv", "--out", "x.svg")):
            with self.subTest(arguments):
                self.assertIn(arguments[1], self.fails(66, *arguments))

    def test_73_when_an_output_cannot_be_created_before_anything_is_read(self):
        for option in ("--out", "--model"):
            message = self.fails(73, "kpca", "not-even-read.csv", option, "no/such/folder/x.csv")
            self.assertIn("no/such/folder/x.csv", message)
        (self.folder / "folder").mkdir()
        self.assertIn("folder", self.fails(73, "kpca", "not-even-read.csv", "--out", "folder"))
        self.points()
        self.fails(73, "convert", "points.csv", "no/such/folder/x.npy")
        self.fails(73, "plot", "points.csv", "--out", "no/such/folder/x.svg")
        self.fails(73, "generate", "circles", "--out", "no/such/folder/x.csv")
        self.write("file", "")
        self.fails(73, "demo", "--out", "file")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_73_when_the_folder_is_not_ours(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.points()
        self.fails(73, "pca", "points.csv", "--out", "locked/x.csv")

    def test_a_device_is_written_into_never_replaced(self):
        self.points()
        self.ok("pca", "points.csv", "--model", "/dev/null", "--out", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.fails(74, "pca", "points.csv", "--out", "/dev/full")

    def test_65_when_there_is_nothing_to_write(self):
        self.write("same.csv", "a,b\n" + "1,2\n" * 5)
        self.fails(65, "kpca", "same.csv", "--kernel", "rbf(gamma=1)", "--out", "scores.csv", "--model", "m.mercer")

    def test_74_when_the_disk_is_full(self):
        self.points(n=200)
        for arguments in (("pca", "points.csv"), ("pca", "points.csv", "--out", "-"), ("pca", "points.csv", "--json"),
                          ("generate", "circles"), ("--help",)):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = self.mercer(*arguments, stdout=full)
                self.assertEqual(74, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
