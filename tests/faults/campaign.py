"""./dev faults: Mercer in a world that fails. Every allocation and every call for a file fails in turn, disks are full,
limits are low, inputs change, runs are killed, threads and forks meet. A table: how many faults, how many ended in a clean
error, how many did no harm, how many are findings; each finding with the command that shows it again."""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import injected
import kills
import scenarios
import threads
import world
from harness import Stage, Tally


def arguments():
    parser = argparse.ArgumentParser(prog="./dev faults", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a drawn part of everything, in some minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="commands at once that faults are injected into")
    parser.add_argument("--most", type=int, metavar="N", help="of each scenario and call no more than N faults, drawn")
    parser.add_argument("--only", metavar="WORDS", help="of the injected faults only the scenarios with these words in their name")
    parser.add_argument("--kinds", help="and only these calls: " + ", ".join(injected.KINDS))
    parser.add_argument("--kills", type=int, metavar="N", help="only kills, at N moments")
    parser.add_argument("--world", metavar="CHECK", nargs="?", const="", help="only the world's checks, or one of them")
    parser.add_argument("--python", action="store_true", help="only the Python module")
    parser.add_argument("--injected", action="store_true", help="only injected faults")
    parser.add_argument("--again", nargs=4, metavar=("SCENARIO", "KIND", "NUMBER", "HOW"), help="one fault, and where it struck")
    parser.add_argument("--ever", action="store_true", help="with --again: all calls from that one on")
    return parser.parse_args()


def inject_one(options, inputs, library, scenario, kinds):
    """In a process and a folder of its own; its lines of the table, and its findings."""
    stage, tally = Stage(inputs), Tally(quiet=True)
    try:
        injected.inject(library, stage, scenario, kinds, tally, options.seed, most=options.most or (8 if options.quick else None))
    finally:
        stage.close()
    return tally


def inject_all(options, inputs, tally, library):
    if options.only is None and options.kinds is None and options.quick:
        chosen = [s for i, s in enumerate(scenarios.SCENARIOS) if i % 4 == options.seed % 4]
    else:
        chosen = [s for s in scenarios.SCENARIOS if options.only is None or options.only in s.name]
    wanted = options.kinds.split(",") if options.kinds else injected.KINDS
    groups = (injected.MEMORY, [k for k in injected.KINDS if k not in injected.MEMORY])
    tasks = [(scenario, kinds) for scenario in chosen for group in groups if (kinds := [k for k in group if k in wanted])]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for done in concurrent.futures.as_completed([pool.submit(inject_one, options, inputs, library, *task) for task in tasks]):
            part = done.result()
            tally.take(part.lines, part.findings)


def run(options, inputs, stage, library):
    if options.again:
        name, kind, number, how = options.again
        injected.show(library, stage, next(s for s in scenarios.SCENARIOS if s.name == name), kind, int(number), how, options.ever)
        return 0
    tally = Tally()
    tally.head()
    everything = not (options.only or options.kinds or options.kills or options.world is not None or options.python or options.injected)
    if everything or options.only or options.kinds or options.injected:
        inject_all(options, inputs, tally, library)
    if everything or options.world is not None:
        stage.prepare(scenarios.SCENARIOS[0])
        checks = world.World(stage, tally, options.seed, most=3 if options.quick else None)
        checks.all([options.world] if options.world else world.CHECKS)
    if everything or options.kills:
        moments = options.kills or (45 if options.quick else 1000)
        kills.kill_many(stage, tally, moments, options.seed)
        kills.two_writers(stage, tally, max(3, moments // 9), options.seed)
    if (everything or options.python) and os.environ.get("PYTHONPATH"):
        threads.threads(tally)
        threads.memory(library, tally, stage.root / "python", options.seed, most=20 if options.quick else 1500)
    return tally.foot()


def main():
    options, library = arguments(), os.environ["MERCER_FAULTS_LIBRARY"]
    with tempfile.TemporaryDirectory(prefix="mercer-faults-") as folder:
        inputs = pathlib.Path(folder)
        scenarios.make_inputs(inputs)
        stage = Stage(inputs)
        try:
            return run(options, inputs, stage, library)
        finally:
            stage.close()


if __name__ == "__main__":
    sys.exit(main())
