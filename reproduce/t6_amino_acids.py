"""T6: three amino acids in five mixtures, told apart by CP of their fluorescence."""
import itertools

import numpy as np

TITLE = "Fluorescence of five mixtures of three amino acids: CP with three components finds the acids"
SOURCE = ("Bro, 'PARAFAC. Tutorial and applications', Chemometrics and Intelligent Laboratory Systems 38, 1997, whose data this is; 99.94 % "
          "was computed from it with other software, and that the loadings are the concentrations is the paper's point (correlation above 0.99)")
ACIDS = ("tryptophan", "tyrosine", "phenylalanine")
NOTES = """5 samples x 201 emission x 61 excitation wavelengths as they are, no missing values, no constraints; then the same without
negative entries. The scores of the samples are compared with the known concentrations, components matched to acids by the best
correlation. Core consistency is near 100 up to three components; what a fourth one finds (scattered light) depends on the start."""


def correlations(scores, known):
    """Of each acid with its component, in the best matching."""
    rank = scores.shape[1]
    table = np.corrcoef(scores.T, known.T)[:rank, rank:]
    return max(([abs(table[c, a]) for a, c in enumerate(order)] for order in itertools.permutations(range(rank), known.shape[1])),
               key=sum)


def table(context):
    data, known = context.data("amino/fluorescence.npy"), np.load(context.data("amino/concentrations.npy"))
    for name, options in (("CP", ()), ("CP, not negative", ("--nonnegative",))):
        report = context.report("cp", data, "--rank", 3, "--out", "t6.npy", *options)
        yield name, "explained, %", 99.94 if not options else None, 100 * report["explained"]
        for acid, r in zip(ACIDS, correlations(np.load(context.folder / "t6.npy"), known)):
            yield name, f"correlation with {acid}", 1.0, r
    for rank in (1, 2, 3, 4):
        report = context.report("cp", data, "--rank", rank, "--partial")
        yield "core consistency, %", f"{rank} component{'s' if rank > 1 else ''}", 100.0 if rank <= 3 else None, report["core_consistency"]
