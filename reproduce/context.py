"""What a reproduced table is given: the program, the data where it is, a scratch folder, and how thorough to be."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Skip(Exception):
    """The table cannot be made here; the message says what is missing."""


class Context:
    def __init__(self, folder, quick=False, seed=0, program=None):
        self.folder = pathlib.Path(folder)  # scratch, removed afterwards
        self.quick = quick
        self.seed = seed
        self.program = str(program or os.environ.get("MERCER_PROGRAM") or ROOT / "build/release/bin/mercer")
        self.data_folder = pathlib.Path(os.environ.get("MERCER_DATA") or ROOT.parent / "shared" / "data")

    def data(self, name):
        """The path of a file of the data folder."""
        path = self.data_folder / name
        if not path.exists():
            raise Skip(f"the data is not here: no {name} in MERCER_DATA or ../shared/data")
        return path

    def mercer(self, *arguments):
        """Runs the program in the scratch folder and gives its standard output."""
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={"OMP_WAIT_POLICY": "passive", **os.environ})
        if done.returncode != 0:
            raise RuntimeError(f"mercer {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def report(self, *arguments):
        """The same with --json, understood."""
        return json.loads(self.mercer(*arguments, "--json"))
