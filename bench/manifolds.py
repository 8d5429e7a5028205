"""One table: maps of neighbourhood graphs by us and by scikit-learn; same data, same threads, one run, interleaved, medians.

n points of a smooth image of a cube in 50 dimensions, 12 neighbours, 2 components, and MNIST's 60,000 x 784 where --mnist
names it as npy. "fit" is the time inside the process without reading the data, "process" the whole of
`mercer METHOD x.npy --out map.npy` and of a script that loads and fits; memory is the peak that the kernel counted for the process.
Our fit includes the certificate; measuring the quality of the map, which scikit-learn does not do, has a column of its own and is
part of our process. Of a process that took longer than --limit seconds the ratio is what it is at least, and its memory what it had taken by then. On MNIST t-SNE of
scikit-learn is run for 250 iterations, all of them with exaggeration (which costs the same), and its time scaled: marked ~.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

from contenders import BINARIES, HERE, MERCER
from processes import available_bytes, run

PEER = [sys.executable, os.path.join(HERE, "sklearn_manifolds.py")]
NEIGHBORS_BENCH = os.path.join(BINARIES, "neighbors_bench")
METHODS = {"isomap": ["isomap"], "lle": ["lle"], "mlle": ["lle", "--variant", "modified"], "hlle": ["hlle"],
           "laplacian": ["laplacian"], "tsne": ["tsne"]}
OF_MNIST = ("neighbors", "laplacian", "tsne")
ITERATIONS, FEWEST = 1000, 250
COLUMNS = ("", "ours: fit s", "quality s", "process s", "peak MB", "scikit-learn: fit s", "process s", "peak MB", "fit, times ours",
           "process, times ours", "memory, ours of theirs", "KL ours, theirs")


class Bench:
    def __init__(self, options):
        self.options, self.memory = options, int(0.95 * available_bytes())
        threads = str(len(os.sched_getaffinity(0)))
        plain = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
        self.theirs = {**plain, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        self.ours = {**self.theirs, "OMP_WAIT_POLICY": "passive", "MERCER_CACHE": "off"}

    def run(self, command, ours):
        return run([str(word) for word in command], self.ours if ours else self.theirs, self.options.limit, 1 << 46)

    def our_turn(self, method, x, folder):
        if method == "neighbors":
            command = [NEIGHBORS_BENCH, x, 12]
        else:
            count = ["--perplexity", 30] if method == "tsne" else ["--neighbors", 12]
            command = [MERCER, *METHODS[method], x, *count, "-k", 2, "--json", "--quiet", "--out", os.path.join(folder, "map.npy")]
        outcome = self.run(command, True)
        if outcome.problem:
            return outcome.problem
        report = json.loads(outcome.output)
        seconds = report["seconds"]
        if method == "neighbors":
            return seconds["neighbors"], outcome.seconds, outcome.peak_bytes, None, None
        fit = seconds["total"] - sum(seconds.get(stage, 0) for stage in ("read", "write", "quality"))
        return fit, outcome.seconds, outcome.peak_bytes, report.get("kl_divergence"), seconds.get("quality")

    def their_turn(self, method, x, scaled):
        outcome = self.run([*PEER, method, x, FEWEST if scaled else ITERATIONS], False)
        if outcome.problem.startswith("> "):
            return outcome.problem, None, outcome.peak_bytes, None, None
        if outcome.problem:
            return outcome.problem
        answer = outcome.json()
        times = ITERATIONS / FEWEST if scaled else 1
        return (answer["seconds"] * times, None if scaled else outcome.seconds, outcome.peak_bytes,
                None if scaled else answer["kl_divergence"], None)


def middle(turns):
    good = [t for t in turns if not isinstance(t, str)]
    if not good:
        return turns[0], None, None, None, None
    late = [t for t in good if isinstance(t[0], str)]
    if late:
        return late[0]
    pick = [[v for v in column if v is not None] for column in zip(*good)]
    return tuple(statistics.median(column) if column else None for column in pick)


def cell(value, form="{:.2f}"):
    return "–" if value is None else value if isinstance(value, str) else form.format(value)


def ratio(a, b):
    """a / b; at least so much where a is "> 420 s", a process that was stopped."""
    if isinstance(a, str) and a.startswith("> "):
        a = float(a.split()[1])
    return None if a is None or b is None or isinstance(a, str) or isinstance(b, str) else a / b


def measure(bench, title, x, methods, folder, verdicts):
    rows = []
    for method in methods:
        scaled = method == "tsne" and "MNIST" in title
        ours, theirs = [], []
        for turn in range(1 if "MNIST" in title else bench.options.rounds):
            print(f"  {title}, round {turn + 1}: {method}", file=sys.stderr, flush=True)
            ours.append(bench.our_turn(method, x, folder))
            theirs.append(bench.their_turn(method, x, scaled))
        mine, peer = middle(ours), middle(theirs)
        fits, processes, memory = ratio(peer[0], mine[0]), ratio(peer[1], mine[1]), ratio(mine[2], peer[2])
        late = "> " if isinstance(peer[0], str) and fits else ""
        kl = "–" if mine[3] is None else f"{mine[3]:.3f}, {cell(peer[3], '{:.3f}')}"
        rows.append([f"{title}: {method}", cell(mine[0]), cell(mine[4]), cell(mine[1]), cell(mine[2] and mine[2] / 1e6, "{:.0f}"),
                     ("~" if scaled else "") + cell(peer[0]), cell(peer[1]), late + cell(peer[2] and peer[2] / 1e6, "{:.0f}"),
                     late + cell(fits, "{:.1f}"),
                     cell(processes, "{:.1f}"), late.replace(">", "<") + cell(memory), kl])
        print("    " + " | ".join(rows[-1]), file=sys.stderr, flush=True)
        verdicts.append((f"{title}: {method} 5 times as fast", fits, lambda v: v >= 5))
        verdicts.append((f"{title}: {method} no more memory", memory, lambda v: v <= 1))
    return rows


def main():
    parser = argparse.ArgumentParser(prog="./dev bench manifolds", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default 3; MNIST once")
    parser.add_argument("--methods", default=",".join(METHODS), metavar="A,B", help="default all")
    parser.add_argument("--sizes", default="5000,20000", metavar="N,N", help="default 5000,20000")
    parser.add_argument("--mnist", metavar="FILE", help="60,000 x 784 as npy")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it all work?")
    parser.add_argument("--limit", type=float, default=1800, metavar="S", help="seconds that a process may take (default 1800)")
    options = parser.parse_args()
    bench, verdicts, rows = Bench(options), [], []
    methods = options.methods.split(",")
    print(f"Load before it began: {os.getloadavg()[0]:.1f}; {options.rounds} rounds.")
    with tempfile.TemporaryDirectory() as folder:
        for n in [600] if options.quick else [int(size) for size in options.sizes.split(",") if size]:
            x = os.path.join(folder, "x.npy")
            made = bench.run([*PEER, "make", x, n, 50], False)
            if made.problem:
                raise SystemExit(f"manifolds.py: the data could not be written: {made.problem}")
            rows += measure(bench, f"n {n:,} d 50", x, methods, folder, verdicts)
        if options.mnist:
            rows += measure(bench, "MNIST", options.mnist, [m for m in OF_MNIST if m in methods or m == "neighbors"], folder, verdicts)
    print("\n| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print("\nTargets" + (" (at quick sizes they mean nothing)" if options.quick else ""))
    for words, value, good in verdicts:
        said = "not measured" if value is None else f"{value:.2f}  {'met' if good(value) else 'NOT MET'}"
        print(f"  {words:<60} {said}")


if __name__ == "__main__":
    main()
