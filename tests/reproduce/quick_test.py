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


def t5(rows):
    """Two decimals were printed. And LSA must be worth its while."""
    for row in rows:
        if row["published"] is not None:
            yield abs(row["ours"] - row["published"]) <= 0.0051, f"{row} differs in the printed decimals"
    found = {row["column"]: row["ours"] for row in rows}
    yield found["LSA, 100 components"] > found["term matching"], "LSA finds less than plain term matching"


SHARP = {"T1": t1, "T5": t5}


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
