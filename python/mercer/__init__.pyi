# What type checkers and editors see: names that __init__.py loads when they are first asked for are plain here.
from os import PathLike
from typing import Any, Callable, Union


from ._basis_pca import BasisPCA as BasisPCA
from ._basis_pca import FeatureMap as FeatureMap
from ._data import generate as generate
from ._data import generate_tensor as generate_tensor
from ._data import generators as generators
from ._data import read as read
from ._data import read_tensor as read_tensor
from ._data import write as write
from ._data import write_tensor as write_tensor
from ._discriminant import KernelLDA as KernelLDA
from ._discriminant import LDA as LDA
from ._graph import NeighborGraph as NeighborGraph
from ._laplacian import DiffusionMap as DiffusionMap
from ._laplacian import LaplacianEigenmaps as LaplacianEigenmaps
from ._locally_linear import LocallyLinearEmbedding as LocallyLinearEmbedding
from ._manifold import Isomap as Isomap
from ._missing_pca import MissingPCA as MissingPCA
from ._random_feature_pca import RandomFeaturePCA as RandomFeaturePCA
from ._studies import check_kernel as check_kernel
from ._studies import compare as compare
from ._studies import tune as tune
from ._tensor import CP as CP
from ._tensor import SVD2D as SVD2D
from ._tensor import TensorKernelPCA as TensorKernelPCA
from ._tensor import Tucker as Tucker
from ._tsne import TSNE as TSNE
from ._unfolding import MaximumVarianceUnfolding as MaximumVarianceUnfolding
from ._kernel_pca import KernelPCA as KernelPCA
from ._mercer import Basis as Basis
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
from ._mercer import sparse_tensor as sparse_tensor
from ._pca import PCA as PCA

__version__: str

def function(f: Callable[[Any, Any], Any], name: str | None = ..., *, blocks: bool = ...) -> Kernel: ...
def load(path: Union[str, PathLike[str]], kernels: dict[str, Callable[[Any, Any], Any] | Kernel] | None = ...) -> Any: ...
