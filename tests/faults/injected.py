"""Fails each call of a command in turn: memory and files (interpose.cpp). Calls from one place look alike, so of
those with the same eight innermost frames the first and a random later one are taken; of files' calls every one."""
import ctypes
import errno
import os
import pathlib
import random
import struct

from harness import EXITS, Stage, environment  # noqa: F401

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


class Injector:
    def __init__(self, library, stage: Stage):
        self.library, self.stage = library, stage
        self.record = stage.root / "record"

    def env(self, kind, at=0, how="12", ever=False):
        more = {"LD_PRELOAD": self.library, "MERCER_FAULTS_RECORD": str(self.record), "MERCER_FAULTS_KIND": kind,
                "MERCER_FAULTS_AT": str(at), "MERCER_FAULTS_HOW": how}
        return {**more, "MERCER_FAULTS_EVER": "1"} if ever else more

    def run(self, scenario, kind, at, how, ever=False):
        """Exit code and stderr, and whether the fault came."""
        code, _, err = self.stage.run(scenario.arguments, env=self.env(kind, at, how, ever), preexec_fn=fixed_addresses)
        with open(self.record, "rb") as file:
            struck = struct.unpack(f"<{len(KINDS) + 1}Q", file.read(8 * (len(KINDS) + 1)))[len(KINDS)]
        self.record.unlink(missing_ok=True)
        return code, err, struck > 0

    def calls(self, scenario, kind):
        """The stacks' hashes of all calls of a kind."""
        code, _, err = self.stage.run(scenario.arguments, env=self.env(kind), preexec_fn=fixed_addresses)
        if code != 0:
            raise RuntimeError(f"{scenario.command()}: {code}: {err.decode()}")
        with open(self.record, "rb") as file:
            count = struct.unpack(f"<{len(KINDS)}Q", file.read(8 * len(KINDS)))[KINDS.index(kind)]
            file.seek(8 * (len(KINDS) + 1 + FRAMES))
            hashes = struct.unpack(f"<{count}Q", file.read(8 * count))
        self.record.unlink()
        return hashes


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
    injector = Injector(library, stage)
    stage.prepare(scenario)
    injected, errors, unharmed, findings = 0, 0, 0, []
    for kind in kinds:
        hashes = injector.calls(scenario, kind)
        stage.reset()
        for how, exits in WAYS[kind]:
            numbers = chosen(hashes, kind, draw, most)
            for ever in memory_modes if kind in ("new", "malloc") else (False,):
                for number in numbers if not ever else draw.sample(numbers, min(len(numbers), 40 if most is None else most)):
                    code, err, struck = injector.run(scenario, kind, number, how, ever)
                    if not struck and code == 0:
                        stage.reset()
                        continue  # threads came in another order
                    wrong = stage.faults_of(code, err, exits)
                    injected, errors, unharmed = injected + 1, errors + (code != 0), unharmed + (code == 0)
                    if wrong:
                        findings.append(f"{scenario.name}, {kind} {number} of {len(hashes)}, {how}: {'; '.join(wrong)}: "
                                        f"{err.decode(errors='replace').strip()[:300]}\n  {again(scenario, kind, number, how, ever)}")
                    stage.reset()
    tally.add(f"{scenario.name}: {'memory' if set(kinds) <= set(MEMORY) else 'files'}", injected, errors, unharmed, findings)


def show(library, stage, scenario, kind, number, how, ever):
    """One fault again, with what was said and where it struck."""
    stage.prepare(scenario)
    injector = Injector(library, stage)
    code, out, err = stage.run(scenario.arguments, env=injector.env(kind, number, how, ever), preexec_fn=fixed_addresses)
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
