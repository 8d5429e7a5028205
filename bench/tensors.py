"""One table: what tensors are made of, by us and by NumPy; same arrays, same threads, one run, interleaved, medians.

Dense: size³ doubles, rank 16 and noise. Sparse: 1000³ with 10⁷ entries at random places. "floor": flops over the GEMM rate or
bytes of the array over bandwidth, whichever is longer, both measured in this run. "memory": the peak of the process over the
bytes of the array (sparse: 8 bytes a value and 4 an index; as the peers hold it: 8 and 8). TensorLy's way is an unfolding
times a Khatri-Rao product; for sparse arrays it is SciPy's CSR unfolding, made before the clock starts.
"""
import argparse
import os
import statistics
import sys
import tempfile

from contenders import BINARIES, HERE, MERCER_BENCH
from floors import typical
from processes import available_bytes, run

OURS = os.path.join(BINARIES, "tensor_bench")
PEERS = [sys.executable, os.path.join(HERE, "numpy_tensors.py")]
RANK = 16
COLUMNS = ("operation", "ours s", "NumPy s", "TensorLy's way s", "NumPy, times ours", "TensorLy's way, times ours", "floor s",
           "ours, of floor", "memory, ours", "memory, NumPy", "agree")
# (words, operation, mode, passes over the array at least)
DENSE = [*((f"mode-{n + 1} product", "mode", n, 1) for n in range(3)), *((f"MTTKRP, mode {n + 1}", "mttkrp", n, 1) for n in range(3)),
         ("ST-HOSVD to 16³", "st-hosvd", 0, 0), ("CP-ALS sweep", "sweep", 0, 2)]
SPARSE = [row for row in DENSE if row[1] in ("mttkrp", "sweep")]


class Bench:
    def __init__(self, options):
        self.options, self.memory = options, int(0.9 * available_bytes())
        threads = str(len(os.sched_getaffinity(0)))
        plain = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
        self.theirs = {**plain, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        self.ours = {**self.theirs, "OMP_WAIT_POLICY": "passive"}

    def run(self, command, ours):
        outcome = run([str(word) for word in command], self.ours if ours else self.theirs, self.options.limit, self.memory)
        if outcome.problem and command[1] == "make":
            raise SystemExit(f"tensors.py: the data could not be written: {outcome.problem}")
        return outcome

    def rates(self):
        return typical([self.run([MERCER_BENCH, "rates"], True).json() for _ in range(3)])

    def operation(self, name, mode, our_file, their_file):
        """Medians of seconds and peaks, ours and the peers', and the numbers that must agree."""
        rest = ["--mode", mode, "--rank", RANK, "--repeats", self.options.repeats]
        commands = {"ours": [OURS, name, our_file, *rest], "numpy": [*PEERS, "numpy", name, their_file, *rest]}
        if name != "st-hosvd":
            commands["tensorly"] = [*PEERS, "tensorly", name, their_file, *rest]
        seconds, peaks, checks = ({who: [] for who in commands} for _ in range(3))
        for turn in range(self.options.rounds):
            for who, command in commands.items():
                print(f"  round {turn + 1}, {name} {mode + 1}: {who}", file=sys.stderr, flush=True)
                outcome = self.run(command, who == "ours")
                if outcome.problem:
                    print(f"    {who}: {outcome.problem}", file=sys.stderr)
                    continue
                answer = outcome.json()
                seconds[who].append(statistics.median(answer["seconds"][1:] or answer["seconds"]))
                peaks[who].append(outcome.peak_bytes)
                checks[who].append(answer["check"])
        middle = lambda values: {who: statistics.median(v) if v else None for who, v in values.items()}
        return middle(seconds), middle(peaks), {who: v[0] for who, v in checks.items() if v and v[0] is not None}


def floor(rates, entries, stored_bytes, name, passes, size):
    if name == "st-hosvd":  # the Gram matrix of the first mode, and its product; the rest is small
        return (entries * size + 2 * entries * RANK) / rates["gemm_double"]
    return passes * max(2 * entries * RANK / rates["gemm_double"], stored_bytes / rates["read_bytes"])


def agreement(checks):
    if len(checks) < 2:
        return "–"
    ours = checks["ours"]
    worst = max(abs(value / ours - 1) for who, value in checks.items() if who != "ours")
    return f"{worst:.0e}"


def cell(value, form="{:.3f}"):
    return "–" if value is None else form.format(value)


def ratio(a, b):
    return None if a is None or b is None else a / b


def table(title, rows):
    print(f"\n**{title}**\n\n| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def measure(bench, kind, size, entries, operations, folder, verdicts):
    peers_file = os.path.join(folder, "x.npy" if kind == "dense" else "x.npz")
    our_file = peers_file if kind == "dense" else os.path.join(folder, "x.tns")
    bench.run([*PEERS, "make", kind, peers_file, size, *([entries] if kind == "sparse" else [])], False)
    count = size**3 if kind == "dense" else entries
    stored = count * (8 if kind == "dense" else 20)
    rates, rows = bench.rates(), []
    for words, name, mode, passes in operations:
        seconds, peaks, checks = bench.operation(name, mode, our_file, peers_file)
        least = floor(rates, count, stored, name, passes if kind == "dense" else 3 if name == "sweep" else 1, size)
        ours, memory = seconds["ours"], ratio(peaks["ours"], stored)
        rows.append([words, cell(ours, "{:.4f}"), cell(seconds["numpy"]), cell(seconds.get("tensorly")),
                     cell(ratio(seconds["numpy"], ours), "{:.1f}"), cell(ratio(seconds.get("tensorly"), ours), "{:.1f}"),
                     cell(least, "{:.4f}"), cell(ratio(ours, least), "{:.2f}"), cell(memory, "{:.2f}"),
                     cell(ratio(peaks["numpy"], count * (8 if kind == "dense" else 32)), "{:.2f}"), agreement(checks)])
        if name == "mttkrp" and kind == "dense":
            verdicts.append((f"dense {words} within 1.5 of the floor", ratio(ours, least), lambda v: v <= 1.5))
        if name == "sweep":
            times = 1.5 if kind == "dense" else 5
            fastest = min(s for who, s in seconds.items() if who != "ours" and s)
            verdicts.append((f"{kind} sweep {times} times as fast as NumPy's (the faster way)", ratio(fastest, ours), lambda v, t=times: v >= t))
        if memory:
            verdicts.append((f"{kind} {words}: peak at most 1.2 of the tensor (and 60 MB for the program)",
                             (peaks["ours"] - 60e6) / stored, lambda v: v <= 1.2))
    print(f"\nGEMM {rates['gemm_double'] / 1e9:.0f} GFLOP/s, reading {rates['read_bytes'] / 1e9:.0f} GB/s", end="")
    table(f"{kind}: {size}³" + (f", {entries:,} entries" if kind == "sparse" else "") + f", rank {RANK}", rows)
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(prog="./dev bench tensors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="of an operation in a process (default 5)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it all work?")
    parser.add_argument("--only", choices=("dense", "sparse"))
    parser.add_argument("--limit", type=float, default=900, metavar="S", help="seconds that a process may take (default 900)")
    options = parser.parse_args()
    bench, verdicts = Bench(options), []
    print(f"Load before it began: {os.getloadavg()[0]:.1f}; {options.rounds} rounds.")
    for kind, size, entries, operations in (("dense", 60 if options.quick else 400, 0, DENSE),
                                            ("sparse", 100 if options.quick else 1000, 50_000 if options.quick else 10**7, SPARSE)):
        if options.only in (None, kind):
            with tempfile.TemporaryDirectory() as folder:
                measure(bench, kind, size, entries, operations, folder, verdicts)
    print("\nTargets" + (" (at quick sizes they mean nothing)" if options.quick else ""))
    for words, value, good in verdicts:
        said = "not measured" if value is None else f"{value:.2f}  {'met' if good(value) else 'NOT MET'}"
        print(f"  {words:<75} {said}")


if __name__ == "__main__":
    main()
