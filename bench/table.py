"""The table of a case, once as text and once as Markdown, and what stands below it in words."""
from targets import ratio, relative_residual

COLUMNS = ("contender", "cold s", "warm s", "process s", "peak MB", "process MB",
           "warm, times ours", "process, times ours", "memory, times ours", "off by")


def seconds(value):
    return "–" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def megabytes(value):
    return "–" if value is None else f"{value / 1e6:,.0f}"


def times(value):
    return "–" if value is None else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"


def off_by(value):
    return "–" if value is None else f"{value:.1e}"


def line(row, ours):
    if row.problem:
        return [row.name, row.problem] + [""] * (len(COLUMNS) - 2)
    memory = min((r for r in (ratio(row.peak, ours.peak), ratio(row.process_peak, ours.process_peak)) if r), default=None)
    return [row.name, seconds(row.cold), seconds(row.warm), row.process_problem or seconds(row.process), megabytes(row.peak),
            megabytes(row.process_peak), times(ratio(row.seconds, ours.seconds)), times(ratio(row.process, ours.process)),
            times(memory), "–" if row is ours else off_by(row.deviation)]


def lines(case, rows):
    ours, out = rows[0], []
    for row in rows:
        out.append(line(row, ours))
    for name, time, memory in case.to_beat:
        mine = next(row for row in rows if row.name == name)
        against = mine.seconds if mine.seconds is not None else mine.process
        out.append([f"to beat{name.removeprefix('mercer')}", "–", seconds(time), "–", megabytes(memory), "–",
                    times(ratio(time, against)), "–", times(ratio(memory, mine.memory)), "–"])
    return out


def text_table(case, rows):
    cells = [list(COLUMNS)] + lines(case, rows)
    wide = [max(len(row[0]) for row in cells), *([max(9, len(name)) for name in COLUMNS[1:]])]
    out = []
    for row in cells:
        if row[1] and not any(row[2:]):  # a problem in words
            out.append(f"  {row[0]:<{wide[0]}}  {row[1]}")
        else:
            out.append(f"  {row[0]:<{wide[0]}}" + "".join(f"  {cell:>{w}}" for cell, w in zip(row[1:], wide[1:])))
    return "\n".join(out)


def markdown_table(case, rows):
    out = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in lines(case, rows):
        row[0] = f"**{row[0]}**" if row[0] == "mercer" else row[0]
        out.append("| " + " | ".join(row) + " |")
    return "\n".join(out)


def share(floor, took):
    low, high = (100 * f / took for f in floor)
    return f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %"


def stage_words(row):
    parts = []
    for stage, took in row.stages.items():
        if stage == "total" or took < 0.005 * row.stages["total"]:
            continue
        floor = row.floors.get(stage)
        passes = f" in {row.report['passes']} passes" if stage == "solve" and row.report["passes"] else ""
        parts.append(f"{stage} {took:.3f} s{passes}" + (f" (floor is {share(floor, took)} of it)" if floor and took > 0 else ""))
    out = f"{row.name}, {row.report['plan']['route']}: {', '.join(parts)}"
    residual = relative_residual(row)
    return out + (f"; relative residual {residual:.1e}" if residual is not None else "")


def bound_words(row):
    report, values = row.report, row.report["gram_eigenvalues"]

    def width(intervals, i):
        return (intervals[i][1] - intervals[i][0]) / values[i]

    probable, rigorous = report["eigenvalue_bounds"], report["eigenvalue_bounds_rigorous"]
    return (f"{row.name}: rank {report['rank']} leaves {100 * report['remaining_trace'] / report['trace']:.3g} % of the trace; "
            f"the first and last eigenvalue are known within {width(probable, 0):.2g} and {width(probable, -1):.2g} of "
            f"themselves (but for a chance of {report['eigenvalue_bounds_delta']:g}), rigorously within "
            f"{width(rigorous, 0):.2g} and {width(rigorous, -1):.2g}")


def best_peer_words(rows):
    ours = rows[0]
    accurate = [row for row in rows if not row.ours and not row.problem and row.accurate and row.seconds is not None]
    if not accurate or ours.seconds is None:
        return []
    best = min(accurate, key=lambda row: row.seconds)
    return [f"Best accurate peer: {best.name}; ours is {times(ratio(best.seconds, ours.seconds))} times as fast warm, "
            f"{times(ratio(best.process, ours.process))} times as a process, in 1/{times(ratio(best.memory, ours.memory))} of its memory"]


def words(case, rows):
    """Sentences below the table."""
    out = [stage_words(row) for row in rows if row.stages]
    out += [bound_words(row) for row in rows if row.report and row.report.get("eigenvalue_bounds")]
    out += [f"{row.name}: transform {row.warm:.3f} s, floor {row.floors['transform'][0]:.3f} s "
            f"({share(row.floors['transform'], row.warm)} of it)" for row in rows if "transform" in row.floors and row.warm]
    out += best_peer_words(rows)
    return out + ([case.cannot] if case.cannot else [])


def target_lines(verdicts):
    said = {True: "met", False: "NOT MET", None: "not judged"}
    return [(v["case"], v["target"], v["measured"], said[v["met"]]) for v in verdicts]
