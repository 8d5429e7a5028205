#!/usr/bin/python3
"""./dev reproduce itself: what it says about tables that work, that cannot be made here, and that fail."""
import argparse
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "reproduce"
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
import context  # noqa: E402
import run  # noqa: E402


def made(table):
    module = types.SimpleNamespace(TITLE="a title", SOURCE="somebody, table 1", NOTES="what\n differs", table=table)
    with contextlib.redirect_stderr(io.StringIO()):
        return run.make("T0", module, argparse.Namespace(quick=True, seed=3))


class Harness(unittest.TestCase):
    def test_published_and_ours_stand_beside_each_other_with_their_difference_and_source(self):
        table = made(lambda _: iter([("error", "p = 2", 4.9, 5.2), ("error", "p = 3", None, 4.5)]))
        for text in (run.text_of(table), run.markdown_of(table)):
            self.assertRegex(text, r"error\W+p = 2\W+4\.90\W+5\.20\W+\+0\.30")
            self.assertRegex(text, r"error\W+p = 3\W+–\W+4\.50")
            self.assertIn("somebody, table 1", text)
            self.assertIn("what differs", text)

    def test_missing_data_skips_a_table_and_says_which(self):
        old = os.environ.get("MERCER_DATA")
        os.environ["MERCER_DATA"] = "/nowhere"
        try:
            table = made(lambda given: iter([("a", "b", 1, given.data("usps/train_images.npy"))]))
        finally:
            os.environ.pop("MERCER_DATA") if old is None else os.environ.update(MERCER_DATA=old)
        self.assertEqual("skipped", table["status"])
        self.assertIn("usps/train_images.npy", run.text_of(table))

    def test_a_table_that_fails_keeps_what_it_had_and_is_reported(self):
        def table(given):
            yield "a", "b", 1.0, 1.0
            given.mercer("no-such-command")
        failed = made(table)
        self.assertEqual(("failed", 1), (failed["status"], len(failed["rows"])))
        self.assertIn("no-such-command", run.text_of(failed))

    def test_every_table_says_what_it_is(self):
        for stem in run.modules().values():
            module = __import__(stem)
            self.assertTrue(module.TITLE and module.SOURCE and module.NOTES and callable(module.table), stem)

    def test_the_program_skips_what_it_has_no_data_for_and_ends_well(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", FOLDER / "run.py", "--quick", "T1", "--json", "-"], capture_output=True,
                                  text=True, env={**os.environ, "MERCER_DATA": folder})
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["skipped"], [table["status"] for table in json.loads(done.stdout)["tables"]])

    def test_a_table_that_is_not_there_is_answered_with_those_that_are(self):
        done = subprocess.run([sys.executable, "-B", FOLDER / "run.py", "T99"], capture_output=True, text=True)
        self.assertEqual(2, done.returncode)
        self.assertIn("T5", done.stderr)

    def test_the_scratch_folder_and_the_seed_reach_the_table(self):
        seen = {}

        def table(given: context.Context):
            seen.update(folder=given.folder.is_dir(), quick=given.quick, seed=given.seed)
            yield "a", "b", None, "words"
        self.assertIn("words", run.text_of(made(table)))
        self.assertEqual({"folder": True, "quick": True, "seed": 3}, seen)


if __name__ == "__main__":
    unittest.main()
