"""What can happen around the program without any trick: a full disk, a folder that cannot be written to, streams that
are closed, limits, an output that is its input, an input that changes while it is read."""
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

from harness import EXITS, PROGRAM, Scenario, model_is_whole
from scenarios import KERNEL, fit, npy

IO = {0, 74}


CHECKS = ["disk_full", "read_only", "devices", "onto_itself", "closed_streams", "largest_file", "few_descriptors", "little_memory",
          "changing_input", "leftovers", "names"]


def limited(which, amount):
    def limit():
        resource.setrlimit(which, (amount, amount))
    return limit


class World:
    """Each check is a method; check() counts, and says what is wrong together with the command."""

    def __init__(self, stage, tally, seed, most=None):
        self.stage, self.tally, self.most = stage, tally, most
        self.draw = random.Random(seed)

    def all(self, names):
        for name in names:
            self.injected, self.errors, self.unharmed, self.findings, self.title = 0, 0, 0, [], f"world: {name.replace('_', ' ')}"
            if getattr(self, name)() != "skipped":
                self.tally.add(self.title, self.injected, self.errors, self.unharmed, self.findings)

    def count(self, code, wrong, what):
        self.injected, self.errors, self.unharmed = self.injected + 1, self.errors + (code != 0), self.unharmed + (code == 0)
        if wrong:
            self.findings.append(f"{what}: {'; '.join(wrong)}\n  ./dev faults --world {self.title.split(': ')[1].replace(' ', '_')}")

    def check(self, scenario, exits=EXITS, note="", quiet=(), **options):
        code, out, err = self.stage.run(scenario.arguments, **options)
        wrong = self.stage.faults_of(code, err, exits, quiet)
        self.count(code, wrong, f"{scenario.command()} {note}, exit {code}: {err.decode(errors='replace').strip()[:300]}")
        self.stage.reset()
        return code, out, err

    def steps(self, values):
        values = list(values)
        return values if self.most is None or len(values) <= self.most else sorted(self.draw.sample(values, self.most))

    # --- what is written, and cannot be ---

    def mounted(self, scenario, mount, exits, note):
        """In a mount namespace of its own; what it leaves is copied out to be looked at."""
        seed, after = self.stage.root / "seed", self.stage.root / "after"
        for folder in (seed, after):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.stage.folder, seed)
        after.mkdir()
        script = f'{mount} && cd "$1" && shift && "$@"; code=$?; cp -a . {after}/; exit $code'
        code, _, err = self.stage.run([str(self.stage.folder), PROGRAM, *scenario.arguments],
                                      program=["unshare", "-rm", "sh", "-c", script, "sh"], cwd=self.stage.root)
        real, self.stage.folder = self.stage.folder, after
        wrong = self.stage.faults_of(code, err, exits)
        self.stage.folder = real
        self.count(code, wrong, f"{scenario.command()} {note}, exit {code}: {err.decode(errors='replace').strip()[:300]}")

    @staticmethod
    def can_mount():
        return subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0

    def disk_full(self):
        if not self.can_mount():
            print("world: disk full: skipped, no mount namespaces here")
            return "skipped"
        for scenario in (Scenario("fit", fit("kpca", "d.npy", *KERNEL), ("s.csv", "m.mercer")),
                         Scenario("npz", ["transform", "kpca.mercer", "d.npy", "--out", "s.npz"], ["s.npz"]),
                         Scenario("gz", ["convert", "d.npy", "c.csv.gz"], ["c.csv.gz"]),
                         Scenario("plot", ["plot", "z.csv", "--out", "p.svg"], ["p.svg"])):
            self.stage.prepare(scenario)
            used = sum((p.stat().st_size + 4095) // 4096 * 4 for p in self.stage.folder.iterdir())
            for more in self.steps(range(0, 33, 4)):
                mount = (f"mount -t tmpfs -o size={used + more}k tmpfs {self.stage.folder} && "
                         f"cp {self.stage.root}/seed/* {self.stage.folder}/")
                self.mounted(scenario, mount, {0, 73, 74}, f"with {more} kB left on the disk")

    def read_only(self):
        if not self.can_mount():
            print("world: read only: skipped, no mount namespaces here")
            return "skipped"
        folder = self.stage.folder
        for scenario in (Scenario("fit", fit("kpca", "d.npy", *KERNEL), ("s.csv", "m.mercer")),
                         Scenario("npz", ["transform", "kpca.mercer", "d.npy", "--out", "s.npz"], ["s.npz"]),
                         Scenario("plot", ["plot", "z.csv", "--out", "p.svg"], ["p.svg"])):
            self.stage.prepare(scenario)
            mount = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"
            self.mounted(scenario, mount, {73}, "in a folder that is read only")

    def devices(self):
        full = open("/dev/full", "wb")
        for arguments, options in ((fit("kpca", "d.npy", *KERNEL, outputs=()) + ["--model", "/dev/full"], {}),
                                   (["transform", "kpca.mercer", "d.npy"], {"stdout": full}),
                                   (["info", "kpca.mercer"], {"stdout": full}), (["--help"], {"stdout": full}),
                                   (["generate", "moons", "--n", 20], {"stdout": full}), (["plot", "z.csv", "--out", "/dev/full"], {})):
            scenario = Scenario("device", arguments)
            self.stage.old = {}
            self.stage.before = {p.name for p in self.stage.folder.iterdir()}
            self.check(scenario, {2, 74} if "plot" in arguments else {74}, "to /dev/full", quiet=(74,) if "--help" in arguments else (), **options)
        full.close()
        # A link that leads to a file is followed, not replaced: /dev/stdout must be there tomorrow.
        stage = self.stage
        target, link = stage.folder / "target.mercer", stage.folder / "link.mercer"
        link.symlink_to("target.mercer")
        code, _, err = stage.run(["pca", "d.npy", "--model", "link.mercer", "--quiet"])
        wrong = [] if code == 0 and link.is_symlink() and target.exists() and model_is_whole(target.read_bytes()) else ["the link is replaced"]
        self.count(code, wrong, f"--model to a link, exit {code}: {err.decode()}")
        for path in (link, target):
            path.unlink(missing_ok=True)

    def onto_itself(self):
        """Right, or refused with everything as it was."""
        for arguments, name in ((["transform", "kpca.mercer", "d.npy", "--out", "d.npy"], "d.npy"),
                                (["transform", "low.mercer", "d.npy", "--out", "d.npy"], "d.npy"),
                                (["convert", "d.npy", "d.npy"], "d.npy"), (["convert", "d.npz", "d.npz"], "d.npz"),
                                (["convert", "t.npy", "t.npy"], "t.npy"), (["convert", "d.libsvm", "d.libsvm"], "d.libsvm"),
                                (["convert", "d.csv.gz", "d.csv.gz", "--label", "class"], "d.csv.gz"),
                                (["inverse", "kpca.mercer", "z.csv", "--out", "z.csv"], "z.csv"),
                                (["update", "low.mercer", "d.npy", "--model", "low.mercer"], "low.mercer"),
                                (fit("kpca", "d.npy", outputs=()) + ["--model", "d.npy"], "d.npy"),
                                (fit("pca", "d.csv", "--label", "class", outputs=()) + ["--out", "d.csv"], "d.csv"),
                                (fit("tucker", "t.npy", "--ranks", "2,2,2", outputs=()) + ["--out", "t.npy"], "t.npy"),
                                (["update", "low.mercer", "d.npy", "--model", "d.npy"], "d.npy"),
                                (["transform", "kpca.mercer", "d.npy", "--out", "kpca.mercer"], "kpca.mercer")):
            stage = self.stage
            stage.old = {}
            kept = {p.name: p.read_bytes() for p in stage.folder.iterdir()}
            stage.before = set(kept)
            elsewhere = [f"other{pathlib.Path(a).suffixes and ''.join(pathlib.Path(a).suffixes[-2:] if a.endswith('.gz') else pathlib.Path(a).suffixes[-1:])}"
                         if i == len(arguments) - (3 if "--label" in arguments and arguments[0] == "convert" else 1) else a
                         for i, a in enumerate(map(str, arguments))]
            other = next(b for a, b in zip(map(str, arguments), elsewhere) if a != b)
            code, _, err = stage.run(elsewhere)
            expected = (stage.folder / other).read_bytes() if code == 0 else None
            (stage.folder / other).unlink(missing_ok=True)
            code, _, err = stage.run(arguments)
            now = {p.name: p.read_bytes() for p in stage.folder.iterdir()}
            wrong = [] if code in (0, 2) else [f"exit {code}"]
            if code == 0 and not (now[name] == expected or (name.endswith(".mercer") and model_is_whole(now[name])) or
                                  (name.endswith(".npz") and len(now[name]) == len(expected))):
                wrong.append("another result than elsewhere")
            now[name] = kept[name] if code == 0 else now[name]
            if now != kept:
                wrong.append("files are not as they were")
            self.count(code, wrong, f"mercer {' '.join(map(str, arguments))}, exit {code}: {err.decode().strip()[:200]}")
            for leftover in set(now) - set(kept):
                (stage.folder / leftover).unlink()
            for kept_name, data in kept.items():
                (stage.folder / kept_name).write_bytes(data)

    def closed_streams(self):
        scenario = Scenario("fit", fit("kpca", "d.npy", *KERNEL), ("s.csv", "m.mercer"))
        self.stage.prepare(scenario)
        for closed in ([0], [1], [2], [0, 1], [1, 2], [0, 1, 2]):
            def close(streams=tuple(closed)):
                for stream in streams:
                    os.close(stream)
            options = {"stdout": None} if 1 in closed else {}
            options = {**options, "stderr": None} if 2 in closed else options
            # A report that cannot be printed is a failure after the files were written.
            self.check(scenario, IO, f"with {closed} closed", quiet=(74,) if 2 in closed else (), preexec_fn=close, **options)
        for arguments in (["transform", "kpca.mercer", "d.npy"], ["info", "kpca.mercer", "--json"], ["kernels"]):
            plain = Scenario("out", arguments)
            self.stage.old = {}
            self.check(plain, {74}, ">&-", preexec_fn=lambda: os.close(1), stdout=None)
            code, out, err = self.stage.run(["-c", f'"{PROGRAM}" {" ".join(arguments)} | head -1; exit ${{PIPESTATUS[0]}}'], program=["bash"])
            wrong = ([] if code in (0, 128 + signal.SIGPIPE) else [f"exit {code}"]) + (["says something"] if err else [])
            self.count(code, wrong, f"mercer {' '.join(arguments)} | head -1: {err.decode()}")

    def largest_file(self):
        for scenario in (Scenario("fit", fit("kpca", "d.npy", *KERNEL), ("s.csv", "m.mercer")),
                         Scenario("npz", ["transform", "kpca.mercer", "d.npy", "--out", "s.npz"], ["s.npz"]),
                         Scenario("plot", ["plot", "z.csv", "--out", "p.png"], ["p.png"])):
            self.stage.prepare(scenario)
            for size in self.steps((0, 1, 100, 500, 1000, 2000, 4000, 8000, 16000)):
                self.check(scenario, IO, f"with files of at most {size} bytes", preexec_fn=limited(resource.RLIMIT_FSIZE, size))

    def few_descriptors(self):
        scenario = Scenario("fit", fit("kpca", "d.npz", *KERNEL), ("s.csv", "m.mercer"))
        self.stage.prepare(scenario)
        for count in self.steps(range(4, 14)):
            code, _, err = self.stage.run(["--version"], preexec_fn=limited(resource.RLIMIT_NOFILE, count))
            if code == 0:  # else not even the loader has enough
                self.check(scenario, {0, 66, 73, 74}, f"with {count} descriptors", preexec_fn=limited(resource.RLIMIT_NOFILE, count))

    def little_memory(self):
        """From the least address space in which the program can be loaded, upward until a fit works. With less OpenBLAS
        is not done with its own beginnings before main; see docs/reliability.md."""
        def fits(size):
            process = self.stage.start(["--version"], preexec_fn=limited(resource.RLIMIT_AS, size))
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            return process.returncode == 0
        low, high = 1 << 20, 1 << 33
        while high - low > 1 << 22:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        for scenario in (Scenario("fit", fit("kpca", "d.npy", *KERNEL, "--route", "dense"), ("s.csv", "m.mercer")),
                         Scenario("fit", fit("kpca", "d.npy", *KERNEL, "--route", "stored"), ("s.csv", "m.mercer")),
                         Scenario("plot", ["plot", "z.csv", "--out", "p.png"], ["p.png"])):
            self.stage.prepare(scenario)
            size, good = high, 0
            for _ in range(80 if self.most is None else 3 * self.most):
                code, _, _ = self.check(scenario, {0, 4, 74}, f"with {size >> 10} kB of address space", preexec_fn=limited(resource.RLIMIT_AS, size))
                good = good + 1 if code == 0 else 0
                if good == 3:
                    break
                size += (1 << 20) * self.draw.randint(1, 15)

    # --- what is read, and is not what it was ---

    def changing_input(self):
        """Truncated, written over or replaced at some moment of a fit or of a transformation in pieces."""
        stage, rows = self.stage, 60000
        values = [0.001 * (i % 977) for i in range(rows * 8)]
        whole = npy((rows, 8), values)
        text = "".join(",".join(f"{v:.3f}" for v in values[i:i + 8]) + "\n" for i in range(0, len(values), 8)).encode()
        (stage.folder / "big.npy").write_bytes(whole)
        code, _, err = stage.run(["pca", "big.npy", "-k", "2", "--model", "big.mercer"])
        stage.old, stage.before = {}, {p.name for p in stage.folder.iterdir()} | {"big.npy", "big.csv", "new"}
        for name, data in (("big.npy", whole), ("big.csv", text)):
            for arguments in (["pca", name, "-k", "2"], ["transform", "big.mercer", name, "--out", "big-out.npy"],
                              ["kpca", name, "-k", "2", "--rank", "5", "--memory", "8M"]):
                (stage.folder / name).write_bytes(data)
                began = time.monotonic()
                stage.run(arguments)
                lasts = time.monotonic() - began
                for turn in range(12 if self.most is None else min(self.most, 2)):
                    path, way = stage.folder / name, ("shrinks", "is emptied", "is replaced", "grows")[turn % 4]
                    path.write_bytes(data)
                    moment = self.draw.uniform(0, lasts)

                    def change(way=way, path=path, moment=moment):
                        time.sleep(moment)
                        if way == "shrinks":
                            os.truncate(path, len(data) // 2)
                        elif way == "is emptied":
                            os.truncate(path, 0)
                        elif way == "grows":
                            with open(path, "ab") as file:
                                file.write(b"1,2,3,4,5,6,7,8\n" * 1000)
                        else:
                            (stage.folder / "new").write_bytes(data[:len(data) // 3])
                            os.replace(stage.folder / "new", path)
                    other = threading.Thread(target=change)
                    other.start()
                    code, _, err = stage.run(arguments)
                    other.join()
                    (stage.folder / "big-out.npy").unlink(missing_ok=True)
                    self.count(code, stage.faults_of(code, err, {0, 65, 66, 74}),
                               f"mercer {' '.join(arguments)}, and {name} {way} after {moment:.3f} s, exit {code}: {err.decode().strip()[:300]}")
        for name in ("big.npy", "big.csv", "big.mercer", "new"):
            (stage.folder / name).unlink(missing_ok=True)

    # --- what others have left ---

    def leftovers(self):
        """Of a killed run they go; of a live one they stay."""
        import fcntl
        stage = self.stage
        scenario = Scenario("fit", fit("pca", "d.npy"), ("s.csv", "m.mercer"))
        stage.prepare(scenario)
        for name in ("s.csv.part-abc123", "m.mercer.part-zzzzzz"):
            (stage.folder / name).write_bytes(b"half")
        code, _, err = stage.run(scenario.arguments)
        self.count(code, stage.faults_of(code, err), "leftovers of a killed run are not removed")
        stage.reset()
        live = stage.folder / "s.csv.part-alive1"
        with open(live, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            code, _, err = stage.run(scenario.arguments)
            self.count(code, [] if code == 0 and live.exists() else ["removed"], "the temporary file of a live run")
        others = [stage.folder / name for name in ("s.csv.part-abc12", "s.csv.part-abc1234", "xs.csv.part-abc123", "s.csv.part")]
        for path in others:
            path.write_bytes(b"somebody's")
        code, _, err = stage.run(scenario.arguments)
        self.count(code, [f"{p.name} is removed" for p in others if not p.exists()], "files that only look alike")
        stage.reset()

    def names(self):
        """As long as the system takes, and with everything in them that may be."""
        for name in ("x" * 251 + ".csv", "a b'c\".csv", "-s.csv", "ü.csv", "a\nb.csv", "%s%n.csv"):
            stage, arguments = self.stage, ["transform", "kpca.mercer", "d.npy", "--quiet"]
            stage.old, stage.before = {}, {p.name for p in stage.folder.iterdir()} | {name}
            code, _, err = stage.run([*arguments, f"--out={name}"])
            wrong = stage.faults_of(code, err, {0})
            self.count(code, wrong, f"--out={name[:20]}…, exit {code}: {err.decode()}")
            (stage.folder / name).unlink(missing_ok=True)
