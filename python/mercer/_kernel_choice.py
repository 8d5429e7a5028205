"""From what scikit-learn's users write (a name and gamma, degree, coef0; a callable) to a Kernel."""
import functools
import re

from . import _mercer

# scikit-learn's names; every other text is read as the command line's --kernel is.
NAMES = ("linear", "poly", "polynomial", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "additive_chi2", "precomputed")


def function(f, name=None, *, blocks=False):
    """A kernel from a Python function.

    f(x, y) takes two rows and gives a number; with ``blocks=True`` f(X, Y) takes two arrays of rows and gives a
    matrix, which is much faster.

    >>> import mercer
    >>> k = mercer.function(lambda x, y: min(x[0], y[0]), "smaller")
    >>> k([[1.0], [3.0]])
    array([[1., 1.],
           [1., 3.]])
    """
    return _made(f, name or _name_of(f), blocks)


def _made(*of):
    return FunctionKernel(_mercer.function(of[0], of[1], blocks=of[2]), of)


class FunctionKernel(_mercer.Kernel):
    """A kernel that remembers its Python function, so that it can be pickled where the function can."""

    def __init__(self, kernel, of):
        super().__init__(kernel)
        self._of = of  # the function, its name, and whether it takes blocks

    @property
    def name(self):
        """By which model files know it."""
        return self._of[1]

    def __reduce__(self):
        return _made, self._of


def _name_of(f):
    """A callable's name with the signs that model files cannot have left out."""
    text = getattr(f, "__name__", None) or type(f).__name__
    return re.sub(r"\W", "", text) or "function"


def _constant(value):
    return _mercer.expression(f"{value!r}+0*dot")


def _named(name, gamma, degree, coef0):
    """One of NAMES; a gamma or a degree of 0 makes the kernel a constant, which the catalogue does not have."""
    if name in ("poly", "polynomial"):
        if gamma == 0 or degree == 0:
            return _constant(float(coef0) ** degree)
        return _mercer.polynomial(degree, gamma, coef0)
    if name == "sigmoid":
        return _mercer.expression(f"tanh({float(coef0)!r}+0*dot)") if gamma == 0 else _mercer.sigmoid(gamma, coef0)
    if name in ("rbf", "laplacian", "chi2"):
        return _constant(1.0) if gamma == 0 else getattr(_mercer, name)(gamma)
    return getattr(_mercer, name)()


def gamma_of(kernel, gamma, n_features):
    """scikit-learn's default is 1/d, and 1 for chi2."""
    if gamma is not None:
        return gamma if isinstance(gamma, str) else float(gamma)
    return 1.0 if kernel == "chi2" else 1.0 / n_features


def make_kernel(kernel, *, gamma=None, degree=3, coef0=1, kernel_params=None, n_features=1):
    """The Kernel that these parameters of an estimator mean."""
    if isinstance(kernel, _mercer.Kernel):
        if gamma is not None:
            raise ValueError(f"gamma={gamma} beside kernel={kernel}, which has its parameters with it: leave one of them out")
        return kernel
    if callable(kernel):
        return function(functools.partial(kernel, **kernel_params) if kernel_params else kernel, _name_of(kernel))
    if kernel in NAMES:
        return _named(kernel, gamma_of(kernel, gamma, n_features), degree, coef0)
    if gamma is not None and not isinstance(gamma, str):
        raise ValueError(f"gamma={gamma} is for the kernels rbf, laplacian, chi2, poly and sigmoid; {kernel!r} has its parameters "
                         "with it, as in kernel='matern32(length=2)'")
    return _mercer.Kernel(kernel)


def is_precomputed(kernel):
    if isinstance(kernel, _mercer.Kernel):
        return kernel.is_precomputed
    return isinstance(kernel, str) and kernel.replace("()", "") == "precomputed"


def user_kernels(kernel, kernel_params=None):
    """What load_model needs to find a callable again: {name: Kernel}."""
    if isinstance(kernel, FunctionKernel):
        return {kernel.name: kernel}
    if isinstance(kernel, _mercer.Kernel) or not callable(kernel):
        return {}
    made = make_kernel(kernel, kernel_params=kernel_params)
    return {made.name: made}


def named_kernels(kernels):
    """load's kernels= as load_model takes it: {name: function of two rows, or Kernel}."""
    return {name: k if isinstance(k, _mercer.Kernel) else function(k, name) for name, k in (kernels or {}).items()}


def gamma_in(kernel):
    """The gamma of a kernel that has just one, as a number; otherwise None."""
    found = re.findall(r"gamma=([0-9.eE+-]+)", str(kernel))
    return float(found[0]) if len(found) == 1 else None
