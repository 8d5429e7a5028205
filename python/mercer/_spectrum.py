"""scikit-learn's view of a spectrum: which eigenvalues count as zero, and columns for those that do."""
import numpy as np

from ._mercer import NotPositiveSemidefiniteError


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


def refuse_larger_negative(report, count):
    """scikit-learn's 'randomized' solver takes the largest by modulus, and refuses where a negative one is among them.

    So do we, for kernel matrices that a user brings; the kernels we know are served by the largest positive ones.
    """
    lowest, values = report.min_eigenvalue, report.gram_eigenvalues
    if lowest is None or values.size == 0:
        return
    last = values[count - 1] if isinstance(count, int) and count <= values.size else values[-1]
    if lowest < -1e-5 * values[0] and -lowest > last:
        raise NotPositiveSemidefiniteError(
            f"There are significant negative eigenvalues, down to {lowest:.4g}, larger in modulus than the components "
            "asked for; eigen_solver='randomized' refuses those, 'auto' gives the largest positive ones"
        )
