"""The numerical tests on other BLAS kernels than the machine's own: kernels_test.py CORE PROGRAM...

OpenBLAS chooses kernels for the CPU it knows, and its oldest ones (Prescott: SSE3, no fused products) for CPUs that are newer than
itself. Bounds must hold on all of them. The cores that this CPU can run are tried; its own is what all other tests use.
A program may be followed by its arguments, in one word with commas: test_model,--gtest_filter=LowRank*
"""

import os
import subprocess
import sys

NEEDS = {"Prescott": {"pni"}, "Haswell": {"avx2", "fma"}, "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
SKIPPED = 77


def cpu_flags():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def chosen_core(program, core=None):
    environment = dict(os.environ, OPENBLAS_VERBOSE="2")
    environment.pop("OPENBLAS_CORETYPE", None)
    if core:
        environment["OPENBLAS_CORETYPE"] = core
    run = subprocess.run([program, "--gtest_list_tests"], env=environment, capture_output=True, text=True, timeout=60)
    for line in (run.stderr + run.stdout).splitlines():
        if line.startswith("Core: "):
            return line.split(": ")[1].strip()
    return None


def main(core, programs):
    if not NEEDS[core] <= cpu_flags():
        print(f"this CPU cannot run the kernels of {core}")
        return SKIPPED
    first = programs[0].split(",")[0]
    if chosen_core(first) == core:
        print(f"{core} is this CPU's own choice: all other tests run on it")
        return SKIPPED
    if chosen_core(first, core) != core:
        print(f"OpenBLAS does not take OPENBLAS_CORETYPE={core}: it says {chosen_core(first, core)}")
        return 1
    failed = 0
    for words in programs:
        command = words.split(",")
        print(f"== {core}: {' '.join(command)}", flush=True)
        failed += subprocess.run(command, env=dict(os.environ, OPENBLAS_CORETYPE=core)).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
