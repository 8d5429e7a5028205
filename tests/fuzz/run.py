#!/usr/bin/python3
"""./dev fuzz: runs libFuzzer over every target (or those named) and adds up what ran; --coverage: replays all kept
files and shows the branches of the readers that none of them takes."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
COUNTS = BUILD / "executions.json"
TARGETS = ["csv", "tsv", "gz", "libsvm", "npy", "npz", "tns", "pgm", "png", "graph", "model", "kernel", "basis",
           "formula", "options"]
# Longer inputs say nothing new, and cost time.
LONGEST = {"model": 32768, "npz": 4096, "graph": 4096, "png": 2048}
# What reads bytes from outside, for --coverage.
READERS = re.compile(r"src/(data/(?!.*(writ|generate|output|scaling|moments)).*|tensor/(tns_reader|pgm_image|png_image|image_stack|"
                     r"npy_tensor|npz_tensor|tensor_file)|graph/graph_file|model/(safetensors|model_file_reader|"
                     r"report_check|report_reader|saved_fields)|kernel/(parse|basis_parse|expression|formula_features))\.[ch]pp$")


def environment(**more):
    """One thread and no spinning; fontconfig keeps its caches until the process ends. Inputs are small: what was freed
    lies in quarantine for more than one of them all the same, and needs not fill the processor's caches."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
            "ASAN_OPTIONS": "quarantine_size_mb=4:malloc_context_size=8:detect_stack_use_after_return=0",
            "LSAN_OPTIONS": f"suppressions={ROOT / 'tests' / 'lsan.supp'}:print_suppressions=0", **more}


def corpora(target):
    """Folders of files to begin with: the first is the one that grows. What is no gzip file, its target packs."""
    own = BUILD / "corpus" / target
    own.mkdir(parents=True, exist_ok=True)
    begin = [place / name for place in (HERE / "seeds", HERE / "regressions", BUILD / "seeds")
             for name in ((target, "csv") if target == "gz" else (target,))]
    return [own] + [folder for folder in begin if folder.is_dir()]


def make_seeds(program):
    subprocess.run([program], check=True, env=environment(MERCER_FUZZ_SEEDS=str(BUILD / "seeds"), ASAN_OPTIONS="detect_leaks=0"))


def last_number(pattern, text):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def campaign(target, seconds):
    """Fuzzes one target; (executions, a second, edges covered, files that are findings)."""
    found = BUILD / "findings" / target
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    command = [str(BUILD / "bin" / "mercer_fuzz"), f"-max_total_time={seconds}", "-print_final_stats=1", "-timeout=25",
               "-rss_limit_mb=3000", "-detect_leaks=0", f"-max_len={LONGEST.get(target, 1024)}", f"-artifact_prefix={found}/",
               *map(str, corpora(target))]
    if target != "model":
        command.insert(1, "-len_control=100")  # short inputs first; having a mutator of our own turns it off
    words = HERE / "dictionaries" / f"{'csv' if target in ('tsv', 'gz') else target}.dict"
    if words.exists():
        command.insert(1, f"-dict={words}")
    log = BUILD / f"{target}.log"
    with open(log, "w", encoding="utf-8", errors="replace") as out:
        code = subprocess.run(command, stdout=out, stderr=out, env=environment(MERCER_FUZZ=target), check=False).returncode
    text = log.read_text(encoding="utf-8", errors="replace")
    runs = max(last_number(r"number_of_executed_units: (\d+)", text), last_number(r"(?m)^#(\d+)\t", text))
    findings = sorted(set(found.iterdir()) - before)
    if code != 0 and not findings:
        findings = [log]
    return runs, last_number(r"average_exec_per_sec: +(\d+)", text), last_number(r"cov: (\d+)", text), findings


def leaks(target):
    """Replays what is kept of one target, with a look for leaks at the end: libFuzzer's own, after each input, is slow.
    The file that says what was found, if it was."""
    log = BUILD / f"{target}.leaks.log"
    with open(log, "w", encoding="utf-8", errors="replace") as out:
        code = subprocess.run([BUILD / "bin" / "fuzz_replay", *(f"{target}={folder}" for folder in corpora(target))],
                              stdout=out, stderr=out, env=environment(), check=False).returncode
    return [log] if code != 0 else []


def fuzz(targets, seconds, jobs):
    make_seeds(BUILD / "bin" / "mercer_fuzz")
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    bad = []
    print(f"{'target':>8}  {'executions':>12}  {'in all':>14}  {'a second':>9}  {'edges':>7}  findings", flush=True)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(lambda target=target: (*campaign(target, seconds), leaks(target))): target
                   for target in targets}
        for done in concurrent.futures.as_completed(running):
            target = running[done]
            runs, rate, edges, findings, leaking = done.result()
            counts[target] = counts.get(target, 0) + runs
            COUNTS.write_text(json.dumps(counts, indent=1))
            bad += [(target, path) for path in findings + leaking]
            print(f"{target:>8}  {runs:12,}  {counts[target]:14,}  {rate:9,}  {edges:7,}  {len(findings + leaking)}",
                  flush=True)
    print(f"{'all':>8}  {'':12}  {sum(counts.values()):14,}")
    for target, path in bad:
        if path.suffix == ".log":
            print(f"\nfinding: {path} says what it was; the files are in build/fuzz/corpus/{target}")
            continue
        print(f"\nfinding: {path}\n  replay:  build/fuzz/bin/fuzz_replay {target}={path}\n"
              f"  keep it: cp {path} tests/fuzz/regressions/{target}/")
    return 1 if bad else 0


def uncovered_branches(data):
    """file -> {(line, column): [times true, times false]}, of all instances of a template together."""
    out = {}
    for unit in data["data"]:
        for function in unit["functions"]:
            for branch in function.get("branches", []):
                line, column, true, false, file = branch[0], branch[1], branch[4], branch[5], branch[6]
                name = os.path.relpath(os.path.realpath(function["filenames"][file]), ROOT)
                sides = out.setdefault(name, {}).setdefault((line, column), [0, 0])
                sides[0] += true
                sides[1] += false
    return out


def coverage():
    build = ROOT / "build" / "coverage"
    program, raw, merged = build / "bin" / "fuzz_replay", build / "replay.profraw", build / "replay.profdata"
    subprocess.run([program, HERE / "seeds", HERE / "regressions", BUILD / "seeds", BUILD / "corpus"], check=False,
                   env=environment(LLVM_PROFILE_FILE=str(raw)))  # what it finds it says
    subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", merged], check=True)
    made = subprocess.run(["llvm-cov", "export", f"-instr-profile={merged}", program], check=True, stdout=subprocess.PIPE)
    all_sides = all_taken = 0
    for name, branches in sorted(uncovered_branches(json.loads(made.stdout)).items()):
        if not READERS.search(name):
            continue
        sides = 2 * len(branches)
        missing = [(line, side) for (line, _), counts in sorted(branches.items())
                   for side, count in zip(("true", "false"), counts) if count == 0]
        all_sides, all_taken = all_sides + sides, all_taken + sides - len(missing)
        print(f"{name}: {sides - len(missing)} of {sides} sides of branches")
        text = (ROOT / name).read_text().splitlines()
        for line, side in missing:
            print(f"  {line:4} never {side:5}  {text[line - 1].strip()[:100]}")
    print(f"readers: {all_taken} of {all_sides} sides of branches taken ({100 * all_taken / max(1, all_sides):.1f} %)")
    return 0


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="of each target (default 60)")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time (default 1)")
    parser.add_argument("--coverage", action="store_true")
    arguments = parser.parse_args()
    for target in arguments.targets:
        if target not in TARGETS:
            parser.error(f"no target '{target}': {', '.join(TARGETS)}")
    if arguments.coverage:
        return coverage()
    return fuzz(arguments.targets or TARGETS, arguments.seconds, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
