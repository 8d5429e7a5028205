"""The commands that faults are injected into, and the small inputs that they read."""
import pathlib
import random
import struct
import subprocess

from harness import PROGRAM, Scenario, environment


def npy(shape, values):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    head += " " * (127 - 10 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}d", *values)


def make_inputs(folder: pathlib.Path):
    """Files of every format, a model of every kind that the later commands use."""
    def mercer(*arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, env=environment(), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"mercer {' '.join(map(str, arguments))}: {done.stderr}")

    draw = random.Random(17)
    rows = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(60)]
    text = "".join(",".join(f"{v:.9g}" for v in row) + f",{'ab'[i % 2]}\n" for i, row in enumerate(rows))
    (folder / "d.csv").write_text("p,q,r,s,class\n" + text)
    (folder / "d.npy").write_bytes(npy((60, 4), [v for row in rows for v in row]))
    (folder / "t.npy").write_bytes(npy((6, 5, 4), [draw.gauss(0, 1) for _ in range(120)]))
    (folder / "d.libsvm").write_text("".join(
        f"{i % 2} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(row) if j != i % 4) + "\n" for i, row in enumerate(rows)))
    mercer("convert", "d.npy", "d.npz")
    mercer("convert", "d.csv", "d.csv.gz", "--label", "class")
    mercer("kpca", "d.npy", "-k", 2, "--kernel", "rbf(gamma=0.3)", "--model", "kpca.mercer", "--out", "z.csv")
    mercer("tucker", "t.npy", "--ranks", "2,2,2", "--model", "tucker.mercer")
    mercer("kpca", "d.npy", "-k", 2, "--rank", 8, "--model", "low.mercer")
    mercer("lda", "d.csv", "--label", "class", "--model", "lda.mercer")


BOTH = ("s.csv", "m.mercer")
KERNEL = ["-k", 2, "--kernel", "rbf(gamma=0.3)"]


def fit(method, data, *more, outputs=BOTH):
    return [method, data, *more, *(["--out", outputs[0]] if outputs else []), *(["--model", outputs[1]] if len(outputs) > 1 else [])]


SCENARIOS = [
    Scenario("kpca csv dense", fit("kpca", "d.csv", *KERNEL, "--label", "class", "--route", "dense"), BOTH),
    Scenario("kpca csv.gz stored", fit("kpca", "d.csv.gz", *KERNEL, "--label", "class", "--route", "stored"), BOTH),
    Scenario("kpca npy tiled", fit("kpca", "d.npy", *KERNEL, "--route", "tiled"), BOTH),
    Scenario("kpca npz low rank", fit("kpca", "d.npz", *KERNEL, "--rank", 8), BOTH),
    Scenario("kpca npy low rank, streamed", fit("kpca", "d.npy", *KERNEL, "--rank", 8, "--memory", "3M"), BOTH),
    Scenario("kpca csv low rank, streamed", fit("kpca", "d.csv", *KERNEL, "--rank", 8, "--label", "class", "--memory", "3M"), BOTH),
    Scenario("kpca libsvm", fit("kpca", "d.libsvm", *KERNEL), BOTH),
    Scenario("pca csv", fit("pca", "d.csv", "-k", 2, "--label", "class"), BOTH),
    Scenario("isomap npy", fit("isomap", "d.npy", "--neighbors", 8), BOTH),
    Scenario("tucker npy", fit("tucker", "t.npy", "--ranks", "2,2,2"), BOTH),
    Scenario("lda csv", fit("lda", "d.csv", "--label", "class"), BOTH),
    Scenario("tsne npy", fit("tsne", "d.npy", "--perplexity", 5, "--iterations", 30), BOTH),
    Scenario("transform npy", ["transform", "kpca.mercer", "d.npy", "--out", "s.npy"], ["s.npy"]),
    Scenario("transform csv.gz to npz", ["transform", "low.mercer", "d.npy", "--out", "s.npz"], ["s.npz"]),
    Scenario("inverse", ["inverse", "kpca.mercer", "z.csv", "--out", "x.csv"], ["x.csv"]),
    Scenario("predict", ["predict", "lda.mercer", "d.csv", "--label", "class", "--out", "y.csv"], ["y.csv"]),
    Scenario("update", ["update", "low.mercer", "d.npy", "--model", "m.mercer"], ["m.mercer"]),
    Scenario("info", ["info", "kpca.mercer", "--json"]),
    Scenario("plot svg", ["plot", "z.csv", "--out", "p.svg"], ["p.svg"]),
    Scenario("plot png of a model", ["plot", "kpca.mercer", "--out", "p.png"], ["p.png"]),
    Scenario("convert csv to npz", ["convert", "d.csv", "c.npz", "--label", "class"], ["c.npz"]),
    Scenario("convert npy to csv.gz", ["convert", "d.npy", "c.csv.gz"], ["c.csv.gz"]),
    Scenario("convert array to npz", ["convert", "t.npy", "c.npz"], ["c.npz"]),
]
