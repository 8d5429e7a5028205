"""Memory budgets, kept to by the real program: measured from outside, in a child process."""
import json
import unittest

import numpy as np
from support import SLOW_BUILD, CliTest

N = 2000 if SLOW_BUILD else 8000
SLACK = 100e6  # the program itself, its libraries, the threads' stacks and BLAS's buffers


class Memory(CliTest):
    def generate(self, name, n=N, d=10):
        self.ok("generate", "gaussians", "--n", n, "--d", d, "--clusters", 8, "--scale", "standardize", "--out", name)

    def plan(self, *options):
        return self.report(*options, "--explain")["plan"]

    def fit(self, budget, *options, slack=SLACK):
        """The report, after the memory it took was compared with what it said and was allowed."""
        out, peak = self.measured(*options, "--memory", int(budget), "--json")
        report = json.loads(out)
        self.assertLessEqual(report["plan"]["bytes"], budget)
        if not SLOW_BUILD:  # sanitizers have memory of their own
            self.assertLessEqual(peak, budget + slack, report["plan"])
        return report

    def test_the_memory_of_whoever_starts_the_program_is_not_its_own(self):
        self.points(n=50)
        ballast = np.ones(40_000_000)  # 320 MB
        out, peak = self.measured("kpca", "points.csv", "--json")
        if not SLOW_BUILD:
            self.assertLess(peak, 200e6)
            # Started from here without anything between: the program itself knows better than the system.
            self.assertLess(self.report("kpca", "points.csv")["peak_bytes"], 200e6)
            self.assertLess(abs(json.loads(out)["peak_bytes"] - peak), 20e6)
        del ballast

    def test_every_exact_route_keeps_to_its_budget_and_gives_the_same_answer(self):
        self.generate("x.npy")
        fit = ["kpca", "x.npy", "--kernel", "rbf(gamma=0.05)", "-k", "5"]
        need = {route: self.plan(*fit, "--route", route, "--memory", "64G")["bytes"] for route in ("stored", "tiled")}
        self.assertLess(need["tiled"], need["stored"])
        stored = self.fit(need["stored"] * 1.01, *fit)
        self.assertEqual("stored", stored["plan"]["route"])
        self.assertNotIn("kept in float", stored["plan"]["reason"])
        # A budget just below: the same route with half the bytes a number; below that, nothing is kept.
        in_float = self.fit(need["stored"] * 0.99, *fit)
        self.assertEqual("stored", in_float["plan"]["route"])
        self.assertIn("kept in float", in_float["plan"]["reason"])
        self.assertLess(in_float["plan"]["bytes"], 0.75 * need["stored"])
        tiled = self.fit(max(need["tiled"] * 1.01, 0.9 * in_float["plan"]["bytes"]), *fit)
        if need["tiled"] < 0.9 * in_float["plan"]["bytes"]:
            self.assertEqual("tiled", tiled["plan"]["route"])
        tight = self.fit(need["tiled"] * 1.001, *fit, "--route", "tiled")
        for other in (in_float, tiled, tight):
            np.testing.assert_allclose(other["gram_eigenvalues"], stored["gram_eigenvalues"], rtol=1e-9)
            self.assertLessEqual(max(other["residuals"]), 1e-10 * stored["gram_eigenvalues"][0])

    def test_kernels_that_may_be_indefinite_keep_to_it_too(self):
        self.generate("x.npy", n=2000 if SLOW_BUILD else 6000, d=12)
        self.points(n=50)
        itself = self.measured("kpca", "points.csv")[1]  # 40 MB or so: what remains would hide in the usual slack
        fit = ["kpca", "x.npy", "--kernel", "rbf(gamma=0.2) - 0.3*rbf(gamma=0.8)", "--indefinite", "clip", "-k", "5"]
        for route in ("tiled", "stored"):
            need = self.plan(*fit, "--route", route)["bytes"]
            report = self.fit(need * 1.01, *fit, "--route", route, slack=itself + 10e6)
            self.assertEqual(route, report["plan"]["route"])

    def test_many_features_keep_to_it_in_all_their_copies(self):
        n = d = 600 if SLOW_BUILD else 2000  # 32 MB; far from the mean, so that distances need shifted copies
        random = np.random.default_rng(4)
        x = random.normal(size=(n, 6)) @ random.normal(size=(6, d)) + 10
        np.save(self.folder / "double.npy", x)
        np.save(self.folder / "float.npy", x.astype(np.float32))
        for precision, options in (("double", ["--route", "tiled"]), ("double", ["--route", "stored", "--scale", "standardize"]),
                                   ("double", ["--rank", "50"]), ("float", ["--route", "tiled"]), ("float", ["--rank", "50"])):
            with self.subTest(precision=precision, options=options):
                fit = ["kpca", f"{precision}.npy", "--precision", precision, "-k", "5", "--kernel", f"rbf(gamma={0.05 / d})", *options]
                self.fit(self.plan(*fit)["bytes"] * 1.01, *fit, slack=0.7 * SLACK)

    def test_without_room_for_an_exact_route_it_says_what_each_needs(self):
        self.generate("x.npy", n=6000)
        fit = ["kpca", "x.npy", "--kernel", "rbf(gamma=0.05)", "-k", "5"]
        tiled = self.plan(*fit, "--route", "tiled")["bytes"]
        budget = int(0.6 * tiled)
        message = self.fails(4, *fit, "--memory", budget)
        for said in ("dense would need", "stored would need", "tiled would need", "raise --memory to at least", "--route lowrank"):
            self.assertIn(said, message)
        for route in ("dense", "stored", "tiled"):
            self.assertIn(f"route {route} needs", self.fails(4, *fit, "--memory", budget, "--route", route))
        # And what it offers it can do.
        report = self.fit(budget, *fit, "--route", "lowrank")
        self.assertEqual("lowrank", report["plan"]["route"])

    def test_low_rank_keeps_to_its_budget(self):
        n, rank = (3000, 50) if SLOW_BUILD else (60000, 300)  # a second copy of the factor would be seen
        self.generate("x.npy", n=n)
        fit = ["kpca", "x.npy", "--kernel", "rbf(gamma=0.05)", "-k", "5", "--rank", rank]
        report = self.fit(self.plan(*fit)["bytes"] * 1.01, *fit)
        self.assertEqual(rank, report["rank"])

    def test_text_is_read_in_pieces_that_fit_a_small_budget(self):
        n = 8000 if SLOW_BUILD else 80000
        itself = self.measured("kernels")[1]
        block = np.random.default_rng(5).normal(size=(1000, 10))
        text = "".join(",".join(f"{v:.17g}" for v in row) + "\n" for row in block)
        with open(self.folder / "x.csv", "w") as csv:  # 16 MB, of which 8 MB of numbers would be held at a time
            for _ in range(n // 1000):
                csv.write(text)
        report = self.fit(12e6, "kpca", "x.csv", "--kernel", "rbf(gamma=0.05)", "-k", "3", "--rank", "30", slack=itself + 6e6)
        self.assertEqual((n, "lowrank"), (report["n"], report["plan"]["route"]))

    def test_data_larger_than_the_budget_is_fitted_and_taken_in_by_passes(self):
        n, d = (20000, 80) if SLOW_BUILD else (250000, 80)  # 160 MB: more than the budget and the slack together
        block = np.random.default_rng(3).integers(0, 10, size=(min(n, 5000), d))
        text = "".join(",".join(map(str, row)) + "\n" for row in block.tolist())
        with open(self.folder / "x.npy", "wb") as npy, open(self.folder / "x.csv", "w") as csv:
            np.lib.format.write_array_header_1_0(npy, {"descr": "<f8", "fortran_order": False, "shape": (n, d)})
            for _ in range(n // len(block)):
                npy.write(block.astype("<f8").tobytes())
                csv.write(text)
        budget = n * d * 8 / 4
        values = []
        for data in ("x.npy", "x.csv"):
            report = self.fit(budget, "kpca", data, "--kernel", "rbf(gamma=0.0005)", "-k", "4", "--rank", "30",
                              "--model", "m.mercer")
            self.assertEqual((n, "lowrank"), (report["n"], report["plan"]["route"]))
            values.append(report["gram_eigenvalues"])
            report = self.fit(budget, "update", "m.mercer", data, "--model", "twice.mercer", "--max-rank", "35", "--out", "z.npy")
            self.assertEqual(2 * n, report["n"])
        np.testing.assert_allclose(values[0], values[1], rtol=1e-9)


if __name__ == "__main__":
    unittest.main()
