"""What may be given for the parameters that several estimators have."""
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

RUNNING = {
    "random_state": ["random_state"],
    "n_jobs": [None, Integral],
    "memory": [Interval(Integral, 1, None, closed="left"), str, None],
    "progress": [callable, "boolean", None],
}
SCALE = {"scale": [StrOptions({"none", "center", "standardize"})]}
COUNT = {"n_components": [Interval(Integral, 1, None, closed="left")]}
COUNT_OR_SHARE = {"n_components": [*COUNT["n_components"], Interval(Real, 0, 1, closed="neither")]}
TOLERANCE = {"tol": [Interval(Real, 0, None, closed="left")]}
