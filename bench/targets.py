"""What must be shown: each target of the issue, judged on this run."""


def ratio(theirs, ours):
    return None if theirs is None or not ours else theirs / ours


def verdict(case, text, value, met):
    return {"case": case.name, "target": text, "measured": value, "met": met}


def at_least(case, text, value, bound):
    if value is None:
        return verdict(case, text, "not measured", None)
    return verdict(case, text, f"{value:.2f}x", value >= bound)


def at_most(case, text, value, bound, unit):
    if value is None:
        return verdict(case, text, "not measured", None)
    return verdict(case, text, f"{value:.3g}{unit}", value <= bound)


def relative_residual(row):
    if not row.report or not row.report["residuals"]:
        return None
    return max(row.report["residuals"]) / row.report["gram_eigenvalues"][0]


def arpacks(rows):
    """As scikit-learn has it, which is machine precision, and told to stop at our accuracy."""
    return [r for r in rows if r.name.startswith("scikit-learn arpack") and not r.problem and r.accurate and r.seconds]


def of_exact(case, rows, ours):
    times = {"d": 6, "e": 8}.get(case.name)
    if times is None:
        return []
    peers = arpacks(rows)
    if not peers:
        return [verdict(case, "against scikit-learn's arpack", "not measured", None)]
    out = []
    for peer in peers:
        out += [at_least(case, f"{times} times as fast as {peer.name}, warm", ratio(peer.warm, ours.warm), times),
                at_least(case, f"{times} times as fast as {peer.name}, process", ratio(peer.process, ours.process), times)]
    memory = [v for peer in peers for v in (ratio(ours.peak, peer.peak), ratio(ours.process_peak, peer.process_peak)) if v]
    return out + [at_most(case, "a third of its memory", max(memory, default=None), 1 / 3, " of it"),
                  at_most(case, "relative residual 1e-10", relative_residual(ours), 1e-10, "")]


def of_large(case, ours):
    return [at_most(case, "half the prototype's 82 s", ours.process, 41, " s"),
            at_most(case, "under 400 MB", ours.process_peak and ours.process_peak / 1e6, 400, " MB"),
            at_most(case, "relative residual 1e-8 in double", relative_residual(ours), 1e-8, "")]


def of_lowrank(case, rows):
    out = []
    for row, seconds in zip(rows, (29.8, 14.7)):
        kind = row.report["precision"] if row.report else row.name
        out.append(at_most(case, f"no slower than the prototype's {seconds} s in {kind}", row.seconds, seconds, " s"))
    single = rows[1]
    out.append(at_most(case, "at most 4.5 GB (float)", single.memory and single.memory / 1e9, 4.5, " GB"))
    bounded = bool(single.report and single.report.get("eigenvalue_bounds"))
    out.append(verdict(case, "with bounds", "there" if bounded else "none", bounded if single.report else None))
    return out


def of_mnist(case, ours):
    return [at_most(case, "within 8 GB", ours.process_peak and ours.process_peak / 1e9, 8, " GB"),
            at_most(case, "exactly: relative residual 1e-10", relative_residual(ours), 1e-10, "")]


def of_transform(case, rows, ours):
    more, peer = rows[1], rows[-1]
    floor = ours.floors.get("transform", (None,))[0]
    grown = ratio(more.process_peak, ours.process_peak)
    return [at_least(case, "4 times as fast as scikit-learn, warm", ratio(peer.warm, ours.warm), 4),
            at_most(case, "within 1.5 of the floor", ratio(ours.warm, floor), 1.5, " of it"),
            at_most(case, "memory independent of the number of points (4 times as many: at most 1.1)", grown, 1.1, " times")]


def targets(case, rows):
    ours = rows[0]
    if ours.problem:
        return [verdict(case, "runs at all", ours.problem, False)]
    if case.kind == "exact":
        return of_exact(case, rows, ours)
    if case.kind == "large":
        return of_large(case, ours)
    if case.kind == "lowrank":
        return of_lowrank(case, rows)
    if case.kind == "mnist":
        return of_mnist(case, ours)
    return of_transform(case, rows, ours)
