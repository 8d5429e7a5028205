"""tucker, cp and svd2d through the program, against numpy, with all that surrounds them, and their errors."""
import json
import struct
import unittest
import zlib

import numpy as np
from support import DIGITS, CliTest, parse_csv

RANDOM = np.random.default_rng


def unfolded(x, mode):
    return np.moveaxis(x, mode, 0).reshape(x.shape[mode], -1)


def planted(shape, rank, seed=0, positive=False):
    """A CP tensor and its factors."""
    random = RANDOM(seed)
    factors = [random.uniform(0.1, 1, (n, rank)) if positive else random.normal(size=(n, rank)) for n in shape]
    return np.einsum("ir,jr,kr->ijk", *factors), factors


def relative(x, y):
    return np.linalg.norm(x - y) / np.linalg.norm(x)


def tns(x):
    lines = [" ".join(str(i + 1) for i in at) + f" {x[tuple(at)]:.17g}" for at in np.argwhere(x)]
    return "\n".join(lines) + "\n"


def png(image):
    """A grey PNG of one byte a pixel."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes(row) for row in image.astype(np.uint8))
    head = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class TensorTest(CliTest):
    def save(self, name, x):
        np.save(self.folder / name, x)
        return x

    def load(self, name):
        return np.load(self.folder / name)

    def noise(self, name="x.npy", shape=(7, 6, 5), seed=0):
        return self.save(name, RANDOM(seed).normal(size=shape))


class Tucker(TensorTest):
    def test_full_ranks_give_the_array_back(self):
        x = self.noise()
        report = self.report("tucker", "x.npy", "--ranks", "7,6,5", "--reconstruct", "y.npy")
        np.testing.assert_allclose(self.load("y.npy"), x, atol=1e-12)
        self.assertLess(report["relative_error"], 1e-7)
        self.assertEqual(([7, 6, 5], [7, 6, 5], 0), (report["shape"], report["ranks"], report["sample_mode"]))

    def test_the_error_is_that_of_the_reconstruction_and_explained_follows(self):
        x = self.noise()
        for options in (["--ranks", "3,4,2"], ["--ranks", "3,4,2", "--method", "hosvd"], ["--ranks", "3,4,2", "--hooi", 10],
                        ["--ranks", "all,3,3"], ["--error", 0.5], ["--ranks", "3,4,2", "--sample-mode", 2]):
            report = self.report("tucker", "x.npy", *options, "--reconstruct", "y.npz")
            y = self.load("y.npz")["tensor"]
            self.assertAlmostEqual(relative(x, y), report["relative_error"], delta=1e-10)
            self.assertAlmostEqual(1 - report["relative_error"] ** 2, report["explained"], delta=1e-12)
            self.assertEqual(x.size, report["known"])
        self.assertLessEqual(self.report("tucker", "x.npy", "--error", 0.5)["relative_error"], 0.5)

    def test_hosvd_is_numpys_and_hooi_is_no_worse(self):
        x = self.noise(shape=(8, 7, 6))
        y = x
        for mode, rank in enumerate((4, 3, 2)):
            u = np.linalg.svd(unfolded(x, mode))[0][:, :rank]
            y = np.moveaxis(np.tensordot(u @ u.T, y, (1, mode)), 0, mode)
        hosvd = self.report("tucker", "x.npy", "--ranks", "4,3,2", "--method", "hosvd")
        self.assertAlmostEqual(relative(x, y), hosvd["relative_error"], delta=1e-10)
        for mode, values in enumerate(hosvd["mode_values"]):
            truth = np.linalg.svd(unfolded(x, mode), compute_uv=False)
            np.testing.assert_allclose(values, truth[:len(values)], rtol=1e-8)
        hooi = self.report("tucker", "x.npy", "--ranks", "4,3,2", "--hooi", 20)
        self.assertLessEqual(hooi["relative_error"], hosvd["relative_error"] + 1e-12)
        self.assertTrue(all(b <= a + 1e-12 for a, b in zip(hooi["errors"], hooi["errors"][1:])))

    def test_training_samples_have_their_scores_as_new_ones_and_come_back(self):
        x = self.noise()
        self.ok("tucker", "x.npy", "--ranks", "4,5,5", "--model", "m.mercer", "--out", "z.csv", "--reconstruct", "y.npy")
        names, scores = self.table("z.csv")
        self.assertEqual(["c1", "c2", "c3", "c4"], names)
        self.ok("transform", "m.mercer", "x.npy", "--out", "again.csv")
        np.testing.assert_allclose(self.table("again.csv")[1], scores, atol=1e-10)
        self.save("rows.npy", x.reshape(7, -1))
        np.testing.assert_allclose(parse_csv(self.ok("transform", "m.mercer", "rows.npy"))[1], scores, atol=1e-10)
        np.savetxt(self.folder / "rows.csv", x.reshape(7, -1), delimiter=",", fmt="%.17g")
        np.testing.assert_allclose(parse_csv(self.ok("transform", "m.mercer", "rows.csv"))[1], scores, atol=1e-10)
        self.save("one.npy", x[3])
        np.testing.assert_allclose(parse_csv(self.ok("transform", "m.mercer", "one.npy"))[1], scores[[3]], atol=1e-10)
        self.ok("inverse", "m.mercer", "z.csv", "--out", "back.npy")
        self.assertEqual((7, 6, 5), self.load("back.npy").shape)
        np.testing.assert_allclose(self.load("back.npy"), self.load("y.npy"), atol=1e-10)
        self.ok("inverse", "m.mercer", "z.csv", "--out", "back.csv")
        rows = np.loadtxt(self.folder / "back.csv", delimiter=",")
        np.testing.assert_allclose(rows.reshape(7, 6, 5), self.load("y.npy"), atol=1e-10)

    def test_samples_along_another_mode(self):
        x = self.noise()
        self.ok("tucker", "x.npy", "--ranks", "7,6,3", "--sample-mode", 2, "--model", "m.mercer", "--out", "z.npy")
        self.assertEqual((5, 3), self.load("z.npy").shape)
        self.save("new.npy", x[:, :, :2])
        self.ok("transform", "m.mercer", "new.npy", "--out", "n.npy")
        np.testing.assert_allclose(self.load("n.npy"), self.load("z.npy")[:2], atol=1e-10)
        self.ok("inverse", "m.mercer", "n.npy", "--out", "back.npy")
        self.assertEqual((7, 6, 2), self.load("back.npy").shape)

    def test_a_sparse_array_gives_what_its_dense_copy_gives(self):
        x = np.where(RANDOM(3).uniform(size=(9, 8, 7)) < 0.2, RANDOM(4).normal(size=(9, 8, 7)), 0)
        x[8, 7, 6] = 1
        self.save("x.npy", x)
        self.write("x.tns", tns(x))
        dense = self.report("tucker", "x.npy", "--ranks", "3,3,3", "--method", "hosvd", "--out", "dense.npy")
        sparse = self.report("tucker", "x.tns", "--ranks", "3,3,3", "--out", "sparse.npy", "--model", "m.mercer")
        self.assertAlmostEqual(dense["relative_error"], sparse["relative_error"], delta=1e-12)
        np.testing.assert_allclose(np.abs(self.load("sparse.npy")), np.abs(self.load("dense.npy")), atol=1e-10)
        self.assertEqual([9, 8, 7], sparse["shape"])
        self.assertEqual(9 * 8 * 7, sparse["known"])
        # New samples need not reach the last index of each mode.
        self.write("new.tns", "1 1 1 2.0\n2 3 2 1.5\n")
        new = np.zeros((2, 8, 7))
        new[0, 0, 0], new[1, 2, 1] = 2, 1.5
        self.save("new.npy", new)
        for form in ("tns", "npy"):
            self.ok("transform", "m.mercer", f"new.{form}", "--out", f"{form}.npy")
        np.testing.assert_allclose(self.load("tns.npy"), self.load("npy.npy"), atol=1e-12)

    def test_scores_lead_back_to_the_reconstruction(self):
        self.noise()
        self.ok("tucker", "x.npy", "--ranks", "4,3,2", "--model", "m.mercer", "--out", "z.npy", "--reconstruct", "y.npy")
        self.ok("inverse", "m.mercer", "z.npy", "--out", "back.npy")
        np.testing.assert_allclose(self.load("back.npy"), self.load("y.npy"), atol=1e-10)


class Cp(TensorTest):
    def test_planted_factors_are_found(self):
        x, factors = planted((9, 8, 7), 3)
        self.save("x.npy", x)
        report = self.report("cp", "x.npy", "--rank", 3, "--tolerance", 1e-14, "--iterations", 5000, "--model", "m.mercer",
                             "--out", "z.csv", "--reconstruct", "y.npy")
        self.assertLess(report["relative_error"], 1e-6)
        self.assertEqual([3], report["ranks"])
        self.assertEqual(sorted(report["weights"], reverse=True), report["weights"])
        self.assertGreater(report["core_consistency"], 99)
        self.assertGreaterEqual(report["starts"], 1)
        self.assertEqual(report["errors"][-1], min(report["errors"]))
        scores = self.table("z.csv")[1]
        found = scores / np.linalg.norm(scores, axis=0)
        truth = factors[0] / np.linalg.norm(factors[0], axis=0)
        overlap = np.abs(truth.T @ found)
        np.testing.assert_allclose(overlap.max(axis=1), 1, atol=1e-14)
        np.testing.assert_allclose(self.load("y.npy"), x, atol=1e-7)
        self.ok("transform", "m.mercer", "x.npy", "--out", "again.csv")
        np.testing.assert_allclose(self.table("again.csv")[1], scores, atol=1e-9)

    def test_gaps_are_unknown_when_asked_and_an_error_otherwise(self):
        x, _ = planted((10, 9, 8), 2, seed=1)
        holes = RANDOM(2).uniform(size=x.shape) < 0.3
        self.save("x.npy", np.where(holes, np.nan, x))
        self.assertIn("--missing fit", self.fails(65, "cp", "x.npy", "--rank", 2, "--out", "z.csv"))
        report = self.report("cp", "x.npy", "--rank", 2, "--missing", "fit", "--tolerance", 1e-14, "--iterations", 5000,
                             "--reconstruct", "y.npy")
        self.assertEqual(int((~holes).sum()), report["known"])
        self.assertLess(relative(x, self.load("y.npy")), 1e-4)
        weights = self.save("w.npy", np.where(holes, 0.0, 1.0))
        self.save("zeros.npy", np.where(holes, 0.0, x))
        same = self.report("cp", "zeros.npy", "--rank", 2, "--weights", "w.npy", "--tolerance", 1e-14, "--iterations", 5000)
        self.assertLess(same["relative_error"], 1e-4)
        self.save("w.npy", weights[:-1])
        self.assertIn("9 x 9 x 8", self.fails(65, "cp", "zeros.npy", "--rank", 2, "--weights", "w.npy"))

    def test_help_names_sparse_stacks_where_they_are_taken(self):
        self.assertIn("tns (sparse)", self.ok("cp", "--help"))
        self.assertIn("tns (sparse)", self.ok("tucker", "--help"))
        told = self.ok("svd2d", "--help")
        self.assertNotIn("tns (sparse)", told)
        self.assertIn("a sparse .tns is made so by mercer convert", " ".join(told.split()))
        self.write("s.tns", "1 1 1 2\n2 2 2 3\n1 2 2 1\n2 1 1 1\n")
        self.assertIn("dense", self.fails(2, "svd2d", "s.tns", "--ranks", "1,1"))
        self.ok("convert", "s.tns", "s.npy")
        self.ok("svd2d", "s.npy", "--ranks", "1,1")

    def test_nonnegative_factors_have_no_negative_entry(self):
        self.ok("generate", "fluorescence", "--n", 12, "--seed", 1, "--out", "mix.npy")
        report = self.report("cp", "mix.npy", "--rank", 3, "--nonnegative", "--model", "m.mercer", "--out", "z.csv")
        self.assertGreater(report["explained"], 0.99)
        self.assertGreaterEqual(self.table("z.csv")[1].min(), 0)
        self.ok("plot", "m.mercer", "--out", "factors.svg", "--title", "Three spectra")
        self.assertTrue("Three spectra" in (self.folder / "factors.svg").read_text())

    def test_sparse_is_dense(self):
        x, _ = planted((8, 7, 6), 2, positive=True)
        x[RANDOM(5).uniform(size=x.shape) < 0.6] = 0
        x[7, 6, 5] = 1
        self.save("x.npy", x)
        self.write("x.tns", tns(x))
        dense, sparse = (self.report("cp", f"x.{form}", "--rank", 2, "--start", "random", "--starts", 3, "--seed", 4)
                         for form in ("npy", "tns"))
        self.assertAlmostEqual(dense["relative_error"], sparse["relative_error"], delta=1e-5)

    def test_not_converged_is_an_error_unless_partial(self):
        self.noise(shape=(9, 9, 9))
        self.fails(3, "cp", "x.npy", "--rank", 3, "--iterations", 1, "--tolerance", 1e-12, "--model", "m.mercer")
        report = self.report("cp", "x.npy", "--rank", 3, "--iterations", 1, "--tolerance", 1e-12, "--partial")
        self.assertFalse(report["converged"])

    def test_threads_and_seeds(self):
        self.ok("generate", "fluorescence", "--n", 8, "--out", "mix.npy")
        for threads in (1, 2):
            self.ok("cp", "mix.npy", "--rank", 2, "--threads", threads, "--seed", 3, "--out", f"z{threads}.csv")
        self.assertEqual((self.folder / "z1.csv").read_text(), (self.folder / "z2.csv").read_text())


class Svd2d(TensorTest):
    def reference(self, x, p, q, center):
        mean = x.mean(axis=0) if center else np.zeros(x.shape[1:])
        a = x - mean
        u = np.linalg.eigh(np.einsum("nij,nkj->ik", a, a))[1][:, ::-1][:, :p]
        v = np.linalg.eigh(np.einsum("nij,nik->jk", a, a))[1][:, ::-1][:, :q]
        return mean + np.einsum("ip,npq,jq->nij", u, np.einsum("ip,nij,jq->npq", u, a, v), v)

    def test_it_is_the_formula(self):
        x = self.noise(shape=(12, 7, 6)) + 3
        self.save("x.npy", x)
        for center in (True, False):
            truth = self.reference(x, 3, 2, center)
            report = self.report("svd2d", "x.npy", "--ranks", "3,2", "--center", "yes" if center else "no", "--reconstruct", "y.npy")
            np.testing.assert_allclose(self.load("y.npy"), truth, atol=1e-9)
            rms = np.sqrt(((x - truth) ** 2).sum() / len(x))
            self.assertAlmostEqual(rms, report["rms_error"], delta=1e-9)
            self.assertAlmostEqual(relative(x, truth), report["relative_error"], delta=1e-10)
            self.assertEqual(center, report["centered"])

    def test_glram_is_no_worse_and_one_side_is_2dpca(self):
        x = self.noise(shape=(12, 7, 6))
        plain = self.report("svd2d", "x.npy", "--ranks", "3,3", "--center", "no")
        glram = self.report("svd2d", "x.npy", "--ranks", "3,3", "--center", "no", "--iterations", 50)
        self.assertLess(glram["rms_error"], plain["rms_error"])
        report = self.report("svd2d", "x.npy", "--ranks", "all,2", "--reconstruct", "y.npy")
        self.assertEqual([7, 2], report["ranks"])
        a = x - x.mean(axis=0)
        v = np.linalg.eigh(np.einsum("nij,nik->jk", a, a))[1][:, ::-1][:, :2]
        np.testing.assert_allclose(self.load("y.npy"), x.mean(axis=0) + a @ v @ v.T, atol=1e-9)

    def test_new_matrices_and_the_way_back(self):
        x = self.noise(shape=(12, 7, 6))
        self.ok("svd2d", "x.npy", "--ranks", "3,2", "--model", "m.mercer", "--out", "z.csv", "--reconstruct", "y.npy")
        names, scores = self.table("z.csv")
        self.assertEqual(["m1_1", "m1_2", "m2_1", "m2_2", "m3_1", "m3_2"], names)
        self.ok("transform", "m.mercer", "x.npy", "--out", "again.csv")
        np.testing.assert_allclose(self.table("again.csv")[1], scores, atol=1e-12)
        self.ok("inverse", "m.mercer", "z.csv", "--out", "back.npz")
        np.testing.assert_allclose(self.load("back.npz")["tensor"], self.load("y.npy"), atol=1e-10)
        self.noise("other.npy", shape=(4, 6, 7))
        self.fails(65, "transform", "m.mercer", "other.npy", "--out", "bad.csv")

    def test_a_folder_of_images(self):
        x = np.clip(100 + 40 * RANDOM(1).normal(size=(11, 6, 5)), 0, 255).astype(np.uint8)
        (self.folder / "faces").mkdir()
        for i, image in enumerate(x):
            if i % 2:
                (self.folder / "faces" / f"face{i}.png").write_bytes(png(image))
            else:
                (self.folder / "faces" / f"face{i}.pgm").write_bytes(b"P5\n5 6\n255\n" + image.tobytes())
        report = self.report("svd2d", "faces", "--ranks", "4,4", "--model", "m.mercer")
        self.save("x.npy", x)
        self.assertEqual(report["rms_error"], self.report("svd2d", "x.npy", "--ranks", "4,4")["rms_error"])
        self.ok("plot", "m.mercer", "--data", "faces", "--out", "faces.png")
        self.ok("convert", "faces", "stack.npy")
        np.testing.assert_array_equal(self.load("stack.npy"), x)
        (self.folder / "faces" / "odd.png").write_bytes(png(x[0, :5]))
        self.assertIn("odd.png", self.fails(65, "svd2d", "faces", "--ranks", "4,4", "--out", "z.csv"))

    def test_in_float(self):
        self.noise(shape=(12, 7, 6))
        double = self.report("svd2d", "x.npy", "--ranks", "3,2")
        single = self.report("svd2d", "x.npy", "--ranks", "3,2", "--precision", "float", "--model", "m.mercer")
        self.assertEqual("float", single["precision"])
        self.assertAlmostEqual(double["rms_error"], single["rms_error"], delta=1e-5)
        self.ok("transform", "m.mercer", "x.npy", "--out", "z.npy")
        self.assertEqual(np.float32, self.load("z.npy").dtype)


class KernelOnCores(TensorTest):
    def test_it_is_kernel_pca_of_the_cores(self):
        self.noise(shape=(12, 7, 6))
        self.ok("svd2d", "x.npy", "--ranks", "3,2", "--out", "cores.npy")
        cores = self.report("kpca", "cores.npy", "--kernel", "rbf(gamma=0.05)", "-k", 3)
        for kernel in ("rbf(gamma=0.05)", "tensor-rbf(gamma=0.05)"):
            stack = self.report("kpca", "x.npy", "--tensor", "--ranks", "3,2", "--kernel", kernel, "-k", 3, "--model", "m.mercer",
                                "--out", "z.csv")
            np.testing.assert_allclose(stack["gram_eigenvalues"], cores["gram_eigenvalues"], rtol=1e-8)
            self.assertEqual(("tensor-kpca", [12, 7, 6], [3, 2]), (stack["method"], stack["shape"], stack["ranks"]))
        self.ok("transform", "m.mercer", "x.npy", "--out", "again.csv")
        np.testing.assert_allclose(self.table("again.csv")[1], self.table("z.csv")[1], atol=1e-10)
        self.assertEqual("pc1", self.table("again.csv")[0][0])
        self.ok("plot", "m.mercer", "--out", "m.svg")
        self.ok("inverse", "m.mercer", "z.csv", "--out", "back.npy")
        self.assertEqual((12, 7, 6), self.load("back.npy").shape)
        self.assertIn("cores", self.ok("info", "m.mercer"))
        self.assertIn("cores of 3 x 2", self.ok("kpca", "x.npy", "--tensor", "--ranks", "3,2", "--explain"))

    def test_what_does_not_go_together(self):
        self.noise(shape=(12, 7, 6))
        self.assertIn("--tensor", self.fails(2, "kpca", "x.npy", "--ranks", "3,2"))
        self.assertIn("--tensor", self.fails(2, "kpca", "x.npy", "--kernel", "tensor-rbf(gamma=1)"))
        self.assertIn("--ranks", self.fails(2, "kpca", "x.npy", "--tensor"))
        self.assertIn("1 rank for samples of 7 x 6 (2 are needed", self.fails(2, "kpca", "x.npy", "--tensor", "--ranks", "3"))
        for option in (["--label", 1], ["--rank", 3], ["--features", 10], ["--transpose"], ["--route", "dense"]):
            self.fails(2, "kpca", "x.npy", "--tensor", "--ranks", "3,2", *option)
        self.fails(2, "kpca", "x.npy", "--tensor", "--ranks", "8,2", "--model", "m.mercer")


class Around(TensorTest):
    METHODS = (("tucker", "--ranks", "3,3,2"), ("cp", "--rank", 2), ("svd2d", "--ranks", "3,2"))

    def test_models_tell_what_they_are_and_are_drawn(self):
        self.ok("generate", "spots", "--n", 9, "--out", "x.npy")
        for method, *options in self.METHODS:
            fitted = self.report(method, "x.npy", *options, "--model", "m.mercer")
            info = json.loads(self.ok("info", "m.mercer", "--json"))
            for field in ("method", "shape", "ranks", "relative_error", "explained", "kept", "known", "weights", "errors"):
                self.assertEqual(fitted[field], info[field])
            self.assertTrue(info["inverse"])
            self.assertEqual(32 * 32, info["features"])
            text = self.ok("info", "m.mercer")
            self.assertIn(f"{method} model, samples of 32 x 32", text)
            self.assertNotIn("nan", text)
            self.ok("plot", "m.mercer", "--out", "m.svg", "--title", "A picture")
            self.assertIn("A picture", (self.folder / "m.svg").read_text())
            self.ok("plot", "m.mercer", "--scree", "--out", "scree.svg")
            self.ok("plot", "m.mercer", "--components", "1,2", "--out", "scores.svg")
            self.ok("plot", "m.mercer", "--data", "x.npy", "--out", "rebuilt.png")
            self.assertIn("different pictures", self.fails(2, "plot", "m.mercer", "--data", "x.npy", "--scree", "--out", "no.png"))

    def test_summaries_fit_a_screen_and_name_what_was_written(self):
        self.ok("generate", "spots", "--n", 9, "--out", "x.npy")
        for method, *options in self.METHODS:
            text = self.ok(method, "x.npy", *options, "--model", "m.mercer", "--out", "z.csv", "--reconstruct", "y.npy")
            self.assertLessEqual(len(text.splitlines()), 20)
            for words in (f"{method} of 9 x 32 x 32 -> ", "relative error", "numbers instead of 9,216", "m.mercer", "z.csv", "y.npy"):
                self.assertIn(words, text)
            self.assertEqual("", self.ok(method, "x.npy", *options, "--quiet"))
            header, rows = parse_csv(self.ok(method, "x.npy", *options, "--out", "-"))
            self.assertEqual((9, len(header)), rows.shape)

    def test_plans_are_explained_and_nothing_is_written(self):
        self.noise()
        for method, *options in self.METHODS:
            before = sorted(self.folder.iterdir())
            text = self.ok(method, "x.npy", *options, "--explain", "--model", "m.mercer", "--out", "z.csv")
            self.assertRegex(text, r"memory +\S+ .*of a budget of")
            plan = json.loads(self.ok(method, "x.npy", *options, "--explain", "--json"))
            self.assertEqual(([7, 6, 5], method), (plan["shape"], plan["method"]))
            self.assertGreater(plan["plan"]["flops"], 0)
            self.assertEqual(before, sorted(self.folder.iterdir()))

    def test_little_memory_is_an_error_before_the_work(self):
        self.noise(shape=(40, 30, 20))
        for method, *options in self.METHODS:
            self.fails(4, method, "x.npy", *options, "--memory", 1000, "--out", "z.csv")

    def test_generated_arrays(self):
        self.assertIn("fluorescence", self.ok("generate", "--list"))
        self.ok("generate", "fluorescence", "--n", 6, "--seed", 2, "--out", "a.npy")
        self.ok("generate", "fluorescence", "--n", 6, "--seed", 2, "--out", "b.npz")
        a = self.load("a.npy")
        self.assertEqual((6, 60, 40), a.shape)
        self.assertGreaterEqual(a.min(), 0)
        np.testing.assert_array_equal(a, self.load("b.npz")["tensor"])
        self.assertIn("--out FILE.npy", self.fails(2, "generate", "spots"))
        self.assertIn("npy, npz or tns", self.fails(2, "generate", "spots", "--out", "x.csv"))
        self.fails(2, "generate", "spots", "--d", 3, "--out", "x.npy")

    def test_arrays_are_converted(self):
        x = self.noise()
        x[x < 0] = 0
        x[-1, -1, -1] = 2
        self.save("x.npy", x)
        self.ok("convert", "x.npy", "x.npz")
        np.testing.assert_array_equal(self.load("x.npz")["tensor"], x)
        self.ok("convert", "x.npz", "x.tns")
        self.assertEqual(np.count_nonzero(x), len((self.folder / "x.tns").read_text().split("\n")) - 1)
        self.ok("convert", "x.tns", "back.npy")
        np.testing.assert_array_equal(self.load("back.npy"), x)
        self.ok("convert", "x.tns", "again.tns")
        self.ok("convert", "x.npy", "flat.csv")
        np.testing.assert_allclose(parse_csv(self.header(30) + (self.folder / "flat.csv").read_text())[1], x.reshape(7, -1))
        table = self.points("t.csv", 5, 3)
        self.ok("convert", "t.csv", "t.tns")
        self.ok("convert", "t.tns", "t.npy")
        np.testing.assert_allclose(self.load("t.npy"), table)
        self.ok("convert", "t.csv", "two.npy")
        self.ok("convert", "two.npy", "two.npz")
        np.testing.assert_allclose(self.load("two.npz")["data"], table)
        self.fails(2, "convert", "x.tns", "y.npy", "--transpose")

    def header(self, count):
        return ",".join(f"x{i}" for i in range(count)) + "\n"


class Errors(TensorTest):
    def test_ranks_that_do_not_fit(self):
        self.noise()
        for options in (["--ranks", "8,2,2"], ["--ranks", "2,2,6"]):
            self.fails(2, "tucker", "x.npy", *options, "--out", "z.csv")
        self.assertIn("2 ranks for an array of 7 x 6 x 5 (3 are needed, one a mode)", self.fails(2, "tucker", "x.npy", "--ranks", "10,10"))
        self.assertIn("3 ranks for matrices of 6 x 5 (2 are needed", self.fails(2, "svd2d", "x.npy", "--ranks", "2,2,2"))
        self.fails(2, "svd2d", "x.npy", "--ranks", "7,2", "--model", "m.mercer")
        for wrong in ("0,2,2", "2,,2", "2,2,x", "-1,2,2", "2.5,2,2", ","):
            self.assertIn("is no rank", self.fails(2, "tucker", "x.npy", "--ranks", wrong))
        self.assertIn("--error E", self.fails(2, "tucker", "x.npy"))
        self.fails(2, "tucker", "x.npy", "--ranks", "2,2,2", "--error", 0.1)
        self.fails(2, "tucker", "x.npy", "--error", -1)
        self.fails(2, "tucker", "x.npy", "--ranks", "2,2,2", "--sample-mode", 3)
        self.assertIn("--rank", self.fails(2, "cp", "x.npy"))
        self.fails(2, "cp", "x.npy", "--rank", 0)
        self.fails(2, "cp", "x.npy", "--rank", 2, "--sample-mode", 3)

    def test_arrays_that_do_not_do(self):
        self.noise("flat.npy", (7, 6))
        self.assertIn("samples x height x width", self.fails(65, "svd2d", "flat.npy", "--ranks", "2,2"))
        self.save("empty.npy", np.zeros((3, 0, 2)))
        x = self.noise("gap.npy")
        x[1, 2, 3] = np.nan
        self.save("gap.npy", x)
        x[1, 2, 3] = np.inf
        self.save("inf.npy", x)
        for method, *options in Around.METHODS:
            for name in ("empty.npy", "gap.npy", "inf.npy"):
                self.fails(65, method, name, *options, "--model", "m.mercer", "--out", "z.csv")
            self.fails(66, method, "absent.npy", *options)
            self.write("words.csv", "a,b\n1,2\n")
            self.fails(2, method, "words.csv", *options)
        self.write("short.tns", "1 1 1 2.5\n2 2 3\n")
        self.assertIn("short.tns:2", self.fails(65, "cp", "short.tns", "--rank", 1, "--out", "z.csv"))
        self.write("zero.tns", "0 1 1 2.5\n")
        self.assertIn("zero.tns:1", self.fails(65, "tucker", "zero.tns", "--ranks", "1,1,1"))
        self.write("good.tns", "1 1 1 2.5\n2 2 2 1\n")
        self.assertIn("sparse", self.fails(2, "svd2d", "good.tns", "--ranks", "1,1"))
        (self.folder / "nothing").mkdir()
        self.fails(65, "svd2d", "nothing", "--ranks", "1,1")

    def test_outputs_that_cannot_be(self):
        self.noise()
        for method, *options in Around.METHODS:
            self.fails(2, method, "x.npy", *options, "--reconstruct", "y.csv")
            self.fails(73, method, "x.npy", *options, "--reconstruct", "no/y.npy")
            self.fails(2, method, "x.npy", *options, "--reconstruct", "x.npy")
            self.fails(2, method, "x.npy", *options, "--json", "--out", "-")
        self.ok("tucker", "x.npy", "--ranks", "2,2,2", "--model", "m.mercer", "--out", "z.csv")
        self.fails(73, "inverse", "m.mercer", "z.csv", "--out", "no/y.npy")
        self.noise("wrong.npy", (3, 6, 4))
        for wrong in (("transform", "m.mercer", "wrong.npy", "--out", "w.csv"), ("plot", "m.mercer", "--data", "wrong.npy", "--out", "w.png")):
            message = self.fails(65, *wrong)
            self.assertIn("wrong.npy", message)
            self.assertIn("3 x 6 x 4", message)
        self.points("z2.csv", 4, 3)
        self.assertIn("expected 2 columns", self.fails(65, "inverse", "m.mercer", "z2.csv", "--out", "w.npy"))
        self.ok("pca", DIGITS, "--label", 64, "--model", "pca.mercer")
        self.assertIn("--data", self.fails(2, "plot", "pca.mercer", "--data", "x.npy", "--out", "w.png"))


if __name__ == "__main__":
    unittest.main()
