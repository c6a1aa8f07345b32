"""Two kinds of models compared over several training samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from scipy import stats

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import (
    check_length,
    check_one_of,
    finite_numbers,
    near_one,
    times_power,
)
from vtreat_py.evaluation._refusals import refused_as
from vtreat_py.evaluation._spread_intervals import check_level

Method: TypeAlias = Literal["corrected-t", "5x2cv-f"]
_SHAPE = (5, 2)
# Scores that differ by less, as a share of the larger one, differ by rounding.
_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class ResampledTestResult:
    """What `resampled_test` found.

    Attributes
    ----------
    difference : float
        Mean of a - b over the splits.
    standard_error : float
        Of that, over training samples and test rows; of "5x2cv-f" the root of the mean variance of
        two folds.
    statistic : float
        t, or F.
    pvalue : float
        Two-sided.
    df : float
        Degrees of freedom of t; of F those of the denominator.
    n_splits : int
    method : str

    Examples
    --------
    >>> from vtreat_py.evaluation import resampled_test
    >>> trees, linear = [0.81, 0.84, 0.79, 0.83], [0.8, 0.8, 0.79, 0.8]
    >>> found = resampled_test(trees, linear, n_train=30, n_test=10)
    >>> [round(end, 3) for end in found.interval(0.9)]
    [-0.013, 0.053]
    >>> [round(p, 2) for p in found.probabilities(margin=0.01)]
    [0.06, 0.2, 0.74]
    """

    difference: float
    standard_error: float
    statistic: float
    pvalue: float
    df: float
    n_splits: int
    method: Method

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Differences that the test does not reject at 1 - ``level``.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        low, high : float

        Raises
        ------
        InvalidOptionError
            If the method is not "corrected-t".
        """
        check_level(level)
        self._check_t("interval")
        reach = self.standard_error * float(stats.t.ppf((1.0 + level) / 2.0, self.df))
        return self.difference - reach, self.difference + reach

    def probabilities(self, margin: float = 0.0) -> tuple[float, float, float]:
        """How likely it is that a is lower, that both are equivalent, and that a is higher.

        The Bayesian correlated t-test: with a flat prior the mean difference has Student's
        distribution about the one that was seen.

        Parameters
        ----------
        margin : float, default=0.0
            Differences smaller than this are none (the region of practical equivalence).

        Returns
        -------
        lower, equivalent, higher : float
            They sum to 1.

        Raises
        ------
        InvalidOptionError
            If the method is not "corrected-t", or the margin is negative.

        References
        ----------
        G. Corani and A. Benavoli, "A Bayesian approach for comparing cross-validated algorithms on
        multiple data sets", Machine Learning 100, 2015.
        """
        self._check_t("probabilities")
        margin = check_number("margin", margin, 0)
        if not self.standard_error > 0:
            lower, higher = float(self.difference < -margin), float(self.difference > margin)
        else:
            t = stats.t(self.df, self.difference, self.standard_error)
            lower, higher = float(t.cdf(-margin)), float(t.sf(margin))
        return lower, 1.0 - lower - higher, higher

    def _check_t(self, what: str) -> None:
        if self.method != "corrected-t":
            raise InvalidOptionError(f'{what} is of method="corrected-t"; an F test has none')

    def __repr__(self) -> str:
        return (
            f"ResampledTestResult: difference {self.difference:.4g}, p = {self.pvalue:.4g} "
            f"({self.method})\n{self.n_splits} splits, standard error {self.standard_error:.2g}"
        )


def resampled_test(
    a: Any,
    b: Any,
    *,
    method: Method = "corrected-t",
    n_train: Any = None,
    n_test: Any = None,
) -> ResampledTestResult:
    """Test whether two ways of training differ, whatever rows they are trained on.

    `randomization_test` compares two models as they are, on rows like these. This test compares
    what is trained: it asks whether other training rows would have given the same winner, and
    counts what that adds to the error. So its p-values are larger, and rest on assumptions.

    Parameters
    ----------
    a, b : array of shape (n_splits,); (5, 2) for "5x2cv-f"
        Score of each split by the one and by the other, on the same splits.
    method : {"corrected-t", "5x2cv-f"}, default="corrected-t"
        * "corrected-t": of random splits, or folds, once or repeated; the variance is multiplied
          by ``1 / n_splits + n_test / n_train``, because training sets overlap;
        * "5x2cv-f": of five times two folds.
    n_train, n_test : int or array of shape (n_splits,), default=None
        Rows of the training and test sets, which "corrected-t" asks for; their mean ratio counts.

    Returns
    -------
    ResampledTestResult

    Raises
    ------
    InvalidOptionError
        If scores are missing, not paired or too few, or sizes of splits are missing or given where
        they have no part.

    Notes
    -----
    No unbiased estimate of the variance of cross-validation exists; "corrected-t" is roughly right
    for training sets of like size, and its p-values are not exact. They condition on nothing but
    the population: rows and training sets both vary.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification learning
    algorithms", Neural Computation 11, 1999.

    Examples
    --------
    >>> from vtreat_py.evaluation import resampled_test
    >>> trees = [0.81, 0.84, 0.79, 0.83, 0.82, 0.80, 0.85, 0.82, 0.81, 0.83]
    >>> linear = [0.78, 0.80, 0.79, 0.80, 0.78, 0.79, 0.81, 0.80, 0.78, 0.81]
    >>> found = resampled_test(trees, linear, n_train=900, n_test=100)
    >>> found
    ResampledTestResult: difference 0.026, p = 0.002334 (corrected-t)
    10 splits, standard error 0.0062
    >>> [round(p, 3) for p in found.probabilities(margin=0.01)]
    [0.0, 0.015, 0.985]
    """
    check_one_of(get_args(Method), "method", method)
    check_same_rows({"a": a, "b": b})
    if method == "5x2cv-f":
        return _five_by_two(a, b, n_train, n_test)
    first, second = finite_numbers(a, "a"), finite_numbers(b, "b")
    check_length(second, len(first), "b")
    if len(first) < 2:
        raise InvalidOptionError(f"a has {len(first)} scores; give those of at least two splits")
    tested, trained = _sizes(n_test, "n_test", len(first)), _sizes(n_train, "n_train", len(first))
    overlap = float((tested / trained).mean())
    apart, exponent = _differences(first, second)
    mean, n_splits = float(apart.mean()), len(apart)
    error = float(apart.std(ddof=1)) * math.sqrt(1.0 / n_splits + overlap)
    t = _over(mean, error)
    p = float(2.0 * stats.t.sf(abs(t), n_splits - 1))
    mean, error = (float(times_power(one, exponent)) for one in (mean, error))
    return ResampledTestResult(mean, error, t, p, n_splits - 1, n_splits, method)


def _five_by_two(a: Any, b: Any, n_train: Any, n_test: Any) -> ResampledTestResult:
    if n_train is not None or n_test is not None:
        raise InvalidOptionError("n_train and n_test have no part in 5x2cv-f; leave them out")
    for name, values in (("a", a), ("b", b)):
        with refused_as(f"{name} cannot be read as an array"):
            shape = np.shape(values)
        if shape != _SHAPE:
            raise InvalidOptionError(
                f"{name} has shape {shape}; five times two folds are wanted, (5, 2)"
            )
    scores = finite_numbers(np.ravel(a), "a"), finite_numbers(np.ravel(b), "b")
    apart, exponent = _differences(*(one.reshape(_SHAPE) for one in scores))
    within = apart - apart.mean(axis=1, keepdims=True)
    # F = sum of squares / (2 * sum of variances of the five repetitions).
    variance = float(np.square(within).sum())
    f = _over(float(np.square(apart).sum()), 2.0 * variance)
    p = float(stats.f.sf(f, 10, 5))
    found = apart.mean(), math.sqrt(variance / 5.0)
    mean, error = (float(times_power(one, exponent)) for one in found)
    return ResampledTestResult(mean, error, f, p, 5, apart.size, "5x2cv-f")


def _differences(first: FloatArray, second: FloatArray) -> tuple[FloatArray, int]:
    """Differences but for rounding, over a power of two where floats might not hold squares."""
    pair, exponent = near_one(np.stack([first, second]))
    apart = pair[0] - pair[1]
    is_rounding = np.abs(apart) <= _ROUNDINGS * np.abs(pair).max(axis=0)
    return np.where(is_rounding, 0.0, apart), int(exponent)


def _sizes(values: Any, name: str, n_splits: int) -> FloatArray:
    if values is None:
        raise InvalidOptionError(f"{name} is missing: how many rows each split has")
    sizes = finite_numbers(np.atleast_1d(values), name)
    if len(sizes) != 1:
        check_length(sizes, n_splits, name)
    if (sizes < 1).any():
        raise InvalidOptionError(f"{name} is {sizes.min():g}; each split has a row at least")
    return np.broadcast_to(sizes, n_splits)


def _over(value: float, by: float) -> float:
    """Divide; a difference that does not vary is infinitely sure, none at all is none."""
    if by > 0:
        return value / by
    return math.copysign(math.inf, value) if value else 0.0
