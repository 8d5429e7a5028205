"""Runs that replace good files are killed (SIGKILL) or asked to stop (SIGTERM, SIGINT) at some moment, half of these
from when the first temporary file is there; and two runs write the same files at once. Old or new, whole, always."""
import os
import random
import signal
import time

from harness import HANGS_AFTER, Scenario
from scenarios import KERNEL, fit

OUTPUTS = ("s.csv", "m.mercer")


def killed(stage, scenario, number, draw, lasts):
    """What was wrong, and how it ended."""
    process = stage.start(scenario.arguments)
    if draw.random() < 0.5:
        time.sleep(draw.uniform(0, 1.1 * lasts))
    else:
        end = time.monotonic() + 10 * lasts
        while time.monotonic() < end and process.poll() is None and not any(".part-" in n for n in os.listdir(stage.folder)):
            pass
        time.sleep(draw.uniform(0, 0.004))
    process.send_signal(number)
    try:
        _, err = process.communicate(timeout=HANGS_AFTER)
    except Exception:
        process.kill()
        process.communicate()
        return ["hangs"], None
    wrong = []
    expected = {0, -number} if number == signal.SIGKILL else {0, 130, -number}  # before it listens it just ends
    if process.returncode not in expected:
        wrong.append(f"exit {process.returncode}: {err.decode(errors='replace')[:200]}")
    wrong += [f"{name} is {stage.state_of(name)}" for name in OUTPUTS if stage.state_of(name) not in ("old", "new")]
    left = {p.name for p in stage.folder.iterdir()} - stage.before
    if left and number != signal.SIGKILL:
        wrong.append("leaves " + ", ".join(sorted(left)))
    if left:  # the next run finds them
        code, _, err = stage.run(scenario.arguments)
        still = {p.name for p in stage.folder.iterdir()} - stage.before
        if code != 0 or still:
            wrong.append(f"the next run: exit {code}, leaves {sorted(still)}")
    return wrong, ("left" if left else "clean", process.returncode)


def kill_many(stage, tally, moments, seed):
    draw = random.Random(f"kills {seed}")
    scenarios = [Scenario("kpca", fit("kpca", "d.npy", *KERNEL), OUTPUTS),
                 Scenario("kpca npz", fit("kpca", "d.npz", "-k", 3, "--rank", 20), OUTPUTS),
                 Scenario("tucker", fit("tucker", "t.npy", "--ranks", "2,2,2"), OUTPUTS)]
    for scenario in scenarios:
        stage.prepare(scenario)
        began = time.monotonic()
        stage.run(scenario.arguments)
        lasts = time.monotonic() - began
        stage.reset()
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            findings, endings = [], {}
            count = max(1, moments // 9)
            for turn in range(count):
                wrong, ending = killed(stage, scenario, number, draw, lasts)
                endings[ending] = endings.get(ending, 0) + 1
                if wrong:
                    findings.append(f"{scenario.command()}, {number.name}, moment {turn}: {'; '.join(wrong)}\n"
                                    f"  ./dev faults --kills {moments} --seed {seed}")
                stage.reset()
            finished = sum(n for (ending, n) in endings.items() if ending and ending[1] == 0)
            tally.add(f"{number.name}: {scenario.name}", count, count - finished, finished, findings)


def two_writers(stage, tally, rounds, seed):
    """Both end well; what is there is one's or the other's."""
    draw = random.Random(f"writers {seed}")
    scenario = Scenario("two", fit("kpca", "d.npy", *KERNEL), OUTPUTS)
    stage.prepare(scenario)
    first = stage.new["s.csv"]
    other = fit("kpca", "d.npy", "-k", 2, "--kernel", "rbf(gamma=0.7)")
    stage.run(other)
    second = (stage.folder / "s.csv").read_bytes()
    findings, killed_rounds = [], 0
    for turn in range(rounds):
        stage.reset()
        a, b = stage.start(scenario.arguments), stage.start(other)
        wrong = []
        if draw.random() < 0.3:
            time.sleep(draw.uniform(0, 0.05))
            a.kill()
            killed_rounds += 1
        codes = [p.wait(timeout=HANGS_AFTER) for p in (a, b)]
        for process in (a, b):
            process.communicate()
        if codes[1] != 0 or codes[0] not in (0, -signal.SIGKILL):
            wrong.append(f"exits {codes}")
        if (stage.folder / "s.csv").read_bytes() not in (first, second):
            wrong.append("s.csv is neither's")
        if stage.state_of("m.mercer") != "new":
            wrong.append("m.mercer is " + stage.state_of("m.mercer"))
        left = {p.name for p in stage.folder.iterdir()} - stage.before
        if left and codes[0] == 0:
            wrong.append("leaves " + ", ".join(sorted(left)))
        if wrong:
            findings.append(f"two writers, round {turn}: {'; '.join(wrong)}\n  ./dev faults --kills {9 * rounds} --seed {seed}")
    stage.reset()
    for leftover in {p.name for p in stage.folder.iterdir()} - stage.before:
        (stage.folder / leftover).unlink()
    tally.add("two processes write the same files", rounds, killed_rounds, rounds - killed_rounds, findings)
