"""scikit-learn's view of a spectrum: which eigenvalues count as zero, and columns for those that do."""
import numpy as np


def eigenvalues_as_sklearn(values):
    """Falling eigenvalues with those below scikit-learn's thresholds set to an exact 0."""
    if values.size == 0:
        return values
    ratio = 1e-12 if values.dtype == np.float64 else 2e-7
    return np.where(values < ratio * values[0], 0, values).astype(values.dtype)


def widened(scores, kept, width):
    """The first `kept` columns, and zeros up to `width`: scores of components without variance."""
    if scores.shape[1] == kept == width:
        return scores
    out = np.zeros((scores.shape[0], width), dtype=scores.dtype)
    out[:, :kept] = scores[:, :kept]
    return out


def completed(vectors, width):
    """Orthonormal columns up to `width`. What is added has eigenvalue 0, so any vectors orthogonal to the rest will do."""
    n, kept = vectors.shape
    if width <= kept or n < width:
        return vectors
    more = np.random.RandomState(0).standard_normal((n, width - kept))
    basis, _ = np.linalg.qr(np.hstack([vectors, more]))
    return np.hstack([vectors, basis[:, kept:].astype(vectors.dtype)])
