"""What can be done with a fitted model and with tables: transform, inverse, info, plot, convert, generate, demo."""
import json
import unittest

import numpy as np
from support import CliTest, DIGITS, SLOW_BUILD, parse_csv


class Transform(CliTest):
    def test_training_points_give_their_fit_scores(self):
        self.points(n=40, d=3)
        for method, extra in (("kpca", ["--kernel", "rbf(gamma=0.5)"]), ("kpca", ["--kernel", "poly(degree=2)", "--center", "no"]),
                              ("kpca", ["--scale", "standardize"]), ("pca", []), ("pca", ["--scale", "standardize"])):
            with self.subTest([method, *extra]):
                self.ok(method, "points.csv", *extra, "-k", "3", "--out", "fit.csv", "--model", "m.mercer")
                self.ok("transform", "m.mercer", "points.csv", "--out", "again.csv")
                self.assertEqual(self.table("fit.csv")[0], self.table("again.csv")[0])
                np.testing.assert_allclose(self.table("fit.csv")[1], self.table("again.csv")[1], atol=1e-9)

    def test_float_models_transform_too(self):
        self.points(n=40, d=3)
        self.ok("kpca", "points.csv", "--precision", "float", "--out", "fit.csv", "--model", "m.mercer")
        self.ok("transform", "m.mercer", "points.csv", "--out", "again.npy")
        again = np.load(self.folder / "again.npy")
        self.assertEqual(np.float32, again.dtype)
        np.testing.assert_allclose(self.table("fit.csv")[1], again, atol=1e-4)

    @unittest.skipIf(SLOW_BUILD, "sanitizers keep their own books in the same memory")
    def test_memory_does_not_grow_with_the_new_points(self):
        self.ok("generate", "gaussians", "--n", 300, "--d", 8, "--out", "few.npy")
        self.ok("pca", "few.npy", "--label", "-1", "-k", 2, "--model", "m.mercer")
        lines = "".join(f"{i}.25,-2.5,3.125,4,5.0625,6,7,{i % 7}\n" for i in range(20000))
        (self.folder / "small.csv").write_text(lines)
        with open(self.folder / "large.csv", "w") as file:
            for _ in range(100):
                file.write(lines)
        np.lib.format.open_memmap(self.folder / "large.npy", "w+", np.float64, (3000000, 8)).flush()
        small = self.peak_megabytes("transform", "m.mercer", "small.csv", "--out", "s.npy")
        for large in ("large.csv", "large.npy"):
            with self.subTest(large):
                self.assertLess(self.peak_megabytes("transform", "m.mercer", large, "--out", "s.npy"), small + 40)
        np.save(self.folder / "third.npy", np.load(self.folder / "s.npy", mmap_mode="r")[:1000000])
        third, whole = (self.peak_megabytes("inverse", "m.mercer", scores, "--out", "x.npy")
                        for scores in ("third.npy", "s.npy"))
        self.assertLess(whole, third + 40)  # a million rows are 80 MB; what grows is the list of their errors

    def test_classes_in_words_are_left_out_of_a_long_table(self):
        x = self.points("x.csv", n=20000, d=3)
        with open(self.folder / "labelled.csv", "w") as file:
            file.write("a,kind,b,c\n")
            for i, row in enumerate(x):  # the words begin late
                file.write(f"{row[0]!r},{i if i < 15000 else 'word'},{row[1]!r},{row[2]!r}\n")
        self.ok("pca", "labelled.csv", "--label", "kind", "-k", 2, "--model", "m.mercer", "--out", "fit.npy")
        self.ok("transform", "m.mercer", "labelled.csv", "--out", "again.npy")
        np.testing.assert_allclose(np.load(self.folder / "again.npy"), np.load(self.folder / "fit.npy"), atol=1e-12)

    def test_an_error_late_in_the_table_leaves_nothing(self):
        self.points("x.csv", n=30, d=2)
        self.ok("pca", "x.csv", "-k", 1, "--model", "m.mercer")
        self.write("late.csv", "1,2\n" * 20000 + "3,x\n")
        self.assertIn("late.csv:20001:2: 'x' is not a number", self.fails(65, "transform", "m.mercer", "late.csv", "--out", "s.csv"))

    def test_many_points_are_transformed_in_chunks_as_if_at_once(self):
        self.points(n=20, d=2)
        x = self.points("new.csv", n=20000, d=2, seed=5)
        self.ok("kpca", "points.csv", "--model", "m.mercer", "--kernel", "rbf(gamma=1)")
        self.ok("transform", "m.mercer", "new.csv", "--out", "all.npy")
        np.savetxt(self.folder / "tail.csv", x[-100:], delimiter=",", fmt="%.17g")
        self.ok("transform", "m.mercer", "tail.csv", "--out", "tail.npy")
        scores = np.load(self.folder / "all.npy")
        self.assertEqual((20000, 2), scores.shape)
        np.testing.assert_allclose(scores[-100:], np.load(self.folder / "tail.npy"), atol=1e-12)

    def test_the_label_column_of_the_training_file_is_left_out(self):
        self.write("named.csv", "a,kind,b\n1,x,2\n3,y,5\n4,x,4\n0,y,1\n")
        self.ok("pca", "named.csv", "--label", "kind", "--out", "fit.csv", "--model", "m.mercer")
        expected = self.table("fit.csv")[1]
        for data, options in (("named.csv", []), ("named.csv", ["--label", "kind"]), ("named.csv", ["--label", "1"])):
            got = parse_csv(self.ok("transform", "m.mercer", data, *options))[1]
            np.testing.assert_allclose(got, expected, atol=1e-12)
        self.write("features.csv", "a,b\n1,2\n3,5\n4,4\n0,1\n")
        np.testing.assert_allclose(parse_csv(self.ok("transform", "m.mercer", "features.csv"))[1], expected, atol=1e-12)

    def test_a_label_known_by_its_number_is_left_out(self):
        self.write("plain.csv", "1,0,2\n3,1,5\n4,0,4\n0,1,1\n")
        self.ok("pca", "plain.csv", "--label", "1", "--out", "fit.csv", "--model", "m.mercer")
        got = parse_csv(self.ok("transform", "m.mercer", "plain.csv"))[1]
        np.testing.assert_allclose(got, self.table("fit.csv")[1], atol=1e-12)

    def test_columns_in_another_order_are_put_right(self):
        self.write("ab.csv", "a,b\n1,2\n3,5\n-1,0\n2,2\n")
        self.write("ba.csv", "b,a\n2,1\n5,3\n0,-1\n2,2\n")
        self.ok("pca", "ab.csv", "--model", "m.mercer", "--out", "fit.csv")
        self.ok("transform", "m.mercer", "ba.csv", "--out", "again.csv")
        np.testing.assert_allclose(self.table("fit.csv")[1], self.table("again.csv")[1], atol=1e-12)

    def test_points_from_stdin_to_stdout(self):
        self.points(n=20, d=2)
        self.ok("kpca", "points.csv", "--model", "m.mercer")
        text = self.ok("transform", "m.mercer", "-", stdin="0.5,0.5\n1,1\n")
        self.assertEqual((2, 2), parse_csv(text)[1].shape)


class Inverse(CliTest):
    def test_full_rank_pca_comes_back(self):
        x = self.points(n=30, d=3)
        for scale in ("none", "standardize"):
            self.ok("pca", "points.csv", "-k", "3", "--scale", scale, "--out", "s.csv", "--model", "m.mercer")
            self.ok("inverse", "m.mercer", "s.csv", "--out", "back.npy")
            np.testing.assert_allclose(np.load(self.folder / "back.npy"), x, atol=1e-10)

    def test_column_names_come_back_too(self):
        self.write("t.csv", "a,b\n1,2\n3,5\n4,4\n0,1\n")
        self.ok("pca", "t.csv", "--out", "s.csv", "--model", "m.mercer")
        self.assertEqual(["a", "b"], parse_csv(self.ok("inverse", "m.mercer", "s.csv"))[0])

    def test_random_features_have_no_inverse(self):
        self.points(n=20, d=3)
        self.ok("kpca", "points.csv", "--features", "64", "--out", "s.csv", "--model", "m.mercer")
        self.fails(2, "inverse", "m.mercer", "s.csv", "--out", "back.csv")
        self.assertFalse(json.loads(self.ok("info", "m.mercer", "--json"))["inverse"])


class Info(CliTest):
    def test_words_and_json(self):
        self.write("named.csv", "a,kind,b\n1,x,2\n3,y,5\n4,x,4\n0,y,1\n")
        self.ok("kpca", "named.csv", "--label", "kind", "--kernel", "rbf(gamma=0.5)", "--model", "m.mercer")
        words = self.ok("info", "m.mercer")
        for part in ("kpca", "rbf(gamma=0.5)", "kind", "a, b"):
            self.assertIn(part, words)
        info = json.loads(self.ok("info", "m.mercer", "--json"))
        self.assertEqual(("kpca", 4, 2), (info["method"], info["n"], info["d"]))
        self.assertEqual(["a", "b"], info["columns"])
        self.assertEqual({"column": "kind", "classes": ["x", "y"]}, info["label"])
        self.assertEqual("rbf(gamma=0.5)", info["kernel"])


class Plot(CliTest):
    def picture(self, *arguments, name="p.svg"):
        self.ok("plot", *arguments, "--out", name)
        content = (self.folder / name).read_bytes()
        self.assertGreater(len(content), 1000)
        return content

    def test_pictures_of_a_model(self):
        self.ok("generate", "circles", "--n", 60, "--out", "c.csv")
        self.ok("kpca", "c.csv", "--label", "2", "-k", "4", "--model", "m.mercer")
        scatter = self.picture("m.mercer", "--title", "Rings of points").decode()
        self.assertIn("<svg", scatter)
        for flag in ("--scree", "--contours", "--3d"):
            self.assertNotEqual(scatter, self.picture("m.mercer", flag).decode())
        self.assertNotEqual(scatter, self.picture("m.mercer", "--components", "2,3").decode())
        self.assertTrue(self.picture("m.mercer", name="p.png").startswith(b"\x89PNG"))
        self.assertTrue(self.picture("m.mercer", name="p.pdf").startswith(b"%PDF"))

    def test_contours_of_a_pca_model(self):
        self.points(n=20, d=2)
        self.ok("pca", "points.csv", "--model", "m.mercer")
        self.picture("m.mercer", "--contours")

    def test_pictures_of_a_table(self):
        self.ok("generate", "circles", "--n", 60, "--out", "c.csv")
        self.picture("c.csv", "--label", "class")
        self.points(n=20, d=2)
        self.picture("points.csv")
        self.points(n=10, d=1)
        self.picture("points.csv")

    def test_pictures_that_cannot_be_drawn(self):
        self.points(n=20, d=3)
        self.ok("kpca", "points.csv", "--model", "m.mercer")
        self.assertIn("2 features", self.fails(2, "plot", "m.mercer", "--contours", "--out", "p.svg"))
        self.assertIn("no component 3", self.fails(2, "plot", "m.mercer", "--components", "1,3", "--out", "p.svg"))
        self.fails(2, "plot", "m.mercer", "--3d", "--out", "p.svg")
        self.fails(2, "plot", "m.mercer", "--scree", "--contours", "--out", "p.svg")
        self.assertIn("model", self.fails(2, "plot", "points.csv", "--scree", "--out", "p.svg"))
        self.assertIn("svg", self.fails(2, "plot", "m.mercer", "--out", "p.bmp"))


class Convert(CliTest):
    def test_a_table_survives_the_round_trip(self):
        x = self.points(n=30, d=4)
        chain = ["points.csv", "a.npy", "b.npz", "c.tsv", "d.csv.gz", "e.txt", "f.npy"]
        for source, target in zip(chain, chain[1:]):
            self.ok("convert", source, target)
        np.testing.assert_array_equal(np.load(self.folder / "a.npy"), x)
        np.testing.assert_array_equal(np.load(self.folder / "f.npy"), x)

    def test_libsvm_rows_begin_with_a_label(self):
        x = self.points(n=30, d=4)
        self.ok("convert", "points.csv", "a.libsvm")
        self.ok("convert", "a.libsvm", "b.npy")
        np.testing.assert_array_equal(np.load(self.folder / "b.npy"), np.hstack([x, np.zeros((30, 1))]))

    def test_label_and_names_survive_in_text(self):
        self.write("t.csv", "a,kind,b\n1,x,2\n3,y,5\n")
        self.ok("convert", "t.csv", "u.tsv", "--label", "kind")
        self.assertEqual("a\tb\tkind\n1\t2\tx\n3\t5\ty\n", (self.folder / "u.tsv").read_text())

    def test_stdin_to_stdout(self):
        self.assertEqual("1,2\n3,4\n", self.ok("convert", "-", "-", stdin="1;2\n3;4\n"))


class Generate(CliTest):
    def test_the_list_can_all_be_made(self):
        names = [line.split()[0] for line in self.ok("generate", "--list").splitlines()]
        for wanted in ("circles", "moons", "swiss-roll", "three-modes", "two-classes", "gaussians"):
            self.assertIn(wanted, names)
        for name in names:
            with self.subTest(name):
                if name in ("fluorescence", "spots"):  # N-way arrays
                    self.ok("generate", name, "--n", 30, "--out", "x.npy")
                    self.assertEqual(30, np.load(self.folder / "x.npy").shape[0])
                    continue
                rows = self.ok("generate", name, "--n", 30).splitlines()
                self.assertEqual(31, len(rows))

    def test_gaussians_of_any_shape_and_scaled(self):
        self.ok("generate", "gaussians", "--n", 500, "--d", 7, "--clusters", 3, "--scale", "standardize", "--out", "g.npy")
        x = np.load(self.folder / "g.npy")
        self.assertEqual((500, 8), x.shape)
        self.assertEqual({0, 1, 2}, set(x[:, -1]))
        np.testing.assert_allclose(x[:, :-1].mean(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(x[:, :-1].std(axis=0), 1, atol=1e-12)
        self.assertEqual(self.ok("generate", "gaussians", "--n", 50), self.ok("generate", "gaussians", "--n", 50, "--d", 20, "--clusters", 15))
        self.assertIn("only gaussians", self.fails(2, "generate", "circles", "--d", 3))

    def test_same_seed_same_data(self):
        first = self.ok("generate", "moons", "--n", 50, "--seed", 3)
        self.assertEqual(first, self.ok("generate", "moons", "--n", 50, "--seed", 3))
        self.assertNotEqual(first, self.ok("generate", "moons", "--n", 50, "--seed", 4))


class Demo(CliTest):
    def test_the_demo_leaves_pictures_scores_and_models(self):
        text = self.ok("demo", "--out", "out")
        written = {p.name for p in (self.folder / "out").iterdir()}
        for name in ("circles.svg", "three-modes.svg", "directions.svg", "two-classes.svg", "circle-spectrum.svg",
                     "digits.svg", "digits-scree.svg", "denoised-digits.svg", "digits-components.svg", "swiss-roll.svg", "digits-kpca.mercer",
                     "digits-kpca-scores.csv"):
            self.assertIn(name, written)
            self.assertIn(name, text)
        self.assertFalse([name for name in written if ".part-" in name])
        self.assertIn("linear eigenvalues 0.333, 0.333, 0.333", text)
        self.assertIn("4 on the circle, 5 for points anywhere", text)
        self.assertRegex(text, r"recovers: PCA \d+ %, .* Isomap (99|100) %")
        self.assertRegex(text, r"kernel PCA, rbf\(gamma=.*\), 100 %")


if __name__ == "__main__":
    unittest.main()
