"""How work is carried out: the interpreter lock, Ctrl-C, progress, threads, seeds."""
import os
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import mercer
from mercer import KernelPCA

X = np.random.RandomState(0).rand(2000, 20)


def child(program, **environment):
    """A fresh interpreter that runs the program, its output a pipe."""
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**os.environ, **environment})


def output_of(program, **environment):
    process = child(program, **environment)
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out


# A fit that would take hours: tiles of a slow kernel on many points. It says when it has begun.
LONG_FIT = """
import numpy as np, mercer
began = False
def tell(stage, fraction):
    global began
    if not began:
        print("began", flush=True)
    began = True
X = np.random.RandomState(0).rand(60000, 50)
try:
    mercer.KernelPCA(50, kernel="laplacian", solver="tiled", progress=tell).fit(X)
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""


def test_an_interrupt_stops_a_running_fit():
    process = child(LONG_FIT)
    assert process.stdout.readline() == "began\n"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert out == "interrupted\n", error
    assert process.returncode == 0


def test_an_interrupt_that_python_does_not_raise_on_does_not_stop_a_fit():
    out = output_of("""
        import os, signal, numpy as np, mercer
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))
        kpca = mercer.KernelPCA(2, kernel="rbf", solver="tiled", progress=lambda *_: os.kill(os.getpid(), signal.SIGINT))
        kpca.fit(np.random.RandomState(0).rand(1000, 5))
        print(kpca.eigenvalues_.shape, bool(seen))
    """)
    assert out == "(2,) True\n"


def test_an_interrupt_after_the_work_is_pythons_again():
    out = output_of("""
        import os, signal, numpy as np, mercer
        mercer.KernelPCA(2).fit(np.eye(9))
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            print("raised")
    """)
    assert out == "raised\n"


def test_a_fit_on_another_thread_is_not_touched_by_signals():
    scores = {}
    thread = threading.Thread(target=lambda: scores.update(z=KernelPCA(2, kernel="rbf").fit_transform(X)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(scores["z"], KernelPCA(2, kernel="rbf").fit_transform(X))


def test_other_threads_run_while_the_library_works():
    """Another thread takes turns; with the lock held all the time it would get next to none."""
    turns, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += 1
            stop.wait(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    before = turns[0]
    try:
        KernelPCA(20, kernel="rbf", solver="tiled").fit(X)
        during = turns[0] - before
    finally:
        stop.set()
        thread.join()
    assert during > 5


def test_two_fits_at_once_give_what_each_gives_alone():
    alone = [KernelPCA(3, kernel="rbf", gamma=g).fit(X).eigenvalues_ for g in (0.1, 0.2)]
    together = [None, None]

    def fit(i, gamma):
        together[i] = KernelPCA(3, kernel="rbf", gamma=gamma).fit(X).eigenvalues_

    threads = [threading.Thread(target=fit, args=(i, g)) for i, g in enumerate((0.1, 0.2))]
    [t.start() for t in threads]
    [t.join() for t in threads]
    np.testing.assert_array_equal(together, alone)


def test_progress_is_told_in_stages_from_0_to_1():
    told = []
    KernelPCA(3, kernel="rbf", solver="tiled", progress=lambda stage, share: told.append((stage, share))).fit(X)
    assert told and all(isinstance(stage, str) and 0 <= share <= 1 for stage, share in told)
    assert len({stage for stage, _ in told}) >= 2


def test_what_a_progress_callback_raises_comes_out():
    def fails(stage, share):
        raise ZeroDivisionError("on purpose")

    kpca = KernelPCA(3, kernel="rbf", solver="tiled", progress=fails)
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        kpca.fit(X)
    assert not hasattr(kpca, "eigenvalues_")


def test_true_shows_a_bar(capsys):
    KernelPCA(3, kernel="rbf", solver="tiled", progress=True).fit(X)
    assert "%" in capsys.readouterr().err


THREADS = """
import os, numpy as np, mercer
from threadpoolctl import threadpool_limits
X = np.random.RandomState(0).rand(2000, 20)
KernelPCA = mercer.KernelPCA
tasks = lambda: len(os.listdir("/proc/self/task"))
before = tasks()
{fit}
print(tasks() - before)
"""


@pytest.mark.parametrize("fit, more", [
    ("KernelPCA(2, kernel='rbf').fit(X)", 2),
    ("KernelPCA(2, kernel='rbf', n_jobs=1).fit(X)", 0),
    ("KernelPCA(2, kernel='rbf', n_jobs=4).fit(X)", 3),
    ("with threadpool_limits(1): KernelPCA(2, kernel='rbf').fit(X)", 0),
    ("with threadpool_limits(2, user_api='openmp'): KernelPCA(2, kernel='rbf').fit(X)", 1),
], ids=str)
def test_threads_are_as_many_as_asked_for(fit, more):
    """Counted by the system; OpenMP keeps the threads that it has started."""
    assert output_of(THREADS.format(fit=fit), OMP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1") == f"{more}\n"


def test_a_forked_child_can_work_as_well():
    """GCC's OpenMP would wait for ever for threads that only the parent has."""
    out = output_of("""
        import os, numpy as np, mercer
        X = np.random.RandomState(0).rand(1000, 9)
        fit = lambda **options: mercer.KernelPCA(3, kernel="rbf", **options).fit(X).eigenvalues_
        here = fit()
        child = os.fork()
        if child == 0:
            os._exit(0 if all(np.allclose(fit(**o), here) for o in ({}, {"n_jobs": 2}, {"solver": "dense"})) else 1)
        print(os.waitpid(child, 0)[1])
    """, OMP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1")
    assert out == "0\n"


def test_all_processors_but_one():
    from mercer._running import threads_of

    processors = len(os.sched_getaffinity(0))
    assert threads_of(-1) == processors and threads_of(-2) == max(1, processors - 1) and threads_of(None) == 0
    with pytest.raises(ValueError):
        KernelPCA(2, n_jobs=0).fit(X)


def test_a_seed_decides_random_choices():
    fit = lambda seed: KernelPCA(2, kernel="rbf", solver="lowrank", rank=20, random_state=seed).fit(X).X_fit_
    np.testing.assert_array_equal(fit(1), fit(1))
    np.testing.assert_array_equal(fit(None), fit(None))
    assert not np.array_equal(fit(1), fit(2))
    np.testing.assert_array_equal(fit(np.random.RandomState(5)), fit(np.random.RandomState(5)))


def test_numpys_blas_is_not_taken_for_ours():
    """Two OpenBLAS libraries of one name are one to the loader; ours must be inside the module."""
    out = subprocess.run(["readelf", "-d", mercer._mercer.__file__], capture_output=True, text=True, check=True).stdout
    assert "NEEDED" in out and "libopenblas" not in out


def test_importing_does_not_wait_for_scikit_learn():
    out = output_of("""
        import sys, numpy, mercer
        mercer.rbf(0.5)([[1.0]])
        print("sklearn" in sys.modules, "scipy" in sys.modules, "KernelPCA" in dir(mercer))
    """)
    assert out == "False False True\n"


def test_a_run_is_told_how_long_the_library_worked():
    run = mercer._mercer.Run()
    assert run.seconds == 0
    mercer.rbf(1.0)(X, run=run)
    first = run.seconds
    mercer.rbf(1.0)(X[:2], run=run)
    assert 0 < run.seconds < first
    with pytest.raises(ValueError):
        mercer.rbf(1.0)([[np.nan]], run=run)
    assert run.seconds > 0


def test_many_threads_share_the_default_run():
    kernel, found = mercer.rbf(1.0), []
    threads = [threading.Thread(target=lambda: found.append(kernel(X[:50]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(np.array_equal(k, found[0]) for k in found)
