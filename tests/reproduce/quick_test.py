#!/usr/bin/python3
"""The quick part of one published table (named as argument): it is made, its figures are figures, and those that have a
sharp target hit it. Ends with 77, which ctest shows as skipped, where the data is not there."""
import json
import math
import pathlib
import subprocess
import sys

RUN = pathlib.Path(__file__).resolve().parent.parent.parent / "reproduce" / "run.py"


def t1(rows):
    """Within two points of the published error: the data is the same, the support vector machine is not."""
    for row in rows:
        if row["published"] is not None:
            yield abs(row["ours"] - row["published"]) <= 2, f"{row} is off by more than two points"


def t2(rows):
    """Within a third of the published ratio, but for the row that does not come out (see docs/reproduction.md)."""
    for row in rows:
        if row["row"] != "sigma = 0.1":
            yield 2 / 3 <= row["ours"] / row["published"] <= 3 / 2, f"{row} is off by more than a third"


def t3(rows):
    """Kernel PCA is better than linear PCA at both noises, by about the published factor without centring."""
    for row in rows:
        if row["column"] == "uncentred: factor":
            yield abs(row["ours"] - row["published"]) <= 0.15, f"{row} is off by more than 0.15"


def t4(rows):
    """Within the published deviation, and what ten splits leave open of the mean."""
    spread = {row["row"]: row["published"] for row in rows if row["column"] == "deviation over splits"}
    for row in rows:
        if row["column"] == "mean":
            allowed = 1.5 * spread[row["row"]]
            yield row["ours"] <= row["published"] + allowed, f"{row}: more than {allowed:.1f} points above"


def t5(rows):
    """Two decimals were printed. And LSA must be worth its while."""
    for row in rows:
        if row["published"] is not None:
            yield abs(row["ours"] - row["published"]) <= 0.0051, f"{row} differs in the printed decimals"
    found = {row["column"]: row["ours"] for row in rows}
    yield found["LSA, 100 components"] > found["term matching"], "LSA finds less than plain term matching"


def t6(rows):
    """The explained share to two decimals, each acid found, and three components that are consistent."""
    for row in rows:
        if row["column"] == "explained, %" and row["published"] is not None:
            yield abs(row["ours"] - row["published"]) <= 0.005, f"{row} differs in the printed decimals"
        if row["column"].startswith("correlation"):
            yield row["ours"] > 0.99, f"{row}: the acid is not found"
        if row["row"].startswith("core consistency") and row["published"] is not None:
            yield row["ours"] > 90, f"{row}: not consistent"


def t7(rows):
    """Two decimals."""
    for row in rows:
        yield abs(row["ours"] - row["published"]) <= 0.0051, f"{row} differs in the printed decimals"


def t8(rows):
    """The published order, and within five points of the figures."""
    found = {(row["row"], row["column"]): row["ours"] for row in rows}
    for row in rows:
        yield abs(row["ours"] - row["published"]) <= 5, f"{row} is off by more than five points"
        if row["column"] == "2DPCA":
            yield row["ours"] > found[row["row"], "PCA"], f"{row}: PCA recognises as many"


SHARP = {"T1": t1, "T2": t2, "T3": t3, "T4": t4, "T5": t5, "T6": t6, "T7": t7, "T8": t8}


def main(name):
    done = subprocess.run([sys.executable, "-B", RUN, name, "--quick", "--json", "-"], stdout=subprocess.PIPE, text=True)
    table = json.loads(done.stdout)["tables"][0]
    print(json.dumps(table, indent=1))
    if table["status"] == "skipped":
        print(f"skipped: {table['why']}")
        return 77
    complaints = [] if table["status"] == "done" and table["rows"] else [f"the table is not there: {table['why']}"]
    complaints += [f"{row} has no figure" for row in table["rows"]
                   if isinstance(row["ours"], float) and not math.isfinite(row["ours"])]
    if not complaints:
        complaints = [why for good, why in SHARP.get(name, lambda rows: [])(table["rows"]) if not good]
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
