"""One table: kernel PCA by us and by the peers; same data, same threads, one run, interleaved, medians.

Each contender runs in processes of its own. "cold" is the first fit in a process, "warm" the median of the later ones,
"process" the whole of another process that makes one fit through the tool's usual front door: ours is
`mercer kpca x.npy --out scores.npy`, theirs a script that loads, fits and saves. Memory is the peak that the kernel
counted for the process. "off by" is the largest relative deviation of an eigenvalue from ours, whose residuals are
measured; up to 1e-8 counts as accurate.
"""
import argparse
import datetime
import json
import os
import sys
import tempfile
from dataclasses import asdict

import cases
from contenders import MERCER, MERCER_BENCH, Peers
from floors import Floors, typical
from measure import Bench
from processes import available_bytes
from table import markdown_table, target_lines, text_table, words
from targets import targets


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ", ".join(case.title for case in cases.CASES)
    parser.add_argument("--cases", metavar="A,B", help=f"default {','.join(cases.DEFAULT)}; of {names}")
    parser.add_argument("--all", action="store_true", help="every case, and the slow peers at d (an hour)")
    parser.add_argument("--only", metavar="A,B", help="these contenders alone, by how their names begin")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default 3")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it all work?")
    parser.add_argument("--limit", type=float, default=900, metavar="S", help="seconds that a process may take (default 900)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="N", help="default: all cores")
    parser.add_argument("--mnist", metavar="FILE", help="60,000 x 784 as npy, for the case mnist")
    parser.add_argument("--json", metavar="FILE", help="everything measured")
    parser.add_argument("--markdown", metavar="FILE", help="the tables, to be pasted into docs/performance.md")
    options = parser.parse_args()
    if options.cases:
        options.names = options.cases.split(",")
    else:
        options.names = [case.name for case in cases.CASES] if options.all else list(cases.DEFAULT)
    if options.mnist and "mnist" not in options.names:
        options.names.append("mnist")
    if options.rounds < 1 or options.threads < 1 or options.limit <= 0:
        parser.error("--rounds, --threads and --limit are above 0")
    for program in (MERCER, MERCER_BENCH):
        if not os.path.exists(program):
            parser.error(f"{os.path.basename(program)} is not built: run ./dev bench")
    return options


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown processor")


def heading(options, peers, load):
    versions = ", ".join(f"{name} {version.removeprefix('mercer ')}" if version else f"no {name}"
                         for name, version in peers.versions.items())
    out = [f"{datetime.date.today()}, {processor()}, {options.threads} threads, {options.rounds} rounds; {versions}",
           "RBF with gamma = 1/d on standardised mixtures of 15 Gaussians."]
    if options.quick:
        out.append("Quick sizes: the figures and verdicts mean nothing.")
    if load > 0.5:
        out.append(f"The machine was not quiet: load {load:.1f} before it began.")
    return out


def rates_words(rates):
    return (f"Rates of this run, medians: GEMM {rates['gemm_double'] / 1e9:.0f} GFLOP/s double, {rates['gemm_float'] / 1e9:.0f} float; "
            f"exp {rates['exp_double'] / 1e9:.2f} and {rates['exp_float'] / 1e9:.2f} billion/s; "
            f"reading {rates['read_bytes'] / 1e9:.0f} GB/s, fresh memory {rates['fresh_bytes'] / 1e9:.1f} GB/s.")


def add_floors(case, rows, rates):
    floors = Floors(rates)
    for row in rows:
        if row.report:
            row.floors = floors.stages(row.report)
        elif case.kind == "transform" and row.ours and row.warm is not None:
            row.floors = {"transform": (floors.transform(case, "float" if "float" in row.name else "double"),) * 2}


class Output:
    """The tables as they come, on the screen and for the files."""

    def __init__(self):
        self.markdown = []

    def sentences(self, lines, bullets=True):
        for text in lines:
            print(f"  {text}" if bullets else text)
            self.markdown.append(f"- {text}" if bullets else text)
        self.markdown.append("")

    def case(self, case, rows):
        print(f"\n{case.title}\n{text_table(case, rows)}")
        self.markdown += [f"**{case.title}**", "", markdown_table(case, rows), ""]
        self.sentences(words(case, rows))
        sys.stdout.flush()

    def targets(self, verdicts, quick):
        if not verdicts:
            return
        print("\nTargets" + (" (at quick sizes they mean nothing)" if quick else ""))
        self.markdown += ["| case | target | measured | |", "|---|---|---|---|"]
        for case, target, measured, said in target_lines(verdicts):
            print(f"  {case:<10} {target:<80} {measured:>14}  {said}")
            self.markdown.append(f"| {case} | {target} | {measured} | {said} |")


def main():
    options = parse()
    load, peers, output = os.getloadavg()[0], Peers(), Output()
    bench = Bench(options, peers, int(0.9 * available_bytes()))
    head = heading(options, peers, load)
    output.sentences(head, bullets=False)
    results, verdicts = [], []
    for case in cases.chosen(options.names, options.quick):
        if case.kind == "mnist" and (not options.mnist or options.quick):
            output.sentences([f"mnist: skipped, {'it has no quick size' if options.mnist else 'give its file with --mnist'}"])
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = bench.case(case, folder)
        add_floors(case, rows, typical(bench.rates))
        output.case(case, rows)
        found = targets(case, rows)
        verdicts += found
        results.append({"case": asdict(case), "rows": [asdict(row) for row in rows], "targets": found})
    rates = typical(bench.rates)
    print()
    output.sentences([rates_words(rates)], bullets=False)
    output.targets(verdicts, options.quick)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"heading": head, "versions": peers.versions, "threads": options.threads, "rounds": options.rounds,
                       "quick": options.quick, "load": load, "rates": bench.rates, "cases": results}, file, indent=1)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write("\n".join(output.markdown) + "\n")


if __name__ == "__main__":
    main()
