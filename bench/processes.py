"""Running one contender: its time, its peak memory, and the ways in which it may end.

This process must stay small: what it held when it started a child would count towards the child's peak.
"""
import json
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

OUT_OF_MEMORY = ("memoryerror", "cannot allocate", "unable to allocate", "out of memory", "bad_alloc", "memory budget")


@dataclass
class Outcome:
    seconds: float      # of the whole process
    peak_bytes: int
    output: str
    problem: str = ""   # empty: it worked; otherwise what to show in its place

    def json(self):
        return json.loads(self.output)


def available_bytes():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


def problem_of(status, errors):
    if status == 0:
        return ""
    text = errors.lower()
    if status == -signal.SIGKILL or any(sign in text for sign in OUT_OF_MEMORY):
        return "out of memory"
    last = errors.strip().splitlines()[-1:] or ["no message"]
    return f"failed ({status}): {last[0]}"


def run(command, environment, limit, memory):
    """`memory`: bytes of address space beyond which the child is refused more, so that it fails and not the machine."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment,
                                 start_new_session=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        late = threading.Event()

        def stop():
            late.set()
            os.killpg(child.pid, signal.SIGKILL)

        timer = threading.Timer(min(limit, threading.TIMEOUT_MAX), stop)
        timer.start()
        try:
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), errors.seek(0)
        problem = problem_of(child.returncode, errors.read().decode(errors="replace"))
        if late.is_set():
            problem = f"> {limit:g} s"
        return Outcome(seconds, used.ru_maxrss * 1024, output.read().decode(errors="replace"), problem)
