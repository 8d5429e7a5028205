# What type checkers and editors see: names that __init__.py loads when they are first asked for are plain here.
from os import PathLike
from typing import Any, Callable, Union


from ._kernel_pca import KernelPCA as KernelPCA
from ._mercer import Kernel as Kernel
from ._mercer import NotConvergedError as NotConvergedError
from ._mercer import NotPositiveSemidefiniteError as NotPositiveSemidefiniteError
from ._mercer import Plan as Plan
from ._mercer import Report as Report
from ._mercer import additive_chi2 as additive_chi2
from ._mercer import chi2 as chi2
from ._mercer import cosine as cosine
from ._mercer import expression as expression
from ._mercer import laplacian as laplacian
from ._mercer import linear as linear
from ._mercer import matern32 as matern32
from ._mercer import matern52 as matern52
from ._mercer import polynomial as polynomial
from ._mercer import precomputed as precomputed
from ._mercer import rational_quadratic as rational_quadratic
from ._mercer import rbf as rbf
from ._mercer import rbf_sigma as rbf_sigma
from ._mercer import sigmoid as sigmoid
from ._pca import PCA as PCA

__version__: str

def function(f: Callable[[Any, Any], Any], name: str | None = ..., *, blocks: bool = ...) -> Kernel: ...
def load(path: Union[str, PathLike[str]]) -> Any: ...
