"""What Python costs on top of the library, at n = 5,000: the time of KernelPCA.fit beyond that of the C++ call inside of it,
in two parts: scikit-learn's checks of parameters and data, which its own estimators do as well, and the rest, which is the
binding. And the time to import mercer beyond numpy's. Fails above 1 % for the binding and 0.3 s. Of the repeats the least
counts, since other processes only add to it.

    PYTHONPATH=build/release/python bench/python_overhead.py
"""
import argparse
import statistics
import subprocess
import sys
import time

import numpy as np

IMPORT = "import time, numpy; t = time.perf_counter(); import mercer; print(time.perf_counter() - t)"


def import_seconds(repeats):
    """In interpreters of their own, numpy there already."""
    run = lambda: float(subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True).stdout)
    run()  # the files are in the cache from now on
    return statistics.median(run() for _ in range(repeats))


def fit_seconds(X, options, repeats):
    """(whole, of these the library, scikit-learn's checks) of each fit."""
    import mercer

    class Timed(mercer.KernelPCA):
        def _check_fit_input(self, X, **options):
            begin = time.perf_counter()
            checked = super()._check_fit_input(X, **options)
            self.check_seconds = time.perf_counter() - begin
            return checked

        def _fit_model(self, X, run):
            model = super()._fit_model(X, run)
            self.library_seconds = run.seconds
            return model

    out = []
    for _ in range(repeats + 1):
        kpca = Timed(**options)
        begin = time.perf_counter()
        kpca.fit(X)
        whole = time.perf_counter() - begin
        out.append((whole, kpca.library_seconds, kpca.check_seconds))
    return out[1:]  # the first one also wakes the threads


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=15)
    arguments = parser.parse_args()
    X = np.random.RandomState(0).standard_normal((arguments.n, arguments.features))
    worst = 0.0
    print(f"fit of {arguments.n} x {arguments.features}, seconds")
    print(f"{'':24} {'whole':>9} {'library':>9} {'checks':>9} {'binding':>9} {'share':>8}")
    for dtype in (np.float64, np.float32):
        for options in (dict(n_components=10, kernel="rbf"), dict(n_components=10, kernel="linear"),
                        dict(n_components=10, kernel="rbf", solver="tiled")):
            times = fit_seconds(X.astype(dtype), options, arguments.repeats)
            whole, library, checks = (statistics.median(column) for column in zip(*times))
            binding = min(w - l - c for w, l, c in times)
            worst = max(worst, binding / library)
            name = f"{options['kernel']} {options.get('solver', 'auto')} {np.dtype(dtype).name}"
            print(f"{name:24} {whole:9.4f} {library:9.4f} {checks:9.5f} {binding:9.5f} {100 * binding / library:6.2f} %")
    seconds = import_seconds(arguments.repeats)
    print(f"import mercer, beyond numpy's: {seconds:.3f} s")
    if worst > 0.01 or seconds > 0.3:
        sys.exit("the binding takes more than 1 % of a fit, or an import more than 0.3 s")


if __name__ == "__main__":
    main()
