"""How an estimator's work is carried out: n_jobs, random_state, memory and progress as the library's Run."""
import contextlib
import os
import sys
import warnings

import numpy as np
import sklearn

from . import _mercer


_LIBRARIES = tuple(os.path.dirname(path) + os.sep for path in (__file__, sklearn.__file__))


def warn(message):
    """A warning that points to the user's line: the nearest that is neither ours nor scikit-learn's."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_LIBRARIES):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


def threads_of(n_jobs):
    """None: as many as OpenMP offers, which threadpoolctl and OMP_NUM_THREADS limit; -1: every processor."""
    if n_jobs is None:
        return 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


def seed_of(random_state):
    """An int stays; a generator draws one; None is 0, so that the same data gives the same model."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state)


def bytes_of(memory):
    """A number of bytes, "4G", or None: half of the machine's memory."""
    if memory is None:
        return 0
    return _mercer.parse_bytes(memory) if isinstance(memory, str) else int(memory)


@contextlib.contextmanager
def shown(progress):
    """The callback that `progress=` means: a function of (stage, fraction), or for True a tqdm bar."""
    if isinstance(progress, np.bool_):
        progress = bool(progress)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ValueError(f"progress={progress!r}: give a function of (stage, fraction), True or None")
    if progress is not True:
        yield progress or None
        return
    from tqdm.auto import tqdm

    with tqdm(total=100, unit="%", leave=False) as bar:

        def show(stage, fraction):
            bar.set_description(stage, refresh=False)
            bar.n = round(100 * fraction, 1)
            bar.refresh()

        yield show


@contextlib.contextmanager
def running(estimator, *, fitting):
    """A Run from the parameters of an estimator; only a fit draws from its random_state."""
    with shown(getattr(estimator, "progress", None)) as progress:
        yield _mercer.Run(
            threads=threads_of(getattr(estimator, "n_jobs", None)),
            seed=seed_of(getattr(estimator, "random_state", None)) if fitting else 0,
            memory=bytes_of(getattr(estimator, "memory", None)),
            progress=progress,
        )
