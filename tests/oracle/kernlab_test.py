"""Agreement of kpca with R kernlab's: eigenvalues, and new points projected, up to sign. Ends with 77, which ctest shows as
skipped, where R or kernlab is not installed."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

PROGRAM = os.environ["MERCER_PROGRAM"]
KERNELS = {  # (kernlab's laplacedot takes the Euclidean distance: another kernel than our laplacian)
    "rbf(gamma=0.3)": "rbfdot(sigma = 0.3)",
    "poly(degree=3, gamma=0.5, coef0=1)": "polydot(degree = 3, scale = 0.5, offset = 1)",
    "linear": "vanilladot()",
}
SCRIPT = """
suppressPackageStartupMessages(library(kernlab))
x <- as.matrix(read.csv("x.csv", header = FALSE))
new <- as.matrix(read.csv("new.csv", header = FALSE))
model <- kpca(x, kernel = {kernel}, features = 4)
write.table(predict(model, new), "scores.txt", row.names = FALSE, col.names = FALSE)
write.table(eig(model), "values.txt", row.names = FALSE, col.names = FALSE)
"""


def rscript(code, folder):
    return subprocess.run(["Rscript", "-e", code], cwd=folder, capture_output=True, text=True)


def compare(ours, theirs, folder):
    done = rscript(SCRIPT.replace("{kernel}", theirs), folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(subprocess.run([PROGRAM, "kpca", "x.csv", "--kernel", ours, "-k", "4", "--json", "--model", "m.mercer"],
                                       cwd=folder, capture_output=True, text=True, check=True).stdout)
    subprocess.run([PROGRAM, "transform", "m.mercer", "new.csv", "--out", "new.npy", "--quiet"], cwd=folder, check=True)
    values = np.loadtxt(folder / "values.txt")  # kernlab's are over n, and it scales a projection by 1/√eigenvalue of its own
    assert np.allclose(report["variances"], values, rtol=1e-9), (ours, report["variances"], values)
    scores, theirs_scores = np.load(folder / "new.npy"), np.loadtxt(folder / "scores.txt")
    for c in range(4):
        a, b = scores[:, c] / np.linalg.norm(scores[:, c]), theirs_scores[:, c] / np.linalg.norm(theirs_scores[:, c])
        assert min(np.abs(a - b).max(), np.abs(a + b).max()) < 1e-6, (ours, c, a[:3], b[:3])
    print(f"{ours}: four eigenvalues to 1e-9, projections to 1e-6")


def main():
    if not shutil.which("Rscript"):
        print("skipped: no R here (apt-get install r-cran-kernlab)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if rscript("library(kernlab)", folder).returncode != 0:
            print("skipped: R has no kernlab (apt-get install r-cran-kernlab)")
            return 77
        random = np.random.default_rng(0)
        np.savetxt(folder / "x.csv", random.normal(size=(60, 5)), delimiter=",", fmt="%.17g")
        np.savetxt(folder / "new.csv", random.normal(size=(20, 5)), delimiter=",", fmt="%.17g")
        for ours, theirs in KERNELS.items():
            compare(ours, theirs, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
