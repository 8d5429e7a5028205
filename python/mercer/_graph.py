"""NeighborGraph: who is near whom, found once and used by several methods."""
import os

from . import _mercer
from ._base import DTYPES, bytes_of_file, file_of_bytes
from ._running import running

# scikit-learn's names of neighbour searches -> the library's. Its two trees are exact, and so is ours.
SEARCHES = {"auto": "auto", "brute": "brute", "kd_tree": "kdtree", "ball_tree": "kdtree", "hnsw": "hnsw"}


def search_of(name, value):
    """The library's word for a neighbour search."""
    if value not in SEARCHES:
        raise ValueError(f"{name}={value!r} is not one of {', '.join(map(repr, SEARCHES))}")
    return SEARCHES[value]


class NeighborGraph:
    """The nearest neighbours of each row of X, or all within a radius.

    Parameters
    ----------
    X : array, data frame or CSR matrix of samples
    n_neighbors : int, default=12
        Of each point, itself not among them.
    radius : float or None
        All neighbours within it instead.
    algorithm : {'auto', 'brute', 'kd_tree', 'hnsw'}, default='auto'
        'hnsw' is approximate, with the recall measured.
    pieces : {'error', 'largest', 'bridge'}, default='error'
        Of a graph that falls apart: refuse, keep the largest piece, or join them by the shortest links.
    random_state, n_jobs, memory, progress
        As for the estimators.

    Attributes
    ----------
    report_ : dict
        search, recall, links, pieces, left_out, bridges, duplicates.
    rows_ : list of int
        The rows of X in the graph: all, unless pieces were left out.

    Examples
    --------
    >>> import mercer
    >>> X, _, _ = mercer.generate("swiss-roll", 500)
    >>> graph = mercer.NeighborGraph(X, n_neighbors=8)
    >>> graph.report_["pieces"], graph.to_sparse().shape
    (1, (500, 500))
    >>> flat = mercer.Isomap(n_components=2).fit(X, graph=graph)
    >>> also = mercer.LaplacianEigenmaps(n_components=2).fit(X, graph=graph)
    """

    def __init__(self, X, n_neighbors=12, *, radius=None, algorithm="auto", pieces="error", random_state=None, n_jobs=None,
                 memory=None, progress=None):
        from sklearn.utils.validation import check_array

        search = search_of("algorithm", algorithm)
        self.random_state, self.n_jobs, self.memory, self.progress = random_state, n_jobs, memory, progress
        X = check_array(X, accept_sparse="csr", dtype=DTYPES)
        with running(self, fitting=True) as run:
            self._graph = _mercer.build_graph(X, run=run, neighbors=int(n_neighbors), radius=float(radius or 0),
                                              search=search, pieces=pieces)

    @property
    def report_(self):
        return self._graph.report

    @property
    def rows_(self):
        return self._graph.rows

    def __len__(self):
        return self._graph.size

    def to_sparse(self):
        """Links in both directions with their lengths, as a scipy CSR matrix."""
        return self._graph.symmetric()

    def save(self, path):
        """The file that the command line's --graph reads."""
        self._graph.save(os.fspath(path))

    @classmethod
    def load(cls, path):
        """A graph that ``save`` or the command line's --save-graph wrote."""
        graph = cls.__new__(cls)
        graph.random_state = graph.n_jobs = graph.memory = graph.progress = None
        graph._graph = _mercer.load_graph(os.fspath(path))
        return graph

    def __getstate__(self):
        return {**self.__dict__, "progress": None, "_graph": bytes_of_file(self._graph.save)}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._graph = file_of_bytes(state["_graph"], _mercer.load_graph)
