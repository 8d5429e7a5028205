"""What all campaigns of faults share: the program in a folder of its own with good old outputs, and what must hold
after a run that something was done to: a documented exit code, one clear line, old or new files and no others."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile

PROGRAM = os.environ.get("MERCER_PROGRAM", "mercer")
EXITS = {0, 2, 3, 4, 5, 65, 66, 69, 73, 74, 130}  # 70 is a bug of ours, whatever happens around us
NEVER_SAID = ("terminate called", "bad_alloc", "std::", "what():", "this is a bug", "Traceback", "SIGBUS", "Segmentation")
HANGS_AFTER = 60  # seconds; the longest command takes one, or a few on a busy machine


def environment(**more):
    """Two threads also where there is one processor; nothing kept from run to run."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MERCER_FAULTS") and k != "LD_PRELOAD"}
    return {**kept, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2", "MERCER_CACHE": "off", "NO_COLOR": "1", **more}


def model_is_whole(data):
    """A model file's header says how long it is."""
    if len(data) < 9:
        return False
    length = struct.unpack("<Q", data[:8])[0]
    try:
        header = json.loads(data[8:8 + length])
    except ValueError:
        return False
    ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    return 8 + length + max(ends, default=0) == len(data)


def shape_of(text):
    """Lines, columns of each, and whether the last one ends."""
    lines = text.split(b"\n")
    return [line.count(b",") for line in lines] if text.endswith(b"\n") else None


class Scenario:
    """One command of the program: what it reads, what it writes over."""

    def __init__(self, name, arguments, outputs=(), stdin=None):
        self.name, self.arguments, self.outputs, self.stdin = name, [str(a) for a in arguments], list(outputs), stdin

    def command(self):
        return "mercer " + " ".join(self.arguments)


class Stage:
    """A folder with inputs and old outputs. reset() makes it as it was; state_of() says what an output is now."""

    def __init__(self, inputs):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="mercer-faults-"))
        self.folder = self.root / "work"
        self.folder.mkdir()
        self.inputs = inputs  # a folder
        self.old, self.new, self.before = {}, {}, set()

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def start(self, arguments, program=None, **options):
        env = environment(**options.pop("env", {}))
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.folder, **options}
        return subprocess.Popen([*(program or [PROGRAM]), *map(str, arguments)], env=env, **options)

    def run(self, arguments, **options):
        process = self.start(arguments, **options)
        try:
            out, err = process.communicate(timeout=HANGS_AFTER)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, b"", b""
        return process.returncode, out or b"", err or b""

    def prepare(self, scenario):
        """The inputs, and as old outputs those of a run before; `new` is what a good run writes."""
        for entry in self.folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for entry in self.inputs.iterdir():
            (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, self.folder / entry.name)
        code, _, err = self.run(scenario.arguments)
        if code != 0:
            raise RuntimeError(f"{scenario.command()}: {code}: {err.decode()}")
        self.new = {name: (self.folder / name).read_bytes() for name in scenario.outputs}
        self.old = {name: b"the old one, " + name.encode() for name in scenario.outputs}
        self.before = {entry.name for entry in self.folder.iterdir()}
        self.reset()

    def reset(self):
        for entry in self.folder.iterdir():
            if entry.name not in self.before:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for name, data in self.old.items():
            (self.folder / name).write_bytes(data)

    def state_of(self, name):
        path = self.folder / name
        if not path.exists():
            return "gone"
        data = path.read_bytes()
        if data == self.old[name]:
            return "old"
        if data == self.new[name] or (name.endswith(".mercer") and model_is_whole(data)):
            return "new"
        if name.endswith((".png", ".pdf", ".npz", ".npy")) and len(data) == len(self.new[name]):
            return "new"  # they hold the time, or rounding of another route
        if name.endswith((".csv", ".svg")) and shape_of(data) == shape_of(self.new[name]):
            return "new"
        return "half"

    def faults_of(self, code, err, allowed=EXITS, quiet=()):
        """What is wrong after a run, in words; an empty list is a clean run. `quiet`: codes that need no words."""
        wrong, text = [], err.decode(errors="replace")
        if code is None:
            return ["hangs"]
        if code not in allowed:
            wrong.append(f"exit {code}")
        if code != 0 and code not in quiet and not (text.startswith("mercer: ") and len(text) > 12):
            wrong.append("no message")
        if code not in (0, None) and text.count("\n") > 1 and code not in quiet:
            wrong.append("more than one line")
        wrong += [f"says '{word}'" for word in NEVER_SAID if word in text]
        for name in self.old:
            state = self.state_of(name)
            if state in ("gone", "half") or (code == 0 and state == "old"):
                wrong.append(f"{name} is {state}")
        left = {entry.name for entry in self.folder.iterdir()} - self.before
        if left:
            wrong.append("leaves " + ", ".join(sorted(left)))
        return wrong


class Tally:
    """The table: a line a scenario, and the findings with the command that shows each again."""

    def __init__(self, quiet=False):
        self.lines, self.findings, self.quiet = [], [], quiet

    def add(self, scenario, injected, clean, unharmed, findings):
        self.take([(scenario, injected, clean, unharmed, len(findings))], findings)

    def take(self, lines, findings):
        """Lines as add() makes them, perhaps in another process."""
        self.lines += lines
        self.findings += findings
        if self.quiet:
            return
        for line in lines:
            print("{:<44} {:>8} {:>8} {:>9} {:>8}".format(*line), flush=True)
        for finding in findings:
            print(f"  FINDING {finding}", flush=True)

    @staticmethod
    def head():
        print(f"{'scenario':<44} {'injected':>8} {'errors':>8} {'unharmed':>9} {'findings':>8}")

    def foot(self):
        sums = [sum(line[i] for line in self.lines) for i in range(1, 5)]
        print(f"{'all':<44} {sums[0]:>8} {sums[1]:>8} {sums[2]:>9} {sums[3]:>8}")
        return 1 if self.findings else 0
