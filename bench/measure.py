"""Runs the contenders of a case in turn, round after round, and reduces what they did to medians."""
import os
import statistics
import sys
from dataclasses import dataclass, field

from contenders import MERCER_BENCH, contenders
from processes import run

ACCURATE = 1e-8  # relative deviation of an eigenvalue


@dataclass
class Row:
    """One contender's line; None where it was not measured."""
    name: str
    ours: bool
    problem: str = ""               # why there is nothing at all
    process_problem: str = ""       # why there is no whole process
    cold: float = None
    warm: float = None
    process: float = None
    peak: float = None              # of the process that fits several times
    process_peak: float = None
    eigenvalues: list = None
    deviation: float = None
    stages: dict = None             # ours: stage -> seconds, warm where there is a warm fit
    report: dict = None
    floors: dict = field(default_factory=dict)

    @property
    def seconds(self):
        """The time within a process: warm, or the first where there is no other."""
        return self.warm if self.warm is not None else self.cold

    @property
    def memory(self):
        return self.peak if self.peak is not None else self.process_peak

    @property
    def accurate(self):
        return self.deviation is not None and self.deviation < ACCURATE


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def deviation(values, truth):
    if values is None or truth is None or len(values) != len(truth):
        return None
    return max(abs(a / b - 1) for a, b in zip(values, truth))


class Bench:
    def __init__(self, options, peers, memory):
        self.options, self.peers, self.memory = options, peers, memory
        plain = {key: value for key, value in os.environ.items() if key != "OMP_WAIT_POLICY"}
        threads = str(options.threads)
        # Each waits as it does by itself: our command line passively, the others as their libraries do.
        self.theirs = {**plain, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        self.ours = {**self.theirs, "OMP_WAIT_POLICY": "passive", "MERCER_CACHE": "off"}
        self.rates = []

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def run(self, command, ours, limit=float("inf")):
        return run(command, self.ours if ours else self.theirs, limit, self.memory)

    def measure_rates(self):
        for _ in range(3):
            self.rates.append(self.run([MERCER_BENCH, "rates"], True).json())

    def write_data(self, case, folder):
        """In another process: see processes.py."""
        script = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "mixture.py")]

        def write(*arguments):
            done = self.run([*script, *map(str, arguments)], False)
            if done.problem:
                raise SystemExit(f"compare.py: the data could not be written: {done.problem}")

        if case.kind == "lowrank":
            for kind in ("double", "float"):
                os.mkdir(os.path.join(folder, kind))
                write(os.path.join(folder, kind, "x.npy"), case.n, case.d, *(["--float"] if kind == "float" else []))
        elif case.kind == "transform":
            write(os.path.join(folder, "x.npy"), case.n, case.d,
                  "--new", case.new_points, os.path.join(folder, "new.npy"),
                  "--new", 4 * case.new_points, os.path.join(folder, "more.npy"))
        elif case.kind != "mnist":
            write(os.path.join(folder, "x.npy"), case.n, case.d)

    def case(self, case, folder):
        self.say(f"case {case.title}")
        self.write_data(case, folder)
        self.measure_rates()
        everyone = contenders(case, folder, self.peers, self.options.all, self.options.mnist)
        if self.options.only:
            starts = tuple(self.options.only.split(","))
            everyone = [c for c in everyone if c.name.startswith(starts)]
        rows = {c.name: Row(c.name, c.ours, c.missing) for c in everyone}
        runs = {c.name: ([], []) for c in everyone}
        for one in everyone:
            if one.prepare and not rows[one.name].problem:
                rows[one.name].problem = self.run(one.prepare, one.ours).problem
        for turn in range(self.options.rounds):
            for one in everyone:
                self.take_turn(one, rows[one.name], runs[one.name], turn)
        self.measure_rates()
        for one in everyone:
            self.reduce(rows[one.name], *runs[one.name], one.reports)
        truth = rows[everyone[0].name].eigenvalues
        for row in rows.values():
            row.deviation = deviation(row.eigenvalues, truth)
        return list(rows.values())

    def take_turn(self, one, row, runs, turn):
        for command, outcomes in zip((one.repeated, one.process), runs):
            if row.problem or row.process_problem or not command or (one.slow and turn > 0):
                continue
            self.say(f"  round {turn + 1}, {one.name}: {'fits in one process' if command is one.repeated else 'process'}")
            outcome = self.run(command, one.ours, self.options.limit)
            if not outcome.problem:
                outcomes.append(outcome)
            elif command is one.process and runs[0]:
                row.process_problem = outcome.problem
            else:
                row.problem = outcome.problem

    @staticmethod
    def reduce(row, repeated, processes, reports):
        results = [outcome.json() for outcome in repeated]
        row.cold = median(r["seconds"][0] for r in results)
        row.warm = median(median(r["seconds"][1:]) for r in results)
        row.process = median(outcome.seconds for outcome in processes)
        row.peak = median(outcome.peak_bytes for outcome in repeated)
        row.process_peak = median(outcome.peak_bytes for outcome in processes)
        fits = [r["reports"] for r in results if "reports" in r]
        if reports:
            fits = [[outcome.json()] for outcome in processes]
        if fits:
            row.report = fits[-1][-1]
            row.eigenvalues = row.report["gram_eigenvalues"]
            warm = [report["seconds"] for fit in fits for report in (fit[1:] or fit)]
            row.stages = {stage: median(seconds[stage] for seconds in warm) for stage in warm[0]}
        elif results and "eigenvalues" in results[0]:
            row.eigenvalues = results[0]["eigenvalues"]
        elif results and "sum" in results[0]:  # transform: of all scores' absolute values
            row.eigenvalues = [results[0]["sum"]]
