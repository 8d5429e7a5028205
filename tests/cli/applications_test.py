"""X ≈ UZ at work: topics of a sparse table in either orientation, ratings with gaps, pictures."""
import json
import unittest

import numpy as np

from support import CliTest, parse_csv, same_up_to_sign

TITLES = {"human": (0, 3), "interface": (0, 2), "computer": (0, 1), "user": (1, 2, 4), "system": (1, 2, 3, 3), "response": (1, 4),
          "time": (1, 4), "EPS": (2, 3), "survey": (1, 8), "trees": (5, 6, 7), "graph": (6, 7, 8), "minors": (7, 8)}


def libsvm(matrix, known=None):
    """Rows as text; without `known`, the entries that are not zero."""
    known = matrix != 0 if known is None else known
    return "".join("0" + "".join(f" {j + 1}:{row[j]:.17g}" for j in np.flatnonzero(there)) + "\n" for row, there in zip(matrix, known))


class Topics(CliTest):
    """Words x documents of Deerwester et al. 1990."""

    def setUp(self):
        super().setUp()
        self.counts = np.zeros((12, 9))
        for i, titles in enumerate(TITLES.values()):
            for title in titles:
                self.counts[i, title] += 1
        self.write("words.libsvm", libsvm(self.counts))         # a word a row
        self.write("documents.libsvm", libsvm(self.counts.T))   # a document a row
        self.write("words.txt", "\n".join(TITLES) + "\n")

    def fit(self, data, *options):
        return self.report("pca", data, "--center", "no", "-k", 2, "--model", "topics.mercer", "--out", "scores.csv", *options)

    def test_both_orientations_have_the_singular_values_of_numpy(self):
        truth = np.linalg.svd(self.counts, compute_uv=False)[:2]
        for data, options in (("words.libsvm", ()), ("documents.libsvm", ()), ("words.libsvm", ("--transpose",))):
            self.assertTrue(np.allclose(np.sqrt(self.fit(data, *options)["gram_eigenvalues"]), truth))

    def test_transposing_is_the_same_as_a_transposed_file(self):
        self.fit("words.libsvm", "--transpose")
        transposed = self.table("scores.csv")[1]
        self.fit("documents.libsvm")
        self.assertTrue(np.allclose(transposed, self.table("scores.csv")[1], atol=1e-12))

    def test_documents_are_folded_in_where_they_were(self):
        for data, options in (("documents.libsvm", ()), ("words.libsvm", ("--transpose",))):
            self.fit(data, *options)
            again = parse_csv(self.ok("transform", "topics.mercer", data, *options))[1]
            self.assertTrue(np.allclose(again, self.table("scores.csv")[1], atol=1e-12))

    def test_a_query_may_lack_the_last_words(self):
        self.fit("documents.libsvm")
        self.write("query.libsvm", "0 1:1 3:1\n")  # human computer
        found = parse_csv(self.ok("transform", "topics.mercer", "query.libsvm"))[1]
        u = np.linalg.svd(self.counts)[0][:, :2]
        self.assertTrue(same_up_to_sign(u[[0]] + u[[2]], found, 1e-12))

    def test_topics_are_drawn(self):
        self.fit("documents.libsvm")
        self.ok("plot", "topics.mercer", "--topics", 2, "--words", "words.txt", "--out", "topics.svg")
        self.assertTrue((self.folder / "topics.svg").read_bytes().startswith(b"<?xml"))
        error = self.fails(2, "plot", "topics.mercer", "--words", "words.txt", "--out", "topics.svg")
        self.assertIn("--topics", error)
        self.fails(2, "plot", "topics.mercer", "--topics", 2, "--scree", "--out", "topics.svg")

    def test_topics_are_told_by_their_heaviest_words_in_both_orientations(self):
        for data in ("documents.libsvm", "words.libsvm"):
            self.fit(data)
            text = self.ok("info", "topics.mercer", "--topics", 2, "--words", "words.txt", "--top", 3)
            topics = [line for line in text.splitlines() if line.startswith("topic ")]
            self.assertEqual(2, len(topics))
            self.assertRegex(topics[0], "system.*user")
            self.assertRegex(topics[1], "graph.*trees.*minors")
            listed = json.loads(self.ok("info", "topics.mercer", "--topics", 2, "--words", "words.txt", "--json"))["topics"]
            self.assertEqual(8, len(listed[0]["words"]))
            u = np.linalg.svd(self.counts)[0][:, 0]
            for entry in listed[0]["words"]:
                self.assertAlmostEqual(abs(u[list(TITLES).index(entry["word"])]), abs(entry["weight"]), 10)

    def test_words_that_do_not_fit_the_model_are_refused(self):
        self.fit("documents.libsvm")
        self.write("few.txt", "human\nuser\n")
        self.assertIn("2 words", self.fails(65, "info", "topics.mercer", "--topics", 2, "--words", "few.txt"))
        self.fails(66, "info", "topics.mercer", "--topics", 2, "--words", "nowhere.txt")
        self.fails(2, "info", "topics.mercer", "--words", "words.txt")
        self.ok("kpca", "documents.libsvm", "--kernel", "linear", "--model", "kernel.mercer")
        self.fails(2, "info", "kernel.mercer", "--topics", 2)

    def test_a_wide_sparse_table_is_never_made_dense(self):
        # Dense, 3,000 x 40,000 would be 960 MB.
        random = np.random.default_rng(1)
        rows = ["0" + "".join(f" {j + 1}:1" for j in np.unique(random.integers(0, 40000, 20))) for _ in range(3000)]
        rows[0] = "0 40000:1"
        self.write("wide.libsvm", "\n".join(rows) + "\n")
        for options in ((), ("--transpose",)):
            self.assertLess(self.peak_megabytes("pca", "wide.libsvm", "--center", "no", "-k", 2, *options), 600)


class Gaps(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(2)
        self.truth = random.normal(size=(80, 2)) @ random.normal(size=(2, 25)) + random.normal(size=25) + 3
        self.known = random.uniform(size=self.truth.shape) > 0.3
        cells = [[f"{x:.17g}" if there else "" for x, there in zip(row, known)] for row, known in zip(self.truth, self.known)]
        self.write("ratings.csv", "\n".join(",".join(row) for row in cells) + "\n")
        self.write("ratings.libsvm", libsvm(self.truth, self.known))
        self.fit_options = ("--missing", "fit", "-k", 2, "--ridge", "1e-6")

    def test_gaps_of_a_low_rank_table_are_filled(self):
        report = self.report("pca", "ratings.csv", *self.fit_options, "--model", "m.mercer", "--out", "scores.csv")
        self.assertEqual(int(self.known.sum()), report["gaps"]["known"])
        self.assertLess(report["gaps"]["held_out_rms_error"], 1e-3 * report["gaps"]["column_mean_rms_error"])
        self.ok("inverse", "m.mercer", "scores.csv", "--out", "filled.npy")
        self.assertLess(np.abs(np.load(self.folder / "filled.npy") - self.truth).max(), 1e-3)

    def test_sparse_is_dense_with_gaps(self):
        dense = self.report("pca", "ratings.csv", *self.fit_options)
        sparse = self.report("pca", "ratings.libsvm", *self.fit_options)
        self.assertEqual(dense["gram_eigenvalues"], sparse["gram_eigenvalues"])
        self.assertEqual(dense["gaps"], sparse["gaps"])

    def test_rows_with_gaps_are_transformed(self):
        for data in ("ratings.csv", "ratings.libsvm"):
            self.ok("pca", data, *self.fit_options, "--model", "m.mercer", "--out", "scores.csv")
            again = parse_csv(self.ok("transform", "m.mercer", data, "--missing", "fit"))[1]
            self.assertTrue(np.array_equal(again, self.table("scores.csv")[1]))

    def test_the_summary_says_what_was_known_and_how_well_the_rest_is_guessed(self):
        text = self.ok("pca", "ratings.csv", "--missing", "fit", "-k", 2)
        self.assertIn("of the table was known", text)
        self.assertIn("held out", text)
        self.assertNotIn("certificate", text)
        self.assertIn("alternating least squares", self.ok("pca", "ratings.csv", "--missing", "fit", "--explain"))

    def test_where_nothing_can_be_held_out_no_error_is_claimed(self):
        self.write("bare.csv", "1,,\n,2,\n,,3\n")
        gaps = self.report("pca", "bare.csv", "--missing", "fit", "-k", 1, "--model", "m.mercer")["gaps"]
        self.assertEqual((0, None, None), (gaps["held_out"], gaps["held_out_rms_error"], gaps["column_mean_rms_error"]))
        self.assertIn("held out: nothing, too little is known", self.ok("pca", "bare.csv", "--missing", "fit", "-k", 1))
        self.assertIn("held out: nothing, too little is known", self.ok("info", "m.mercer"))

    def test_values_too_large_to_square_are_refused(self):
        self.write("huge.csv", "1e200,,2e200\n3e200,1e200,\n1e200,2e200,3e200\n,1e200,1e200\n")
        self.assertIn("too large", self.fails(65, "pca", "huge.csv", "--missing", "fit", "-k", 1))

    def test_where_it_makes_no_sense_it_is_refused(self):
        self.fails(2, "kpca", "ratings.csv", "--missing", "fit")
        self.fails(2, "convert", "ratings.csv", "out.csv", "--missing", "fit")
        self.fails(2, "pca", "ratings.csv", "--missing", "fit", "-k", "0.9")
        self.fails(2, "pca", "ratings.csv", "--missing", "fit", "--route", "dense")
        self.fails(2, "pca", "ratings.csv", "--ridge", "1")
        self.fails(2, "pca", "ratings.csv", "--missing", "fit", "--ridge=-1")
        self.points()
        self.ok("pca", "points.csv", "--model", "whole.mercer")
        self.fails(2, "transform", "whole.mercer", "ratings.csv", "--missing", "fit")
        self.write("empty_row.csv", "1,2,3\n,,\n4,5,7\n1,1,1\n")
        self.assertIn("row 1 has no value", self.fails(65, "pca", "empty_row.csv", "--missing", "fit"))
        self.write("empty_column.csv", "1,,3\n2,,4\n4,,7\n1,,1\n")
        self.assertIn("column 1 has no value", self.fails(65, "pca", "empty_column.csv", "--missing", "fit"))


class Pictures(CliTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.stack = (random.uniform(size=(30, 6, 4)) * 255).astype(np.uint8)
        np.save(self.folder / "stack.npy", self.stack)

    def test_a_stack_of_pictures_is_a_row_each(self):
        report = self.report("pca", "stack.npy", "-k", 3, "--model", "m.mercer")
        self.assertEqual((30, 24), (report["n"], report["d"]))
        flat = self.stack.reshape(30, -1).astype(float)
        truth = np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)[:3] ** 2
        self.assertTrue(np.allclose(report["gram_eigenvalues"], truth))

    def test_components_reconstructions_and_rows_are_drawn(self):
        self.ok("pca", "stack.npy", "-k", 5, "--model", "m.mercer")
        self.ok("plot", "m.mercer", "--images", "6x4", "--out", "components.svg", "--title", "Components")
        text = (self.folder / "components.svg").read_text()
        self.assertIn("<image", text)
        self.ok("plot", "m.mercer", "--images", "6x4", "--reconstruct", "stack.npy", "--out", "rebuilt.png")
        self.ok("plot", "stack.npy", "--images", "6x4", "--out", "rows.pdf")
        for name in ("components.svg", "rebuilt.png", "rows.pdf"):
            self.assertGreater((self.folder / name).stat().st_size, 1000)

    def test_reconstruction_tells_error_and_saving_at_growing_k(self):
        self.ok("pca", "stack.npy", "-k", 5, "--model", "m.mercer")
        steps = json.loads(self.ok("info", "m.mercer", "--reconstruction", "--json"))["reconstruction"]
        self.assertEqual([1, 2, 4, 5], [step["components"] for step in steps])
        flat = self.stack.reshape(30, -1).astype(float)
        u, s, v = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)
        for step in steps:
            k = step["components"]
            rest = (u[:, k:] * s[k:]) @ v[k:]
            self.assertAlmostEqual(np.sqrt((rest ** 2).mean()), step["rms_error"], 8)
            self.assertAlmostEqual(1 - (k * 54 + 24) / 720, step["saving"], 12)
        self.assertIn("saving", self.ok("info", "m.mercer", "--reconstruction"))

    def test_sizes_that_do_not_fit_are_refused(self):
        self.ok("pca", "stack.npy", "-k", 2, "--model", "m.mercer")
        for size in ("6x5", "24", "6x", "x4", "0x0", "6x4x1", "-6x-4", "99999999999x1"):
            self.fails(2, "plot", "m.mercer", f"--images={size}", "--out", "no.png")
        self.fails(2, "plot", "m.mercer", "--reconstruct", "stack.npy", "--out", "no.png")
        self.fails(2, "plot", "m.mercer", "--images", "6x4", "--scree", "--out", "no.png")
        self.fails(2, "plot", "stack.npy", "--images", "6x4", "--reconstruct", "stack.npy", "--out", "no.png")
        self.ok("kpca", "stack.npy", "-k", 2, "--model", "kernel.mercer")
        self.fails(2, "plot", "kernel.mercer", "--images", "6x4", "--out", "no.png")


if __name__ == "__main__":
    unittest.main()
