"""Who takes part in a case, and with which commands."""
import os
import subprocess
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
BINARIES = os.path.join(HERE, "..", "build", "release", "bin")
MERCER, MERCER_BENCH, SPECTRA = (os.path.join(BINARIES, name) for name in ("mercer", "mercer_bench", "spectra_bench"))
SKLEARN = [sys.executable, os.path.join(HERE, "sklearn_kernel_pca.py")]
KERNLAB = ["Rscript", "--vanilla", os.path.join(HERE, "kernlab_kernel_pca.R")]


@dataclass
class Contender:
    name: str
    ours: bool = False
    repeated: list = field(default_factory=list)   # several times in one process: prints JSON
    process: list = field(default_factory=list)    # once, through the usual front door
    prepare: list = field(default_factory=list)    # before either, not measured
    reports: bool = False                          # the front door prints our report as JSON
    slow: bool = False                             # in the first round only
    missing: str = ""                              # why it does not take part


def answer(command):
    """What a command says; None when it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class Peers:
    """Which of them are installed, and in which version."""

    def __init__(self):
        self.versions = {
            "mercer": answer([MERCER, "--version"]),
            "scikit-learn": answer([sys.executable, "-c", "import sklearn; print(sklearn.__version__)"]),
            "kernlab": answer(["Rscript", "--vanilla", "-e", "cat(as.character(packageVersion('kernlab')))"]),
            "Spectra": answer(["dpkg-query", "-W", "-f=${Version}", "libspectra-dev"]) or "unknown version"
            if os.path.exists(SPECTRA) else None,
        }
        self.kpca_help = answer([MERCER, "kpca", "--help"]) or ""

    def missing(self, name):
        return "" if self.versions[name] else f"{name} is not installed"


def kernel(case):
    return "rbf(gamma=median)" if case.kind == "mnist" else f"rbf(gamma={case.gamma!r})"


def our_options(case, precision):
    options = ["--components", str(case.k), "--kernel", kernel(case), "--precision", precision, "--route", case.route]
    if precision == "double" and case.kind != "lowrank":
        options += ["--residual", repr(case.residual)]
    if case.memory:
        options += ["--memory", case.memory]
    return options + (["--rank", str(case.rank)] if case.rank else [])


def named(precision):
    return "mercer" if precision == "double" else "mercer, float"


def mercer(case, folder, precision, repeats=3):
    x, out = os.path.join(folder, "x.npy"), os.path.join(folder, "scores.npy")
    options = our_options(case, precision)
    return Contender(named(precision), True, [MERCER_BENCH, "fit", x, *options, "--repeats", str(repeats)],
                     [MERCER, "kpca", x, *options, "--out", out, "--quiet"])


def mercer_once(case, folder, x):
    """A fit too long to repeat: the command line alone, which reports its stages."""
    one = mercer(case, folder, "double")
    return Contender(one.name, True, process=[MERCER, "kpca", x, *one.process[3:-1], "--json"], reports=True)


def sklearn(case, folder, peers, solver, tolerance=0.0, repeats=3, slow=False):
    name = f"scikit-learn {solver}" + (f", tol {tolerance:g}" if tolerance else "")
    x, out = os.path.join(folder, "x.npy"), os.path.join(folder, "peer.npy")
    options = [x, str(case.k), repr(case.gamma), solver, repr(tolerance)]
    return Contender(name, False, [*SKLEARN, "fit", *options, str(repeats)], [*SKLEARN, "process", *options, out],
                     slow=slow, missing=peers.missing("scikit-learn"))


def spectra(case, folder, peers):
    x, out = os.path.join(folder, "x.npy"), os.path.join(folder, "peer.npy")
    start = [SPECTRA, x, str(case.k), kernel(case)]
    return Contender("Spectra, stored matrix", False, [*start, "3"], [*start, "1", out], missing=peers.missing("Spectra"))


def kernlab(case, folder, peers, repeats):
    x, out = os.path.join(folder, "x.npy"), os.path.join(folder, "peer.bin")
    start = [*KERNLAB, x, str(case.k), repr(case.gamma)]
    return Contender("R kernlab", False, [*start, str(repeats)], [*start, "1", out], slow=True,
                     missing=peers.missing("kernlab"))


def of_exact(case, folder, peers, everything):
    out = [mercer(case, folder, "double"), mercer(case, folder, "float"),
           sklearn(case, folder, peers, "arpack"), sklearn(case, folder, peers, "arpack", 1e-10),
           sklearn(case, folder, peers, "randomized"), spectra(case, folder, peers)]
    if case.n <= 5_000 or (everything and case.n <= 10_000):
        few = 2 if case.n <= 5_000 else 1
        out += [sklearn(case, folder, peers, "dense", repeats=few, slow=True), kernlab(case, folder, peers, few)]
    return out


def of_lowrank(case, folder, peers):
    out = []
    for precision in ("double", "float"):
        one = mercer(case, os.path.join(folder, precision), precision, repeats=1)
        if "--rank" not in peers.kpca_help:  # the command line does not offer it yet
            one.process = []
        out.append(one)
    return out


def of_transform(case, folder, peers):
    def at(name):
        return os.path.join(folder, name)

    out = []
    for precision in ("double", "float"):
        model = at(f"{precision}.mercer")
        options = ["--components", str(case.k), "--kernel", kernel(case), "--precision", precision]
        prepare = [MERCER, "kpca", at("x.npy"), *options, "--model", model, "--quiet"]
        door = [MERCER, "transform", model, at("new.npy"), "--out", at("scores.npy"), "--quiet"]
        out.append(Contender(named(precision), True, [MERCER_BENCH, "transform", model, at("new.npy"), "--repeats", "3"],
                             door, prepare))
        if precision == "double":
            more = [at("more.npy") if word == at("new.npy") else word for word in door]
            out.append(Contender(f"mercer, {4 * case.new_points:,} points", True, process=more))
    options = [at("x.npy"), str(case.k), repr(case.gamma), "arpack", "0"]
    out.append(Contender("scikit-learn", False, [*SKLEARN, "transform", at("model.pickle"), at("new.npy"), "3"],
                         [*SKLEARN, "transform-process", at("model.pickle"), at("new.npy"), at("peer.npy")],
                         [*SKLEARN, "model", *options, at("model.pickle")], missing=peers.missing("scikit-learn")))
    return out


def contenders(case, folder, peers, everything, mnist):
    if case.kind == "exact":
        return of_exact(case, folder, peers, everything)
    if case.kind == "large":
        return [mercer_once(case, folder, os.path.join(folder, "x.npy"))]
    if case.kind == "lowrank":
        return of_lowrank(case, folder, peers)
    if case.kind == "mnist":
        return [mercer_once(case, folder, mnist)]
    return of_transform(case, folder, peers)
