"""Data files and example data: the library's readers, writers and generators."""
import os
from typing import Any, List, NamedTuple, Optional

import numpy as np

from . import _mercer
from ._running import threads_of


class Table(NamedTuple):
    """``X, y, columns = mercer.read(path, label="species")``"""

    data: Any  # an array, or a scipy CSR matrix for libsvm
    labels: Optional[np.ndarray]  # of the label column: numbers where all of them are
    columns: List[str]  # names of the features; empty where the file has none


class Array(NamedTuple):
    """``X, factors, modes = mercer.generate_tensor("fluorescence")``"""

    data: np.ndarray
    factors: List[np.ndarray]  # that were planted, one a mode
    modes: List[str]  # what each mode is


def _labels(label):
    if label is None:
        return None
    if label["values"]:
        values = np.array(label["values"])
        whole = values.astype(np.int64)
        return whole if np.array_equal(whole, values) else values
    return np.array(label["names"])[label["codes"]]


def _table(found):
    data, label, columns = found
    return Table(data, _labels(label), columns)


def _is_single(dtype):
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"dtype={dtype} is neither float32 nor float64")
    return dtype == np.float32


def read(path, label=None, *, missing="error", transpose=False, dtype=np.float64, mmap=False, n_jobs=None):
    """A table from a file: csv, tsv, txt, npy, npz (npz:array), libsvm; text also with .gz.

    Parameters
    ----------
    path : str or path
    label : str, int or None
        The column that is not a feature: its name, or its number from 0.
    missing : {'error', 'drop', 'mean', 'fit'}, default='error'
        Empty cells and NaN: refuse, leave the row out, put the column's mean, or keep the gap (NaN) for MissingPCA.
    transpose : bool, default=False
        Columns are samples.
    dtype : float64 or float32
    mmap : bool, default=False
        Give a .npy of that type as it was read, without a copy of the array's own; it is then for reading only.
        (No file is mapped: one that changes later would change a fit. ``numpy.load(path, mmap_mode="r")`` maps.)

    Returns
    -------
    Table of (data, labels, columns)

    Examples
    --------
    >>> import os, tempfile, mercer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "points.csv")
    ...     _ = open(path, "w").write("a,b,kind\\n1,2,x\\n3,4,y\\n")
    ...     mercer.read(path, label="kind")
    Table(data=array([[1., 2.],
           [3., 4.]]), labels=array(['x', 'y'], dtype='<U1'), columns=['a', 'b'])
    """
    run = _mercer.Run(threads=threads_of(n_jobs))
    return _table(_mercer.read(os.fspath(path), "" if label is None else str(label), missing, bool(transpose), _is_single(dtype),
                               bool(mmap), run))


def write(path, X, *, columns=None, labels=None, label="label"):
    """Writes a table in the format of the file's ending; `labels` become a column named `label` at the end.

    >>> import os, tempfile, mercer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "points.tsv")
    ...     mercer.write(path, [[1.0, 2.0]], columns=["a", "b"])
    ...     mercer.read(path).columns
    ['a', 'b']
    """
    if columns is None:
        columns = getattr(X, "columns", [])
    if not hasattr(X, "tocsr"):
        X = np.asarray(X)
    _mercer.write(os.fspath(path), X, [str(c) for c in columns], str(label), [] if labels is None else [str(v) for v in labels])


def read_tensor(path, *, shape=None, dtype=np.float64, mmap=False, n_jobs=None):
    """An N-way array from .npy, .npz (npz:array), a folder of PGM or PNG images, or a sparse one from .tns.

    `shape` is that of a .tns file, where it should be larger than its largest indices; `mmap` as in ``read``.
    """
    run = _mercer.Run(threads=threads_of(n_jobs))
    return _mercer.read_tensor(os.fspath(path), [] if shape is None else list(shape), _is_single(dtype), bool(mmap), run)


def write_tensor(path, X):
    """Writes an N-way array as .npy, .npz or .tns (what is not zero); sparse ones as .tns."""
    _mercer.write_tensor(os.fspath(path), X)


def generate(name, n=0, *, seed=0, features=0, clusters=0):
    """Example data: the same name, n and seed give the same points on every machine; 0 is the usual size.

    >>> import mercer
    >>> X, y, columns = mercer.generate("circles", 400, seed=1)
    >>> X.shape, sorted(set(y.tolist()))
    ((400, 2), ['inner', 'outer'])
    """
    return _table(_mercer.generate(name, n, seed, features, clusters))


def generate_tensor(name, n=0, *, seed=0):
    """Example arrays, with what was planted in them.

    >>> import mercer
    >>> X, factors, modes = mercer.generate_tensor("fluorescence", 20)
    >>> X.ndim, len(factors), modes[0]
    (3, 3, 'sample')
    """
    return Array(*_mercer.generate_tensor(name, n, seed))


def generators():
    """What generate and generate_tensor can make: {name: description}.

    >>> import mercer
    >>> "swiss-roll" in mercer.generators()
    True
    """
    return {**_mercer.generators(), **_mercer.tensor_generators()}
