"""scikit-learn's side: KernelPCA fitted a few times in one process, as one line of JSON.

usage: sklearn_kernel_pca.py x.npy COMPONENTS GAMMA REPEATS dense|arpack|randomized
"""
import json
import resource
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA

path, components, gamma, repeats, solver = sys.argv[1:]
x = np.load(path)
seconds = []
for _ in range(int(repeats)):
    start = time.perf_counter()
    model = KernelPCA(int(components), kernel="rbf", gamma=float(gamma), eigen_solver=solver, copy_X=False, random_state=0)
    model.fit_transform(x)
    seconds.append(time.perf_counter() - start)
print(json.dumps({"seconds": seconds, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                  "eigenvalues": model.eigenvalues_.tolist()}))
