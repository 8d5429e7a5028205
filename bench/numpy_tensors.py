"""The peers' side of bench/tensors.py: the same operations in a few lines of NumPy and SciPy, and as TensorLy has them.

    numpy_tensors.py make dense|sparse FILE SIZE [ENTRIES]
    numpy_tensors.py WAY mode|mttkrp|st-hosvd|sweep FILE --mode N --rank R --repeats N

WAY: numpy (tensordot and einsum; sparse: bincount), tensorly (unfolding times a Khatri-Rao product; sparse: SciPy's CSR
unfolding times it). FILE: x.npy, or x.npz with the coordinates of a sparse array.
"""
import argparse
import json
import time

import numpy as np


def matrix(mode, rows, rank):
    i, r = np.arange(1, rows + 1)[:, None], np.arange(1, rank + 1)[None, :]
    return np.cos(i * r * 0.7 + mode)


def khatri_rao(matrices):
    out = matrices[0]
    for other in matrices[1:]:
        out = (out[:, None, :] * other[None, :, :]).reshape(-1, out.shape[1])
    return out


class Dense:
    def __init__(self, path, way):
        self.x, self.way = np.load(path), way
        self.shape = self.x.shape

    def unfold(self, mode):
        return np.moveaxis(self.x, mode, 0).reshape(self.shape[mode], -1)

    def mttkrp(self, mode, factors):
        a, b, c = factors
        i, j, k = self.shape
        if self.way == "tensorly":
            return self.unfold(mode) @ khatri_rao([f for n, f in enumerate(factors) if n != mode])
        if mode == 2:
            return np.einsum("jkr,jr->kr", (self.x.reshape(i, j * k).T @ a).reshape(j, k, -1), b)
        partial = (self.x.reshape(i * j, k) @ c).reshape(i, j, -1)
        return np.einsum("ijr,jr->ir", partial, b) if mode == 0 else np.einsum("ijr,ir->jr", partial, a)

    def mode_product(self, mode, a):
        if self.way == "tensorly":  # unfold, multiply, fold
            rest = [n for i, n in enumerate(self.shape) if i != mode]
            return np.moveaxis((a.T @ self.unfold(mode)).reshape(a.shape[1], *rest), 0, mode)
        return np.moveaxis(np.tensordot(self.x, a, axes=(mode, 0)), -1, mode)

    def st_hosvd(self, rank):
        y = self.x
        for mode in range(y.ndim):
            flat = np.moveaxis(y, mode, 0).reshape(y.shape[mode], -1)
            values, vectors = np.linalg.eigh(flat @ flat.T)
            y = np.moveaxis(np.tensordot(y, vectors[:, ::-1][:, :rank], axes=(mode, 0)), -1, mode)
        whole = np.linalg.norm(self.x) ** 2
        return np.sqrt(max(0, 1 - np.linalg.norm(y) ** 2 / whole))


class Sparse:
    def __init__(self, path, way):
        with np.load(path) as file:
            self.index, self.values, self.shape = file["index"], file["values"], tuple(file["shape"])
        self.way = way
        if way == "tensorly":
            from scipy.sparse import csr_matrix
            self.unfolded = []
            for mode in range(3):
                p, q = (n for n in range(3) if n != mode)
                column = self.index[p].astype(np.int64) * self.shape[q] + self.index[q]
                self.unfolded.append(csr_matrix((self.values, (self.index[mode], column)),
                                                shape=(self.shape[mode], self.shape[p] * self.shape[q])))

    def mttkrp(self, mode, factors):
        p, q = (n for n in range(3) if n != mode)
        if self.way == "tensorly":
            return self.unfolded[mode] @ khatri_rao([factors[p], factors[q]])
        out = np.empty((self.shape[mode], factors[0].shape[1]))
        for r in range(out.shape[1]):
            weight = self.values * factors[p][self.index[p], r] * factors[q][self.index[q], r]
            out[:, r] = np.bincount(self.index[mode], weight, self.shape[mode])
        return out


def sweep(data, factors):
    for mode in range(3):
        gram = np.ones((factors[0].shape[1],) * 2)
        for n, f in enumerate(factors):
            if n != mode:
                gram *= f.T @ f
        new = np.linalg.solve(gram.T, data.mttkrp(mode, factors).T).T
        factors[mode] = new / np.linalg.norm(new, axis=0)


def repeated(times, work):
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return seconds, result


def make(kind, path, size, entries):
    random = np.random.default_rng(20261116)
    if kind == "dense":  # rank 16 and noise
        a, b, c = (random.normal(size=(size, 16)) for _ in range(3))
        x = (a @ (b[:, None, :] * c[None, :, :]).reshape(-1, 16).T).reshape(size, size, size)
        x += random.normal(size=x.shape)
        np.save(path, x)
        return
    place = random.choice(size**3, entries, replace=False) if entries < 1e5 else np.unique(random.integers(0, size**3, entries))
    index = np.stack([place // size**2, place // size % size, place % size]).astype(np.int64)
    values = random.normal(size=len(place))
    np.savez(path, index=index, values=values, shape=np.array([size] * 3))
    with open(path.removesuffix(".npz") + ".tns", "w") as file:
        for first in range(0, len(values), 10**6):
            part = slice(first, first + 10**6)
            file.writelines(f"{i} {j} {k} {v!r}\n" for i, j, k, v in zip(*(index[:, part] + 1).tolist(), values[part].tolist()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way")
    parser.add_argument("operation")
    parser.add_argument("file")
    parser.add_argument("size", nargs="*", type=int)
    parser.add_argument("--mode", type=int, default=0)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.way == "make":
        make(options.operation, options.file, *(options.size + [0])[:2])
        return
    data = (Sparse if options.file.endswith(".npz") else Dense)(options.file, options.way)
    factors = [matrix(n, size, options.rank) for n, size in enumerate(data.shape)]
    if options.operation == "mttkrp":
        seconds, out = repeated(options.repeats, lambda: data.mttkrp(options.mode, factors))
        check = np.linalg.norm(out)
    elif options.operation == "mode":
        seconds, out = repeated(options.repeats, lambda: data.mode_product(options.mode, factors[options.mode]))
        check = np.linalg.norm(out)
    elif options.operation == "st-hosvd":
        seconds, check = repeated(options.repeats, lambda: data.st_hosvd(options.rank))
    else:
        random = np.random.default_rng(1)
        factors = [random.normal(size=f.shape) for f in factors]
        seconds, _ = repeated(options.repeats, lambda: sweep(data, factors))
        check = None
    print(json.dumps({"seconds": seconds, "check": check}))


if __name__ == "__main__":
    main()
