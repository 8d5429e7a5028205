"""The Cranfield collection as it was distributed: abstracts, queries, judgements; its words counted and weighted."""
import math
import re

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

WORD = re.compile(r"[a-z][a-z0-9]+")


def records(path):
    """The texts of the records of a file, in order: the field .W, in which an abstract repeats its title."""
    texts, field = [], ""
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith(".I"):
            texts.append([])
            field = ""
        elif re.fullmatch(r"\.[A-Z]\s*", line):
            field = line[1]
        elif field == "W":
            texts[-1].append(line)
    return [" ".join(lines) for lines in texts]


def words_of(text):
    return [word for word in WORD.findall(text.lower()) if word not in ENGLISH_STOP_WORDS]


def judgements(path):
    """The relevant documents of each query, both counted from 0. Grades 1 to 4 are relevant, -1 is 'of no interest'."""
    relevant = {}
    for line in path.read_text().splitlines():
        query, document, grade = (int(number) for number in line.split()[:3])
        if grade >= 1:
            relevant.setdefault(query - 1, set()).add(document - 1)
    return relevant


def vocabulary(documents):
    """The words that at least two documents have."""
    seen = {}
    for words in documents:
        for word in set(words):
            seen[word] = seen.get(word, 0) + 1
    return sorted(word for word, count in seen.items() if count >= 2)


def log_entropy(documents, vocabulary):
    """Each word's weight: 1 + sum over documents of p log p / log n, p its share there (Dumais 1991)."""
    number = {word: i for i, word in enumerate(vocabulary)}
    counts = [count(words, number) for words in documents]
    total = np.zeros(len(vocabulary))
    for row in counts:
        for word, times in row.items():
            total[word] += times
    weight = np.ones(len(vocabulary))
    for row in counts:
        for word, times in row.items():
            share = times / total[word]
            weight[word] += share * math.log(share) / math.log(len(documents))
    return number, weight


def count(words, number):
    row = {}
    for word in words:
        if word in number:
            row[number[word]] = row.get(number[word], 0) + 1
    return row


def weighted(documents, number, weight):
    """log2(1 + count) times the word's weight: a {word: value} a document."""
    return [{word: math.log2(1 + times) * weight[word] for word, times in count(words, number).items()} for words in documents]


def write_libsvm(path, rows):
    with open(path, "w") as file:
        for row in rows:
            file.write("0" + "".join(f" {word + 1}:{value:.9g}" for word, value in sorted(row.items())) + "\n")


def dense(rows, columns):
    out = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        for column, value in row.items():
            out[i, column] = value
    return out


def mean_average_precision(queries, documents, relevant):
    """Of rankings by the cosine between rows of two matrices."""
    def unit(rows):
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    similarity = unit(queries) @ unit(documents).T
    precisions = []
    for query, wanted in relevant.items():
        ranking = np.argsort(-similarity[query], kind="stable")
        hits = np.isin(ranking, list(wanted))
        found = np.cumsum(hits)[hits]
        precisions.append((found / (np.flatnonzero(hits) + 1)).sum() / len(wanted))
    return float(np.mean(precisions))
