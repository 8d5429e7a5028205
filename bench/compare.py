"""One table: kernel PCA by us and by scikit-learn, same data, same threads, one run, interleaved.

usage: compare.py [--sizes 2000,5000,10000] [--dimensions 50] [--components 10] [--rounds 3]

Data: standardised mixtures of 15 Gaussians, whose eigenvalues beyond the 14th lie in a tight bulk;
RBF with gamma = 1/d, double. Each contender runs in a process of its own, `rounds` times in turn;
a process fits three times, the first is the cold time, the median of the others the warm one; the
table shows medians over rounds. Memory is the peak of the process. An answer counts as accurate
when its eigenvalues agree with ours, whose residuals are measured, to 1e-8.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "build", "release", "bin", "mercer_bench")


def mixture(n, d, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(15, d)) * 2
    x = centres[rng.integers(15, size=n)] + rng.normal(size=(n, d))
    return (x - x.mean(axis=0)) / x.std(axis=0)


def contender(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="2000,5000,10000")
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    threads = str(os.cpu_count())
    environment = {**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "OMP_WAIT_POLICY": "passive"}
    gamma, k = 1 / options.dimensions, str(options.components)

    print(f"kernel PCA, RBF gamma = 1/d, d = {options.dimensions}, k = {k}, double, {threads} threads, median of {options.rounds} rounds\n")
    print(f"{'n':>7}  {'contender':<26}{'cold s':>9}{'warm s':>9}{'peak MB':>9}{'times ours':>11}{'memory':>8}  eigenvalues off by")
    for n in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.npy")
            np.save(path, mixture(n, options.dimensions))
            peer = [sys.executable, os.path.join(HERE, "sklearn_kernel_pca.py"), path, k, str(gamma), "3"]
            commands = {
                "mercer": [PROGRAM, path, k, f"rbf(gamma={gamma})", "3"],
                "mercer, float": [PROGRAM, path, k, f"rbf(gamma={gamma})", "3", "float"],
                "scikit-learn arpack": peer + ["arpack"],
                "scikit-learn randomized": peer + ["randomized"],
            }
            if n <= 2000:
                commands["scikit-learn dense"] = peer + ["dense"]
            runs = {name: [] for name in commands}
            for _ in range(options.rounds):
                for name, command in commands.items():
                    runs[name].append(contender(command, environment))
        truth = np.array(runs["mercer"][0]["eigenvalues"])
        rows = {}
        for name, results in runs.items():
            rows[name] = (
                statistics.median(r["seconds"][0] for r in results),
                statistics.median(statistics.median(r["seconds"][1:]) for r in results),
                statistics.median(r["peak_bytes"] for r in results) / 1e6,
                np.abs(np.array(results[0]["eigenvalues"]) / truth - 1).max(),
            )
        ours = rows["mercer"]
        for name, (cold, warm, memory, error) in rows.items():
            print(f"{n:>7}  {name:<26}{cold:>9.3f}{warm:>9.3f}{memory:>9.0f}{warm / ours[1]:>10.1f}x{memory / ours[2]:>7.1f}x  {error:.1e}")
        accurate = [(row[1], name) for name, row in rows.items() if name.startswith("scikit") and row[3] < 1e-8]
        best, name = min(accurate)
        print(f"         against {name}, its fastest that is this accurate: {best / ours[1]:.1f}x faster warm, "
              f"{rows[name][0] / ours[0]:.1f}x cold, {rows[name][2] / ours[2]:.1f}x less memory")
        stages = runs["mercer"][0]["stages"]
        print(f"         our stages: {', '.join(f'{s} {t:.3f}' for s, t in stages.items())}; {runs['mercer'][0]['passes']} passes, "
              f"relative residual {runs['mercer'][0]['residual']:.0e}\n", flush=True)


if __name__ == "__main__":
    main()
