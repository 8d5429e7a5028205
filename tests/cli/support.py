"""Runs the real program in a folder of its own. A failing command must leave that folder as it was."""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ["MERCER_PROGRAM"]
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "data"
DIGITS = str(EXAMPLES / "digits.csv.gz")
# A process begins with the memory of the one it was forked from, and the system counts that as its own peak:
# this small one between the tests and the program keeps theirs out of it.
MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as peak: peak.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""
SLOW_BUILD = bool(os.environ.get("MERCER_SANITIZE"))


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mercer-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        cache = tempfile.TemporaryDirectory(prefix="mercer-cache-")  # never the user's own
        self.addCleanup(cache.cleanup)
        self.cache = pathlib.Path(cache.name)

    def start(self, *arguments, **options):
        """The program as it is started everywhere here: no colour, no terminal, in the folder."""
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        environment["XDG_CACHE_HOME"] = str(self.cache)
        environment.update(options.pop("env", {}))
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        program = options.pop("program", [PROGRAM])
        return subprocess.Popen([*program, *map(str, arguments)], cwd=self.folder, env=environment, **options)

    def mercer(self, *arguments, stdin=None, **options):
        if stdin is not None:
            options["stdin"] = subprocess.PIPE
        process = self.start(*arguments, **options)
        out, err = process.communicate(stdin.encode() if stdin is not None else None, timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, (out or b"").decode(), (err or b"").decode())

    def ok(self, *arguments, **options):
        """Runs, expects success, gives stdout."""
        done = self.mercer(*arguments, **options)
        self.assertEqual(0, done.returncode, f"mercer {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def measured(self, *arguments, **options):
        """Runs, expects success, gives stdout and the most memory that the program had, in bytes."""
        peak = self.cache / "peak"
        done = self.mercer(*arguments, program=[sys.executable, "-S", "-E", "-c", MEASURE, str(peak), PROGRAM], **options)
        self.assertEqual(0, done.returncode, f"mercer {' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout, int(peak.read_text()) * 1024

    def peak_megabytes(self, *arguments, **options):
        return self.measured(*arguments, **options)[1] / 2**20

    def report(self, *arguments, **options):
        return json.loads(self.ok(*arguments, "--json", **options))

    def fails(self, code, *arguments, **options):
        """Runs, expects that exit code, one 'mercer: ...' line on stderr, nothing on stdout, no file left."""
        before = sorted(self.folder.rglob("*"))
        done = self.mercer(*arguments, **options)
        self.assertEqual(code, done.returncode, f"mercer {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        self.assertEqual("", done.stdout)
        self.assertTrue(done.stderr.startswith("mercer: "), done.stderr)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        self.assertEqual(before, sorted(self.folder.rglob("*")))
        return done.stderr

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def points(self, name="points.csv", n=30, d=3, seed=0):
        """A file of normal numbers, and the numbers."""
        x = np.random.default_rng(seed).normal(size=(n, d))
        np.savetxt(self.folder / name, x, delimiter=",", fmt="%.17g")
        return x

    def table(self, name):
        """A CSV file's header and numbers."""
        return parse_csv((self.folder / name).read_text())


def parse_csv(text, delimiter=","):
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    return rows[0], np.array([[float(cell) for cell in row] for row in rows[1:]])


def centred(k):
    h = np.eye(len(k)) - 1 / len(k)
    return h @ k @ h


def rbf(x, gamma):
    return np.exp(-gamma * ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2))


def kernel_pca(k, count):
    """Eigenvalues and scores of kernel PCA by numpy, for a kernel matrix."""
    values, vectors = np.linalg.eigh(centred(k))
    values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    return values, vectors * np.sqrt(np.maximum(values, 0))


def same_up_to_sign(a, b, tolerance):
    signs = np.sign((a * b).sum(axis=0))
    return np.abs(a - b * signs).max() <= tolerance
