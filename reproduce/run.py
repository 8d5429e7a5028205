"""Published tables made again: each figure of a paper beside ours, the difference, and where it comes from.

A table is a file t*.py in this folder with TITLE, SOURCE and NOTES (texts) and table(context), which yields
(row, column, published, ours); published is None where the paper has no figure, and both may be words.
"""
import argparse
import importlib
import json
import pathlib
import re
import sys
import tempfile
import time
import traceback

from context import Context, Skip

HERE = pathlib.Path(__file__).resolve().parent


def modules():
    """T1 -> the name of its module, in order."""
    found = {}
    for path in HERE.glob("t*_*.py"):
        match = re.fullmatch(r"t(\d+)_\w+", path.stem)
        if match:
            found[f"T{match[1]}"] = path.stem
    return dict(sorted(found.items(), key=lambda item: int(item[0][1:])))


def parse(known):
    parser = argparse.ArgumentParser(prog="./dev reproduce", description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", type=str.upper, metavar="TABLE", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a subset of each table that takes minutes")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of every random choice (default 0)")
    parser.add_argument("--json", metavar="FILE", help="everything as JSON; '-' is standard output")
    parser.add_argument("--markdown", metavar="FILE", help="the tables, to be pasted into docs/reproduction.md")
    options = parser.parse_args()
    for name in options.tables:
        if name not in known:
            parser.error(f"there is no table {name}: there are {', '.join(known)}")
    return options


def make(name, module, options):
    """One table: what it is, its rows, and how it ended: done, skipped or failed."""
    out = {"table": name, "title": module.TITLE, "source": module.SOURCE, "notes": " ".join(module.NOTES.split()),
           "rows": [], "status": "done", "why": ""}
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mercer-reproduce-") as folder:
        try:
            for row, column, published, ours in module.table(Context(folder, options.quick, options.seed)):
                out["rows"].append({"row": str(row), "column": str(column), "published": plain(published), "ours": plain(ours)})
                print(f"  {name}: {row}, {column}: {shown(plain(ours))}", file=sys.stderr, flush=True)
        except Skip as reason:
            out.update(status="skipped", why=str(reason))
        except Exception as error:  # one table that fails must not take the others with it
            out.update(status="failed", why=f"{type(error).__name__}: {error}")
            traceback.print_exc()
    out["seconds"] = time.monotonic() - start
    return out


def plain(value):
    """numpy's numbers as Python's own."""
    return value.item() if hasattr(value, "item") else value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shown(value):
    if value is None:
        return "–"
    if not is_number(value):
        return str(value)
    return f"{value:.2f}" if abs(value) >= 0.995 and abs(value) < 1e5 else f"{value:.3g}"


def difference(row):
    if is_number(row["published"]) and is_number(row["ours"]):
        return f"{round(row['ours'] - row['published'], 2) + 0.0:+.2f}"  # + 0.0: never -0.00
    return ""


COLUMNS = ("row", "column", "published", "ours", "difference")


def cells(table):
    return [(r["row"], r["column"], shown(r["published"]), shown(r["ours"]), difference(r)) for r in table["rows"]]


def ending(table):
    minutes = f"{table['seconds']:.0f} s"
    return {"done": minutes, "skipped": f"skipped: {table['why']}", "failed": f"FAILED after {minutes}: {table['why']}"}[table["status"]]


def text_of(table):
    lines = [f"{table['table']}  {table['title']}", f"    published: {table['source']}"]
    if table["rows"]:
        rows = [COLUMNS, *cells(table)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        for row in rows:
            texts = [row[i].ljust(widths[i]) if i < 2 else row[i].rjust(widths[i]) for i in range(len(COLUMNS))]
            lines.append("    " + "  ".join(texts).rstrip())
    lines.append(f"    {ending(table)}")
    lines.append(f"    {table['notes']}")
    return "\n".join(lines) + "\n"


def markdown_of(table):
    lines = [f"### {table['table']}: {table['title']}", "", f"Published: {table['source']}. {ending(table)}.", ""]
    if table["rows"]:
        lines += ["| " + " | ".join(COLUMNS) + " |", "|---|---|---:|---:|---:|"]
        lines += ["| " + " | ".join(row) + " |" for row in cells(table)] + [""]
    return "\n".join([*lines, table["notes"], ""])


def main():
    known = modules()
    options = parse(known)
    sys.path.insert(0, str(HERE))
    tables = []
    for name in options.tables or known:
        tables.append(make(name, importlib.import_module(known[name]), options))
        if options.json != "-":
            print(text_of(tables[-1]), flush=True)
    document = {"quick": options.quick, "seed": options.seed, "tables": tables}
    if options.json == "-":
        print(json.dumps(document, indent=1))
    elif options.json:
        pathlib.Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    if options.markdown:
        pathlib.Path(options.markdown).write_text("\n".join(map(markdown_of, tables)))
    return 1 if any(table["status"] == "failed" for table in tables) else 0


if __name__ == "__main__":
    sys.exit(main())
