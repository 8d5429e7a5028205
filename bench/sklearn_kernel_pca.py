"""scikit-learn's side. Each command prints one line of JSON, or nothing when it writes scores:

    fit x.npy COMPONENTS GAMMA SOLVER TOLERANCE REPEATS     a few times in one process
    process x.npy COMPONENTS GAMMA SOLVER TOLERANCE OUT     once, as a script of a user would
    model x.npy COMPONENTS GAMMA SOLVER TOLERANCE OUT       keeps the fitted model with pickle
    transform MODEL new.npy REPEATS                         a few times in one process
    transform-process MODEL new.npy OUT                     once, as a script of a user would

SOLVER is dense, arpack or randomized; TOLERANCE is arpack's (0, its default, asks for machine precision).
"""
import json
import pickle
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA


def new_model(components, gamma, solver, tolerance):
    return KernelPCA(int(components), kernel="rbf", gamma=float(gamma), eigen_solver=solver, tol=float(tolerance),
                     copy_X=False, random_state=0)


def timed(work, repeats):
    seconds = []
    for _ in range(int(repeats)):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return seconds, result


def fit(path, components, gamma, solver, tolerance, repeats):
    x = np.load(path)

    def once():
        model = new_model(components, gamma, solver, tolerance)
        model.fit_transform(x)
        return model

    seconds, model = timed(once, repeats)
    print(json.dumps({"seconds": seconds, "eigenvalues": model.eigenvalues_.tolist()}))


def process(path, components, gamma, solver, tolerance, out):
    np.save(out, new_model(components, gamma, solver, tolerance).fit_transform(np.load(path)))


def keep_model(path, components, gamma, solver, tolerance, out):
    with open(out, "wb") as file:
        pickle.dump(new_model(components, gamma, solver, tolerance).fit(np.load(path)), file)


def load(path):
    with open(path, "rb") as file:
        return pickle.load(file)


def transform(model, path, repeats):
    model, points = load(model), np.load(path)
    seconds, total = timed(lambda: float(np.abs(model.transform(points)).sum()), repeats)
    print(json.dumps({"seconds": seconds, "sum": total}))


def transform_process(model, path, out):
    np.save(out, load(model).transform(np.load(path)))


if __name__ == "__main__":
    {"fit": fit, "process": process, "model": keep_model, "transform": transform,
     "transform-process": transform_process}[sys.argv[1]](*sys.argv[2:])
