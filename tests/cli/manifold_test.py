"""Maps on the command line: isomap, lle, hlle, laplacian, mvu, tsne, compare; their reports, files and errors."""
import json
import unittest

import numpy as np

from support import DIGITS, CliTest, parse_csv

# name -> (command, options that keep it quick)
MAPS = {
    "isomap": ("isomap", []),
    "isomap, landmarks": ("isomap", ["--landmarks", 30]),
    "lle": ("lle", []),
    "modified lle": ("lle", ["--variant", "modified"]),
    "hlle": ("hlle", []),
    "hlle, derivatives only": ("hlle", ["--derivatives-only"]),
    "laplacian": ("laplacian", []),
    "laplacian, heat": ("laplacian", ["--laplacian", "unnormalized", "--weights", "heat", "--heat", 4]),
    "diffusion": ("laplacian", ["--diffusion", 2, "--alpha", 0.5]),
    "mvu": ("mvu", []),
    "tsne": ("tsne", ["--perplexity", 10, "--iterations", 300]),
}
GRAPH_COMMANDS = ("isomap", "lle", "hlle", "laplacian", "mvu")


class MapTest(CliTest):
    N = 90

    def roll(self, n=N, name="roll.csv"):
        self.ok("generate", "swiss-roll", "--n", n, "--seed", 1, "--out", name)
        return name

    def islands(self, name="islands.csv", n=60):
        """Two clouds far apart, 40 rows and 20."""
        x = np.random.default_rng(1).normal(size=(n, 3))
        x[2 * n // 3:] += 1000
        rows = "\n".join(",".join(f"{v:.17g}" for v in [*row, i]) for i, row in enumerate(x))
        return self.write(name, "a,b,c,row\n" + rows + "\n")

    def neighbors(self, command):
        return [] if command == "tsne" else ["--neighbors", 10]


class EveryMap(MapTest):
    def test_reports_scores_and_transforms(self):
        self.roll()
        for name, (command, options) in MAPS.items():
            with self.subTest(name):
                report = self.report(command, "roll.csv", "--label", "t", *self.neighbors(command), *options,
                                     "--out", "map.csv", "--model", "map.mercer")
                self.assertEqual((command, self.N, 3, 2), (report["method"], report["n"], report["d"], report["components"]))
                for field in ("trustworthiness", "continuity", "neighborhood_preservation", "stress"):
                    self.assertIsInstance(report[field], float, field)
                    self.assertTrue(0 <= report[field] <= 1.0000001, f"{field} {report[field]}")
                self.assertIn("total", report["seconds"])
                self.assertIn("route", report["plan"])
                self.assertTrue(report["converged"])
                if command == "tsne":
                    self.assertGreater(report["kl_divergence"], 0)
                    self.assertGreater(len(report["kl_history"]), 2)
                    self.assertNotIn("gram_eigenvalues", report)
                else:
                    self.assertEqual(1, report["graph"]["components"])
                    self.assertEqual(2, len(report["gram_eigenvalues"]))
                names, scores = self.table("map.csv")
                self.assertEqual(["pc1", "pc2"], names)
                self.assertEqual((self.N, 2), scores.shape)
                self.ok("transform", "map.mercer", "roll.csv", "--out", "again.csv")
                self.assertSameMap(command, scores, self.table("again.csv")[1])
                self.assertEqual(report["trustworthiness"], json.loads(self.ok("info", "map.mercer", "--json"))["trustworthiness"])
                self.assertIn("label      t (numbers from", self.ok("info", "map.mercer"))
                self.ok("plot", "map.mercer", "--out", "map.svg")
                self.assertIn("<svg", (self.folder / "map.svg").read_text())

    def assertSameMap(self, command, scores, again):
        """The spectral methods give training rows their own scores; t-SNE places them near."""
        spread = np.sqrt(((scores - scores.mean(axis=0)) ** 2).sum(axis=1).mean())
        distance = np.sqrt(((scores - again) ** 2).sum(axis=1))
        if command == "tsne":
            self.assertLess(np.median(distance), 0.15 * spread)
        else:
            self.assertLess(distance.max(), 1e-6 * spread)

    def test_summary_explains_itself(self):
        self.roll()
        for name, (command, options) in MAPS.items():
            with self.subTest(name):
                text = self.ok(command, "roll.csv", "--label", "t", *self.neighbors(command), *options)
                self.assertIn(f"{command} of {self.N} x 3", text)
                self.assertIn("trustworthiness 0.", text)
                self.assertEqual("", self.ok(command, "roll.csv", "--label", "t", *self.neighbors(command), *options, "--quiet"))

    def test_no_fit_measures_the_machine(self):
        self.roll()
        for name, (command, options) in MAPS.items():
            with self.subTest(name):
                self.ok(command, "roll.csv", *options)
                self.assertEqual([], list(self.cache.rglob("*.json")))

    def test_explain_plans_without_fitting(self):
        self.roll()
        for command in ("isomap", "lle", "hlle", "laplacian", "mvu", "tsne"):
            with self.subTest(command):
                more = ["--perplexity", 10] if command == "tsne" else []
                plan = self.report(command, "roll.csv", "--label", "t", "--explain", *more)["plan"]
                self.assertGreater(plan["bytes"], 0)

    def test_float_and_threads(self):
        self.roll()
        for name, (command, options) in MAPS.items():
            with self.subTest(name):
                def fit(*more):
                    self.ok(command, "roll.csv", "--label", "t", *self.neighbors(command), *options, "--quiet", "--out", "m.npy", *more)
                    return np.load(self.folder / "m.npy")
                one, two = fit("--threads", 1), fit("--threads", 2)
                np.testing.assert_array_equal(one, two)
                single = fit("--precision", "float")
                self.assertEqual(np.float32, single.dtype)
                if command != "tsne":  # a descent follows its rounding
                    self.assertLess(np.abs(np.abs(one) - np.abs(single)).max(), 5e-3 * np.abs(one).max())

    def test_three_coordinates_and_scaling(self):
        self.roll(140)
        for command in ("isomap", "lle", "hlle", "laplacian", "tsne"):
            with self.subTest(command):
                more = [] if command == "tsne" else ["--neighbors", 14]
                self.ok(command, "roll.csv", "--label", "t", "-k", 3, "--scale", "standardize", *more, "--out", "m.csv", "--model",
                        "m.mercer", "--keep-label", "--quiet")
                names, values = self.table("m.csv")
                self.assertEqual(["pc1", "pc2", "pc3", "t"], names)
                self.ok("plot", "m.mercer", "--3d", "--out", "m.png")


class Graphs(MapTest):
    def test_a_saved_graph_gives_the_same_map(self):
        self.roll()
        for command in GRAPH_COMMANDS:
            with self.subTest(command):
                self.ok(command, "roll.csv", "--label", "t", "--neighbors", 9, "--save-graph", "g", "--out", "a.csv")
                self.ok(command, "roll.csv", "--label", "t", "--graph", "g", "--out", "b.csv", "--model", "m.mercer")
                np.testing.assert_allclose(self.table("a.csv")[1], self.table("b.csv")[1], rtol=1e-12, atol=1e-15)
                self.assertIn("label      t", self.ok("info", "m.mercer"))

    def test_searches_agree(self):
        self.roll()
        maps = {}
        for search in ("auto", "brute", "kdtree"):
            report = self.report("isomap", "roll.csv", "--label", "t", "--search", search, "--out", f"{search}.csv")
            maps[search] = self.table(f"{search}.csv")[1]
            if search != "auto":
                self.assertEqual(search, report["graph"]["search"])
            self.assertEqual(1, report["graph"]["recall"])
        np.testing.assert_array_equal(maps["brute"], maps["kdtree"])

    def test_a_radius_makes_a_graph_too(self):
        self.roll()
        report = self.report("isomap", "roll.csv", "--label", "t", "--radius", 12)
        self.assertGreater(report["graph"]["links"], self.N)

    def test_pieces_are_an_error_unless_told_otherwise(self):
        self.islands()
        for command in GRAPH_COMMANDS:
            with self.subTest(command):
                said = self.fails(65, command, "islands.csv", "--label", "row", "--neighbors", 8)
                self.assertIn("2 pieces of 40, 20 points", said)
                self.assertIn("--pieces largest", said)

    def test_the_largest_piece_alone(self):
        self.islands()
        for command in GRAPH_COMMANDS:
            with self.subTest(command):
                report = self.report(command, "islands.csv", "--label", "row", "--neighbors", 8, "--pieces", "largest", "--keep-label",
                                     "--out", "map.csv", "--model", "m.mercer")
                self.assertEqual(40, report["n"])
                self.assertEqual((2, 20), (report["graph"]["components"], report["graph"]["left_out"]))
                self.assertTrue(any("20 of 60 points" in note for note in report["notes"]), report["notes"])
                names, rows = self.table("map.csv")
                self.assertEqual("row", names[0])
                self.assertEqual(list(range(40)), list(rows[:, 0]), "which rows these are")
                self.assertEqual(list(range(40)), list(rows[:, 3]), "and their label")
                self.ok("plot", "m.mercer", "--out", "m.svg")

    def test_bridges(self):
        self.islands()
        for command in ("isomap", "lle", "laplacian"):
            with self.subTest(command):
                report = self.report(command, "islands.csv", "--label", "row", "--neighbors", 8, "--pieces", "bridge", "--out", "map.csv")
                self.assertEqual(60, report["n"])
                self.assertEqual((2, 0, 1), tuple(report["graph"][f] for f in ("components", "left_out", "bridges")))
                self.assertEqual(60, len(self.table("map.csv")[1]))

    def test_tsne_needs_no_graph_in_one_piece(self):
        self.islands()
        self.assertEqual(60, self.report("tsne", "islands.csv", "--label", "row", "--perplexity", 5, "--iterations", 300)["n"])


    def test_tsne_goes_on_from_a_map(self):
        self.points(n=60)
        first = self.report("tsne", "points.csv", "--perplexity", 5, "--out", "map.csv")
        on = ["--perplexity", 5, "--iterations", 50, "--exaggeration", 1, "--from", "map.csv"]
        self.assertLess(self.report("tsne", "points.csv", *on)["kl_divergence"], first["kl_divergence"] + 1e-3)
        self.assertIn("60x3", self.fails(2, "tsne", "points.csv", "-k", 3, *on))
        self.assertIn("gone.csv", self.fails(66, "tsne", "points.csv", "--from", "gone.csv"))


class Errors(MapTest):
    def test_gaps_and_words(self):
        self.write("gap.csv", "a,b\n1,2\n3,\n5,6\n")
        for command in (*GRAPH_COMMANDS, "tsne", "compare"):
            self.assertIn("gap.csv:3", self.fails(65, command, "gap.csv"))
        np.save(self.folder / "nan.npy", np.array([[1.0, 2], [np.nan, 3], [4, 5]]))
        for command in (*GRAPH_COMMANDS, "tsne"):
            self.fails(65, command, "nan.npy")

    def test_all_points_equal(self):
        self.write("same.csv", "a,b\n" + "1,2\n" * 40)
        for command in (*GRAPH_COMMANDS, "tsne"):
            with self.subTest(command):
                more = ["--perplexity", 5] if command == "tsne" else []
                self.assertIn("equal", self.fails(65, command, "same.csv", *more))

    def test_more_neighbours_or_coordinates_than_points(self):
        self.points(n=20)
        for command in GRAPH_COMMANDS:
            with self.subTest(command):
                self.assertIn("20 points", self.fails(2, command, "points.csv", "--neighbors", 20))
                if command != "mvu":  # which says that there are no more than 3
                    self.fails(2, command, "points.csv", "--neighbors", 19, "-k", 20)
        self.fails(2, "tsne", "points.csv", "--perplexity", 20)
        self.fails(2, "tsne", "points.csv", "--perplexity", 4, "-k", 4)

    def test_options_that_make_no_sense(self):
        self.points(n=30)
        self.write("g", "no graph")
        for arguments in (["isomap", "--neighbors", 0], ["isomap", "--neighbors", 5, "--radius", 1], ["isomap", "--radius", -1],
                          ["isomap", "-k", 0.9], ["isomap", "-k", 0], ["isomap", "--search", "luck"], ["isomap", "--pieces", "glue"],
                          ["isomap", "--graph", "g", "--neighbors", 5], ["isomap", "--landmarks", 0], ["isomap", "--scale", "up"],
                          ["isomap", "--save-graph", "points.csv"], ["isomap", "--save-graph", "-"], ["isomap", "--kernel", "rbf"],
                          ["lle", "--variant", "hessian"], ["lle", "--regularization", 0], ["hlle", "--variant", "modified"],
                          ["laplacian", "--alpha", 1], ["laplacian", "--heat", -1], ["laplacian", "--weights", "ones", "--heat", 1],
                          ["laplacian", "--diffusion", "soon"], ["laplacian", "--diffusion", 1, "--weights", "ones"],
                          ["laplacian", "--laplacian", "cubic"], ["mvu", "--basis", 0],
                          ["tsne", "--perplexity", 0], ["tsne", "--gradient", "guess"], ["tsne", "--start", "middle"],
                          ["tsne", "--neighbors", 5], ["tsne", "--iterations", 0], ["tsne", "--learning-rate", "fast"]):
            with self.subTest(arguments):
                self.fails(2, arguments[0], "points.csv", *arguments[1:])

    def test_hessian_needs_enough_neighbours(self):
        self.points(n=30)
        self.assertIn("neighbours", self.fails(2, "hlle", "points.csv", "--neighbors", 5))

    def test_a_graph_that_does_not_fit(self):
        self.roll()
        self.ok("isomap", "roll.csv", "--label", "t", "--save-graph", "g")
        self.points(n=30)
        self.assertIn("30 rows", self.fails(2, "isomap", "points.csv", "--graph", "g"))
        self.fails(66, "isomap", "points.csv", "--graph", "none")
        self.fails(65, "isomap", "roll.csv", "--label", "t", "--graph", "roll.csv")

    def test_a_map_is_no_way_back(self):
        self.roll()
        self.ok("isomap", "roll.csv", "--label", "t", "--model", "m.mercer", "--out", "map.csv")
        self.fails(2, "inverse", "m.mercer", "map.csv", "--out", "back.csv")
        self.assertIs(False, json.loads(self.ok("info", "m.mercer", "--json"))["inverse"])

    def test_new_points_of_another_width(self):
        self.roll()
        self.ok("lle", "roll.csv", "--label", "t", "--model", "m.mercer")
        self.points(n=5, d=7)
        self.assertIn("expected 3 columns", self.fails(65, "transform", "m.mercer", "points.csv", "--out", "z.csv"))


class Compare(MapTest):
    def test_one_table_and_one_picture(self):
        self.roll()
        methods = "pca,kpca,isomap,lle,mlle,hlle,laplacian,diffusion,mvu,tsne"
        report = self.report("compare", "roll.csv", "--label", "t", "--methods", methods, "--neighbors", 10, "--out", "maps.svg")
        self.assertEqual(methods.split(","), [m["method"] for m in report["methods"]])
        for m in report["methods"]:
            self.assertNotIn("failure", m)
            for field in ("seconds", "trustworthiness", "continuity", "neighborhood_preservation", "stress"):
                self.assertGreaterEqual(m[field], 0)
        picture = (self.folder / "maps.svg").read_text()
        self.assertIn("<svg", picture)
        text = self.ok("compare", "roll.csv", "--label", "t", "--methods", "pca,isomap", "--out", "maps.png")
        self.assertEqual(["method", "pca", "isomap", "picture"], [line.split()[0] for line in text.splitlines()])
        self.assertEqual(b"\x89PNG", (self.folder / "maps.png").read_bytes()[:4])

    def test_isomap_measures_as_it_does_alone(self):
        self.roll()
        alone = self.report("isomap", "roll.csv", "--label", "t", "--neighbors", 10)
        beside = self.report("compare", "roll.csv", "--label", "t", "--methods", "pca,isomap", "--neighbors", 10)["methods"][1]
        for field in ("trustworthiness", "continuity", "neighborhood_preservation", "stress"):
            self.assertAlmostEqual(alone[field], beside[field], places=12)

    def test_a_method_that_fails_is_a_row(self):
        self.islands()
        report = self.report("compare", "islands.csv", "--label", "row", "--methods", "isomap,pca", "--neighbors", 8, "--out", "m.svg")
        self.assertIn("2 pieces", report["methods"][0]["failure"])
        self.assertGreater(report["methods"][1]["trustworthiness"], 0.5)
        text = self.ok("compare", "islands.csv", "--label", "row", "--methods", "isomap,pca", "--neighbors", 8)
        self.assertIn("failed: the graph of 8 nearest neighbours falls into 2 pieces", text)
        kept = self.report("compare", "islands.csv", "--label", "row", "--methods", "isomap,pca", "--neighbors", 8, "--pieces", "largest",
                           "--out", "m.svg")
        self.assertEqual([40, 60], [m["points"] for m in kept["methods"]])

    def test_errors(self):
        self.islands()
        self.assertIn("2 pieces", self.fails(65, "compare", "islands.csv", "--label", "row", "--methods", "isomap,lle", "--neighbors", 8))
        self.assertIn("pca, kpca", self.fails(2, "compare", "islands.csv", "--methods", "pca,magic"))
        self.fails(2, "compare", "islands.csv", "--methods", "pca", "--out", "picture.txt")
        self.fails(66, "compare", "none.csv")


class Generate(CliTest):
    def test_sheets_and_a_severed_sphere(self):
        for name in ("swiss-roll", "s-curve", "severed-sphere"):
            names, x = parse_csv(self.ok("generate", name, "--n", 50, "--seed", 1))
            self.assertEqual(["x1", "x2", "x3", "t"], names)
            self.assertEqual((50, 4), x.shape)


class Digits(MapTest):
    def test_classes_keep_their_colours_and_sparse_rows_work(self):
        self.ok("tsne", DIGITS, "--label", 64, "--perplexity", 10, "--iterations", 300, "--model", "d.mercer", "--quiet")
        self.ok("plot", "d.mercer", "--out", "d.png")
        rng = np.random.default_rng(3)
        lines = [f"{i % 2} " + " ".join(f"{j + 1}:{rng.normal():.6g}" for j in sorted(rng.choice(12, 5, replace=False))) for i in range(60)]
        self.write("s.libsvm", "\n".join(lines) + "\n")
        self.assertEqual(60, self.report("isomap", "s.libsvm", "--neighbors", 10)["n"])
        self.assertEqual(60, self.report("tsne", "s.libsvm", "--perplexity", 10, "--iterations", 300)["n"])


if __name__ == "__main__":
    unittest.main()
