"""What all estimators share: validation, how work is carried out, model files, pickling, tags, names.

An estimator keeps the library's model in ``_model`` and asks it for everything; see python/README.md.
"""
import inspect
import os
import tempfile
from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._kernel_choice import named_kernels
from ._running import running, warn

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data
except ImportError:

    def validate_data(estimator, X, **options):
        return estimator._validate_data(X, **options)


def finite_option(check):
    """What scikit-learn calls the option that refuses NaN: another name from 1.6 on."""
    known = inspect.signature(check).parameters
    return "ensure_all_finite" if "ensure_all_finite" in known else "force_all_finite"


FINITE = finite_option(check_array)
DTYPES = [np.float64, np.float32]


class MercerEstimator(BaseEstimator):
    """Validation, Run, files and pickling of an estimator whose fitted part is ``self._model``."""

    _model = None
    _method = None  # as model files name it
    _model_class = None  # of the compiled module, where the method's name does not tell: "KernelPca"
    _accept_sparse = "csr"
    _finite = True  # or "allow-nan": points may have gaps

    def _run(self, *, fitting=False):
        """``with self._run() as run:`` for every call that works."""
        return running(self, fitting=fitting)

    # Input.

    def _check_fit_input(self, X, **options):
        self._validate_params()
        options = {"accept_sparse": self._accept_sparse, "dtype": DTYPES, FINITE: self._finite, **options}
        return validate_data(self, X, **options)

    def _check_unfitted(self, X):
        """The same for a look ahead, which must leave the estimator as it is."""
        self._validate_params()
        return check_array(X, accept_sparse=self._accept_sparse, dtype=DTYPES, **{FINITE: self._finite})

    def _check_input(self, X):
        """New points, in the precision that the model has."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse=self._accept_sparse, dtype=DTYPES, reset=False, **{FINITE: self._finite})

    def _columns(self):
        """Names of the features for the model file."""
        return [str(name) for name in getattr(self, "feature_names_in_", [])]

    # What the library says.

    @property
    def report_(self):
        """What the fit found, how sure it is and what it cost; print it."""
        if self._model is None:
            raise AttributeError(f"this {type(self).__name__} is not fitted, so there is no report")
        return self._model.report

    def explain(self, X=None):
        """In words: what fit(X) would do and cost; without X what the last fit did and found."""
        if X is not None:
            return str(self._plan(X))
        check_is_fitted(self)
        return str(self.report_)

    def _plan(self, X):
        raise ValueError(f"{type(self).__name__} makes no plan; fit it and ask explain() without data")

    # Files and pickling.

    def save(self, path):
        """Writes the model file that the command line reads as well (mercer transform, info, plot, ...)."""
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path, kernels=None):
        """An estimator from a model file, whether Python or the command line wrote it.

        Files know a kernel that is a Python function by its name alone: kernels={name: function} has it.
        """
        found = named_kernels(kernels)
        return cls._from_model(_mercer.load_model(os.fspath(path), found), found)

    @classmethod
    def _from_model(cls, model, kernels=None):
        if not cls._reads(model):
            raise ValueError(f"the file holds a model of the method '{model.method}', and {cls.__name__} is '{cls._method}'")
        params = cls._params_of(model)
        for kernel in (kernels or {}).values():
            if params.get("kernel") == kernel:
                params["kernel"] = kernel  # with its function, so that it can be pickled
        estimator = cls(**params)
        estimator.n_features_in_ = model.features
        if model.columns:
            estimator.feature_names_in_ = np.array(model.columns, dtype=object)
        estimator._take(model)
        return estimator

    @classmethod
    def _reads(cls, model):
        if cls._model_class is None:
            return model.method == cls._method
        return class_of_model(model) == cls._model_class

    @classmethod
    def _params_of(cls, model):
        """Constructor arguments that a model file tells of."""
        return {"n_components": model.components}

    def _take(self, model):
        """Sets the fitted attributes from a model."""
        self._model = model

    def _user_kernels(self):
        """The Python functions behind the model's kernel, by name."""
        return {}

    def __getstate__(self):
        state = dict(super().__getstate__())  # what is returned may be the estimator's own
        if callable(state.get("progress")):
            state["progress"] = None  # of this process, not of the model
        if self._model is not None:
            state["_model"] = bytes_of_file(self._model.save)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if self._model is not None:
            self._model = file_of_bytes(self._model, _mercer.load_model, self._user_kernels())

    # Tags, for scikit-learn before and from 1.6 on.

    def _is_pairwise(self):
        return False

    def _more_tags(self):
        return {"preserves_dtype": DTYPES, "pairwise": self._is_pairwise()}

    def _tell(self, tags):
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = self._accept_sparse is not False
        return tags

    def __sklearn_tags__(self):
        return self._tell(super().__sklearn_tags__())


class MercerTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MercerEstimator):
    """An estimator whose components are features: names like kernelpca0, set_output, fit_transform."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return self._tell(tags)  # again: a class of scikit-learn's may stand between (PCA)

    @property
    def _n_features_out(self):
        return self._model.components


class TableTransformer(MercerTransformer):
    """A method of tables that the compiled module fits by fit_NAME and plans by plan_NAME.

    A method says ``_function``, the NAME, and ``_arguments(X)``, the library's options.
    """

    _function = None
    _fewer = " that are not zero"  # components than were asked for
    _fit_input = {"ensure_min_samples": 2}

    def fit(self, X, y=None):
        """Fit the model from X: an array, a data frame or a CSR matrix of samples."""
        return self._fit(X)

    def fit_transform(self, X, y=None):
        """Fit the model from X and give the scores of X, which the fit has found already."""
        return self.fit(X)._model.scores()

    def transform(self, X):
        """Scores of new points; the model stays as it is."""
        X = self._check_input(X)
        with self._run() as run:
            return self._model.transform(X, run)

    def _fit(self, X, **given):
        X = self._check_fit_input(X, **self._fit_input)
        with self._run(fitting=True) as run:
            fit = getattr(_mercer, f"fit_{self._function}")
            self._take(fit(X, columns=self._columns(), run=run, **given, **self._arguments(X)))
        asked = getattr(self, "n_components", None)
        if isinstance(asked, Integral) and self._model.components < asked:
            warn(f"{type(self).__name__}: n_components={asked}, but there are only {self._model.components}{self._fewer}")
        return self

    def _plan(self, X):
        X = self._check_unfitted(X)
        with self._run() as run:
            return getattr(_mercer, f"plan_{self._function}")(X, run=run, **self._arguments(X))


def class_of_model(model):
    """"KernelPca" of a KernelPca32 or KernelPca64."""
    return type(model).__name__.rstrip("0123456789")


def bytes_of_file(save):
    """What save(path) writes."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        path = os.path.join(folder, "file")
        save(path)
        with open(path, "rb") as file:
            return file.read()


def file_of_bytes(content, load, *arguments):
    """What load(path, ...) reads."""
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            file.write(content)
        return load(path, *arguments)


__all__ = ["DTYPES", "FINITE", "MercerEstimator", "MercerTransformer", "NotFittedError", "TableTransformer", "bytes_of_file",
           "class_of_model", "file_of_bytes", "validate_data"]
