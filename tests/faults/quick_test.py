"""The short part of the campaign of faults (./dev faults) that runs with every test: a few drawn faults of every kind,
each with the seed written here."""
import os
import pathlib
import tempfile
import unittest

import injected
import kills
import scenarios
import world
from harness import Stage, Tally


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="mercer-faults-")
        cls.addClassCleanup(folder.cleanup)
        scenarios.make_inputs(pathlib.Path(folder.name))
        cls.stage = Stage(pathlib.Path(folder.name))
        cls.addClassCleanup(cls.stage.close)

    def setUp(self):
        self.tally = Tally(quiet=True)

    def tearDown(self):
        self.assertGreater(sum(line[1] for line in self.tally.lines), 0)
        self.assertEqual([], self.tally.findings)

    def inject(self, name, most):
        scenario = next(s for s in scenarios.SCENARIOS if s.name == name)
        injected.inject(os.environ["MERCER_FAULTS_LIBRARY"], self.stage, scenario, injected.KINDS, self.tally, seed=7, most=most)

    def test_a_fit_ends_in_an_error_or_well_whatever_fails(self):
        self.inject("kpca npy tiled", 2)

    def test_a_fit_of_an_archive_in_pieces_ends_in_an_error_or_well(self):
        self.inject("kpca npz low rank", 1)

    def test_writing_an_archive_ends_in_an_error_or_well(self):
        self.inject("convert csv to npz", 2)

    def test_a_picture_ends_in_an_error_or_well(self):
        self.inject("plot svg", 1)

    def test_killed_runs_leave_old_files_or_new_ones(self):
        kills.kill_many(self.stage, self.tally, 27, seed=7)
        kills.two_writers(self.stage, self.tally, 3, seed=7)

    def test_streams_limits_and_outputs_over_inputs(self):
        self.stage.prepare(scenarios.SCENARIOS[0])
        world.World(self.stage, self.tally, seed=7, most=2).all(["devices", "onto_itself", "closed_streams", "largest_file", "leftovers", "names"])


if __name__ == "__main__":
    unittest.main()
