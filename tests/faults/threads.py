"""The Python module in a world that fails: threads on one model, a fork, an exit and Ctrl-C in mid-fit, and every
allocation of one call failing in turn, which must be a MemoryError. Each check is a fresh interpreter."""
import json
import os
import pathlib
import subprocess
import sys
import textwrap

from harness import HANGS_AFTER, environment

PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

CHECKS = {
    "two threads transform with one model": """
        import threading
        model = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
        alone, wrong = model.transform(X), []
        def work():
            for _ in range(20):
                if not np.array_equal(model.transform(X), alone): wrong.append(1)
        run_all(work, work)
        assert not wrong
    """,
    "two threads fit, transform and save at once": """
        import threading, tempfile, os
        mask = os.umask(0o022)
        folder = tempfile.mkdtemp()
        expected = [mercer.KernelPCA(3, kernel="rbf", gamma=g).fit(X).eigenvalues_ for g in (0.1, 0.2)]
        wrong = []
        def work(i, gamma):
            for turn in range(10):
                model = mercer.KernelPCA(3, kernel="rbf", gamma=gamma).fit(X)
                model.save(f"{folder}/{turn}.mercer")  # both the same file
                if not np.array_equal(model.eigenvalues_, expected[i]): wrong.append(i)
        run_all(lambda: work(0, 0.1), lambda: work(1, 0.2))
        assert not wrong
        assert os.umask(0o022) == 0o022, "the mask for new files was changed"
        names = sorted(os.listdir(folder))
        assert names == sorted(f"{i}.mercer" for i in range(10)), names
        for name in names: mercer.load(f"{folder}/{name}")
    """,
    "fork after use": """
        import os
        here = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
        for _ in range(5):
            child = os.fork()
            if child == 0:
                again = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
                good = np.allclose(again.eigenvalues_, here.eigenvalues_) and np.allclose(here.transform(X), here.transform(X))
                os._exit(0 if good else 1)
            assert os.waitpid(child, 0)[1] == 0
        here.fit(X)
    """,
    "fork while another thread fits": """
        import os, threading
        stop = threading.Event()
        def fits():
            while not stop.is_set(): mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
        thread = threading.Thread(target=fits); thread.start()
        for _ in range(10):
            child = os.fork()
            if child == 0: os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        stop.set(); thread.join()
    """,
    "the interpreter ends in mid-fit": """
        import threading, time
        began = threading.Event()
        def long():
            mercer.KernelPCA(50, kernel="laplacian", solver="tiled", progress=lambda *_: began.set()).fit(np.random.RandomState(0).rand(30000, 40))
        threading.Thread(target=long, daemon=True).start()
        began.wait()
    """,
    "Ctrl-C in mid-fit, and then another fit": """
        import os, signal, threading
        sent = []
        def tell(*_):
            if not sent:
                sent.append(1)
                threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            mercer.KernelPCA(50, kernel="laplacian", solver="tiled", progress=tell).fit(np.random.RandomState(0).rand(30000, 40))
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("it was not interrupted")
        mercer.KernelPCA(3).fit(X)
    """,
    "a file that cannot be written": """
        model = mercer.KernelPCA(2).fit(X)
        for path in ("/dev/full", "/nowhere/m.mercer", "/"):
            try: model.save(path)
            except OSError as error: assert path in str(error), error
            else: raise AssertionError(path)
    """,
}
HEAD = """
import numpy as np, mercer, threading, sys
X = np.random.RandomState(0).rand(300, 6)
def run_all(*work):
    threads = [threading.Thread(target=w) for w in work]
    [t.start() for t in threads]; [t.join() for t in threads]
"""

# Calls whose allocations fail in turn, in one process: a crash says at which number.
CALLS = {
    "fit": "mercer.KernelPCA(2, kernel='rbf', gamma=0.3, n_jobs=2).fit(S)",
    "fit, dense": "mercer.KernelPCA(2, kernel='rbf', gamma=0.3, solver='dense').fit(S)",
    "fit, low rank": "mercer.KernelPCA(2, kernel='rbf', gamma=0.3, solver='lowrank', rank=8).fit(S)",
    "pca": "mercer.PCA(2).fit(S)",
    "transform": "model.transform(S)",
    "save and load": "(model.save(path), mercer.load(path))",
    "isomap": "mercer.Isomap(n_neighbors=8).fit(S)",
    "kernel": "mercer.rbf(0.5)(S)",
}
INJECTION = """
import ctypes, os, random, tempfile, warnings
faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
faults.mercer_faults_set.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int]
faults.mercer_faults_set.restype = ctypes.c_uint64
S = np.random.RandomState(1).rand(60, 4)
path = tempfile.mkdtemp() + "/m.mercer"
model = mercer.KernelPCA(2, kernel="rbf", gamma=0.3).fit(S)
call = lambda: CALL
import bisect, json, struct
spans = json.load(open(os.environ["MERCER_FAULTS_RECORD"] + ".spans"))
base = int(next(line for line in open("/proc/self/maps") if "/_mercer." in line).split("-")[0], 16)
def excluded(offset):
    i = bisect.bisect(spans, [offset, 1 << 62]) - 1
    return i >= 0 and offset <= spans[i][1]
def callers(count):
    with open(os.environ["MERCER_FAULTS_RECORD"], "rb") as record:
        record.seek(8 * (12 + 1 + 8 + (1 << 20)))
        return struct.unpack(f"<{count}Q", record.read(8 * count))
call(); call()
most, seed = MOST, SEED
total = errors = unharmed = 0
for kind in ("new", "malloc"):
    faults.mercer_faults_set(kind.encode(), 0, 12)
    faults.mercer_faults_arm(1); call(); faults.mercer_faults_arm(0)
    count = faults.mercer_faults_set(kind.encode(), 0, 12)
    numbers = [n for n, caller in enumerate(callers(count), 1) if not excluded(caller - base)]
    if len(numbers) > most: numbers = sorted(random.Random(seed).sample(numbers, most))
    for number in numbers:
        print("at", kind, number, file=sys.stderr, flush=True)
        faults.mercer_faults_set(kind.encode(), number, 12)
        try:
            faults.mercer_faults_arm(1)
            try: call()
            finally: faults.mercer_faults_arm(0)
            unharmed += 1
        except MemoryError:
            errors += 1
        total += 1
    call()
left = [n for n in os.listdir(os.path.dirname(path)) if ".part-" in n]
assert not left, left
print(total, errors, unharmed)
"""


def spans_not_ours():
    """Places in the module, in order, where memory that is refused ends the process and nobody can help it: pybind11
    while it registers an object that it has made, and the destructor of nlohmann::json."""
    module = subprocess.run([PYTHON, "-c", "import mercer; print(mercer._mercer.__file__)"], capture_output=True, text=True,
                            env=environment(), check=True).stdout.strip()
    symbols = subprocess.run(["nm", "-SC", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    spans = []
    for line in symbols.splitlines():
        words = line.split(maxsplit=3)
        if len(words) == 4 and words[2] in "tTwW":
            name = words[3]
            pybind11 = name.startswith(("pybind11::detail::", "std::")) and ("pybind11::detail::" in name or "_object" in name)
            if (pybind11 and "argument_loader" not in name) or "::init_instance(" in name or (
                    name.startswith("nlohmann::") and ("destroy" in name or "~basic_json" in name)):
                spans.append([int(words[0], 16), int(words[0], 16) + int(words[1], 16)])
    return json.dumps(sorted(spans))


def run(program, library=None, **more):
    env = environment(**more)
    if library:
        env.update(LD_PRELOAD=library, MERCER_FAULTS_LATER="1", MERCER_FAULTS_RECORD=more["MERCER_FAULTS_RECORD"])
    try:
        done = subprocess.run([PYTHON, "-c", program], env=env, capture_output=True, text=True, timeout=5 * HANGS_AFTER)
    except subprocess.TimeoutExpired as late:
        return None, "", (late.stderr or b"").decode()
    return done.returncode, done.stdout, done.stderr


def threads(tally, names=None):
    for name, body in CHECKS.items():
        if names is not None and name not in names:
            continue
        code, _, err = run(HEAD + textwrap.dedent(body))
        wrong = [] if code == 0 else [f"python: {name}: {'hangs' if code is None else f'exit {code}'}: {err[-600:]}\n  ./dev faults --python"]
        tally.add(f"python: {name}", 1, int(code != 0), int(code == 0), wrong)


def memory(library, tally, record, seed, most=400):
    pathlib.Path(f"{record}.spans").write_text(spans_not_ours())
    for name, call in CALLS.items():
        program = HEAD + INJECTION.replace("CALL", call).replace("MOST", str(most)).replace("SEED", str(seed))
        code, out, err = run(program, library, MERCER_FAULTS_RECORD=str(record))
        counts = [int(word) for word in out.split()] if code == 0 else [0, 0, 0]
        wrong = [] if code == 0 else [f"python: {name}: {'hangs' if code is None else f'exit {code}'}: {err[-500:]}\n  ./dev faults --python"]
        tally.add(f"python: memory: {name}", *counts, wrong)
