"""T5: latent semantic analysis is uncentred PCA of a sparse words x documents matrix."""
import numpy as np

import cranfield

TITLE = "latent semantic analysis: the 12 x 9 example, and retrieval on Cranfield"
SOURCE = ("Deerwester, Dumais, Furnas, Landauer and Harshman 1990, appendix (singular values); Landauer, Foltz and Laham 1998, "
          "(correlations of words, as counted and at rank 2)")
NOTES = """The example is given to the program as a sparse file of words x documents. The papers print two decimals. For Cranfield
the sources have no figure: plain term matching is the cosine between weighted rows, LSA the cosine between the rows' scores, queries folded in
by transform. Both use log-entropy weights, words of two or more documents, scikit-learn's list of stop words, no stemming; grades 1 to
4 count as relevant. 100 components were set beforehand, as is usual; the full table shows other numbers too."""

# Deerwester et al. 1990, table 2: which titles (c1 ... c5, m1 ... m4 as columns 0 ... 8) hold each word.
TITLES = {"human": (0, 3), "interface": (0, 2), "computer": (0, 1), "user": (1, 2, 4), "system": (1, 2, 3, 3), "response": (1, 4),
          "time": (1, 4), "EPS": (2, 3), "survey": (1, 8), "trees": (5, 6, 7), "graph": (6, 7, 8), "minors": (7, 8)}
SINGULAR_VALUES = (3.34, 2.54, 2.35, 1.64, 1.50, 1.31, 0.85, 0.56, 0.36)
CORRELATIONS = (("human", "user", -0.38, 0.94), ("human", "minors", -0.29, -0.83))


def table(context):
    yield from example(context)
    yield from retrieval(context)


def example(context):
    words = list(TITLES)
    rows = [{title: titles.count(title) for title in titles} for titles in TITLES.values()]
    cranfield.write_libsvm(context.folder / "titles.libsvm", rows)
    report = context.report("pca", "titles.libsvm", "--center", "no", "-k", 9)
    for i, (published, eigenvalue) in enumerate(zip(SINGULAR_VALUES, report["gram_eigenvalues"])):
        yield "singular value", i + 1, published, eigenvalue ** 0.5

    context.mercer("pca", "titles.libsvm", "--center", "no", "-k", 2, "--model", "titles.mercer", "--out", "scores.npy")
    context.mercer("inverse", "titles.mercer", "scores.npy", "--out", "rank2.npy")
    counts, rank2 = cranfield.dense(rows, 9), np.load(context.folder / "rank2.npy")
    for a, b, before, after in CORRELATIONS:
        for what, published, matrix in (("as counted", before, counts), ("at rank 2", after, rank2)):
            yield f"r({a}, {b})", what, published, np.corrcoef(matrix[words.index(a)], matrix[words.index(b)])[0, 1]


def retrieval(context):
    documents = [cranfield.words_of(text) for text in cranfield.records(context.data("cranfield/cran.all.1400"))]
    queries = [cranfield.words_of(text) for text in cranfield.records(context.data("cranfield/cran.qry"))]
    relevant = cranfield.judgements(context.data("cranfield/cranqrel"))
    number, weight = cranfield.log_entropy(documents, cranfield.vocabulary(documents))
    documents, queries = (cranfield.weighted(texts, number, weight) for texts in (documents, queries))
    cranfield.write_libsvm(context.folder / "documents.libsvm", documents)
    cranfield.write_libsvm(context.folder / "queries.libsvm", queries)

    matching = cranfield.mean_average_precision(*(cranfield.dense(rows, len(number)) for rows in (queries, documents)), relevant)
    yield "Cranfield, mean average precision", "term matching", None, matching
    for k in (100,) if context.quick else (100, 50, 200, 300):
        context.mercer("pca", "documents.libsvm", "--center", "no", "-k", k, "--model", "topics.mercer", "--out", "documents.npy")
        context.mercer("transform", "topics.mercer", "queries.libsvm", "--out", "queries.npy")
        places = (np.load(context.folder / name) for name in ("queries.npy", "documents.npy"))
        yield "Cranfield, mean average precision", f"LSA, {k} components", None, cranfield.mean_average_precision(*places, relevant)
