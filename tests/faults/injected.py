"""Fails each call of a command in turn: memory and files (interpose.cpp). Calls from one place look alike, so of
those with the same eight innermost frames the first and a random later one are taken; of files' calls every one."""
import ctypes
import errno
import os
import pathlib
import random
import select
import signal
import struct

from harness import EXITS, HANGS_AFTER, Stage

FRAMES = 8
KINDS = ["new", "malloc", "library", "open", "read", "write", "fsync", "rename", "mmap", "ftruncate", "close", "stat"]
MEMORY = ("new", "malloc", "library")
# With which errors, and which exits they may give. One that was of no consequence gives 0.
WAYS = {
    "new": [(str(errno.ENOMEM), {0, 4})],
    "malloc": [(str(errno.ENOMEM), {0, 4})],
    "library": [(str(errno.ENOMEM), {0, 4, 65, 74})],  # libzip may take it for a damaged archive
    "open": [(str(e), {0, 66, 73, 74}) for e in (errno.EACCES, errno.EMFILE, errno.EIO)],
    "read": [(str(errno.EIO), {0, 66, 74}), (str(errno.EINTR), {0}), ("short", {0}), ("end", {0, 2, 65, 66, 74})],
    "write": [(str(e), {0, 74}) for e in (errno.ENOSPC, errno.EDQUOT, errno.EIO)] + [(str(errno.EINTR), {0}), ("short", {0})],
    "fsync": [(str(errno.EIO), {0, 74}), (str(errno.EDQUOT), {0, 74}), (str(errno.EINTR), {0})],
    "rename": [(str(errno.EIO), {0, 74}), (str(errno.EACCES), {0, 73, 74})],
    "mmap": [(str(errno.ENOMEM), {0, 4})],
    "ftruncate": [(str(errno.EIO), {0, 74})],
    "close": [(str(errno.EIO), {0, 74}), (str(errno.EINTR), {0, 74})],
    "stat": [(str(errno.EACCES), {0, 66, 73, 74}), (str(errno.EIO), {0, 66, 73, 74})],
}


def fixed_addresses():
    """In the child: the same addresses in every run, so that a stack can be named."""
    ctypes.CDLL(None).personality(0x0040000)


class Server:
    """The program, started once for a scenario and stopped before its main: each run is a copy of it (interpose.cpp)."""

    ORDER = struct.Struct("<QII16s")

    def __init__(self, injector, scenario):
        orders, self.orders = os.pipe()
        self.answers, answers = os.pipe()
        env = {**injector.env("new"), "MERCER_FAULTS_SERVER": f"{orders},{answers}"}
        self.process = injector.stage.start(scenario.arguments, env=env, preexec_fn=fixed_addresses, pass_fds=(orders, answers))
        os.close(orders)
        os.close(answers)
        self.record = injector.record

    def run(self, kind, at, how, ever):
        """Exit code and stderr, as of a process of its own."""
        os.write(self.orders, self.ORDER.pack(at, KINDS.index(kind), ever, how.encode()))
        child = self.answer(HANGS_AFTER)
        ended = self.answer(HANGS_AFTER)
        if ended is None:
            os.kill(child, signal.SIGKILL)
            self.answer(HANGS_AFTER)
            return None, b""
        code = os.waitstatus_to_exitcode(ended)
        return code, pathlib.Path(f"{self.record}.err").read_bytes()

    def answer(self, seconds):
        ready, _, _ = select.select([self.answers], [], [], seconds)
        if not ready:
            return None
        number = os.read(self.answers, 4)
        if not number:
            raise RuntimeError(f"the program ended before its main: {self.process.communicate()[1].decode()}")
        return struct.unpack("<i", number)[0]

    def close(self):
        os.close(self.orders)
        self.process.communicate()
        os.close(self.answers)


class Injector:
    def __init__(self, library, stage: Stage, scenario):
        self.library, self.stage, self.scenario = library, stage, scenario
        self.record = stage.root / "record"

    def __enter__(self):
        self.server = Server(self, self.scenario)
        return self

    def __exit__(self, *_):
        self.server.close()
        for path in (self.record, pathlib.Path(f"{self.record}.out"), pathlib.Path(f"{self.record}.err")):
            path.unlink(missing_ok=True)

    def env(self, kind, at=0, how="12", ever=False):
        more = {"LD_PRELOAD": self.library, "MERCER_FAULTS_RECORD": str(self.record), "MERCER_FAULTS_KIND": kind,
                "MERCER_FAULTS_AT": str(at), "MERCER_FAULTS_HOW": how}
        return {**more, "MERCER_FAULTS_EVER": "1"} if ever else more

    def recorded(self, first, count):
        with open(self.record, "rb") as file:
            file.seek(8 * first)
            return struct.unpack(f"<{count}Q", file.read(8 * count))

    def run(self, kind, at, how, ever=False):
        """Exit code and stderr, and whether the fault came."""
        code, err = self.server.run(kind, at, how, ever)
        return code, err, self.recorded(len(KINDS), 1)[0] > 0

    def calls(self, kind):
        """The stacks' hashes of all calls of a kind."""
        code, err = self.server.run(kind, 0, "12", False)
        if code != 0:
            raise RuntimeError(f"{self.scenario.command()}: {code}: {err.decode()}")
        return self.recorded(len(KINDS) + 1 + FRAMES, self.recorded(KINDS.index(kind), 1)[0])


def chosen(hashes, kind, draw, most):
    """The numbers of the calls to fail."""
    if kind not in MEMORY:
        numbers = list(range(1, len(hashes) + 1))
    else:
        first, later = {}, {}
        for number, stack in enumerate(hashes, 1):
            if stack not in first:
                first[stack] = number
            elif draw.random() < 0.5 or stack not in later:
                later[stack] = number
        numbers = sorted({*first.values(), *later.values()})
    return numbers if most is None or len(numbers) <= most else sorted(draw.sample(numbers, most))


def again(scenario, kind, number, how, ever):
    return f"./dev faults --again '{scenario.name}' {kind} {number} {how}" + (" --ever" if ever else "")


def inject(library, stage, scenario, kinds, tally, seed=1, most=None, memory_modes=(False, True)):
    """All faults of a scenario. `most`: of each kind and way no more than so many, drawn."""
    draw = random.Random(f"{seed} {scenario.name}")
    stage.prepare(scenario)
    injected, errors, unharmed, findings = 0, 0, 0, []
    with Injector(library, stage, scenario) as injector:
        for kind, number, calls, how, exits, ever in faults_to_try(injector, kinds, draw, most, memory_modes):
            code, err, struck = injector.run(kind, number, how, ever)
            if struck or code != 0:  # else threads came in another order
                wrong = stage.faults_of(code, err, exits)
                injected, errors, unharmed = injected + 1, errors + (code != 0), unharmed + (code == 0)
                if wrong:
                    findings.append(f"{scenario.name}, {kind} {number} of {calls}, {how}: {'; '.join(wrong)}: "
                                    f"{err.decode(errors='replace').strip()[:300]}\n  {again(scenario, kind, number, how, ever)}")
            stage.reset()
    tally.add(f"{scenario.name}: {'memory' if set(kinds) <= set(MEMORY) else 'files'}", injected, errors, unharmed, findings)


def faults_to_try(injector, kinds, draw, most, memory_modes):
    for kind in kinds:
        hashes = injector.calls(kind)
        injector.stage.reset()
        for how, exits in WAYS[kind]:
            numbers = chosen(hashes, kind, draw, most)
            for ever in memory_modes if kind in ("new", "malloc") else (False,):
                for number in numbers if not ever else draw.sample(numbers, min(len(numbers), 40 if most is None else most)):
                    yield kind, number, len(hashes), how, exits, ever


def show(library, stage, scenario, kind, number, how, ever):
    """One fault again, with what was said and where it struck."""
    stage.prepare(scenario)
    injector = Injector(library, stage, scenario)
    code, _, err = stage.run(scenario.arguments, env=injector.env(kind, number, how, ever), preexec_fn=fixed_addresses)
    print(f"$ {scenario.command()}\nexit {code}\n{err.decode()}")
    with open(injector.record, "rb") as file:
        file.seek(8 * (len(KINDS) + 1))
        where = struct.unpack(f"<{FRAMES}Q", file.read(8 * FRAMES))
    base, program = 0x555555554000, pathlib.Path(os.environ["MERCER_PROGRAM"])
    for address in where:
        print("  ", place(program, address - base) if base <= address < base + program.stat().st_size else hex(address))
    for fault in stage.faults_of(code, err, dict(WAYS[kind]).get(how, EXITS)):
        print("FINDING:", fault)


def place(program, offset):
    import subprocess
    done = subprocess.run(["addr2line", "-Cfpe", str(program), hex(offset - 1)], capture_output=True, text=True)
    return done.stdout.strip()[:200]
