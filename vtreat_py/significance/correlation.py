"""The test of a correlation by permutation, which outliers cannot fool."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.significance.draws import UNDECIDED, different_rows, generator, p_value_by_draws
from vtreat_py.significance.fisher import fisher_exact
from vtreat_py.significance.sample import Sample

# So many rows of each variable are placed one by one.
_EXTREMES = 32
# Tables whose smallest margin is larger than this need no exact test.
_LARGE_MARGIN = 1000.0
# Sums of squares below this share of all are rounding.
_ROUNDING = 1e-12
# The sum over rows that are not extreme is hardly ever so many standard deviations.
_FAR = 4.0
# The F test is close enough where skewness and kurtosis of permuted correlations are below this.
_NEARLY_NORMAL = 0.15


def correlation_test(
    r: float,
    n_rows: float,
    x: Callable[[], Sample],
    y: Sample,
    *,
    reach: float = math.inf,
    can_permute: bool = True,
) -> float:
    """p-value of the hypothesis that the outcome does not go up or down with a variable.

    Parameters
    ----------
    r : float
        Correlation of the two.
    n_rows : float
        Number of rows.
    x : callable
        Gives the variable over all rows; asked for where the p-value may decide something.
    y : Sample
        The outcome over the same rows, which may be in another order.
    reach : float
        Largest standardised size of the variable, if known: it may show that there are no
        outliers, and spare the look at all rows.
    can_permute : bool
        Whether weights are numbers of rows; if not, it is always the F test.

    Returns
    -------
    float
        1 where there are fewer than three rows.

    Notes
    -----
    The correlation is compared with those of permuted outcomes, which on average have mean 0
    and variance 1 / (n - 1) whatever the two distributions are (E. J. G. Pitman, "Significance
    tests which may be applied to samples from any populations, II: the correlation coefficient
    test", Supplement to the Journal of the Royal Statistical Society 4 (1937)). Their excess
    kurtosis is about the product of the two variables' kurtoses over n, and their skewness the
    product of skewnesses over the root of n. Where both are small, that is the F test of
    regression. Two variables of two values each have Fisher's exact test. Elsewhere, with
    outliers in both or few rows of a class, permutations are drawn: the 32 most extreme rows of
    either variable are placed one by one, and the sum over the other rows is drawn from a
    normal distribution with its exact mean and variance.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 1, 2, 3, 4, 5, 6, 7]), np.array([0.0, 2, 1, 4, 3, 6, 5, 9])
    >>> r = float(np.corrcoef(x, y)[0, 1])
    >>> p = correlation_test(r, 8, lambda: Sample.of_values(x), Sample.of_values(y))
    >>> round(p, 4)
    0.0012
    """
    if n_rows <= 2:
        return 1.0
    p = _regression_tail(abs(r) * n_rows, n_rows)
    if p >= UNDECIDED:
        return p
    if not can_permute or _is_nearly_normal(reach, reach * reach, y, n_rows):
        return p
    variable = x()
    if _is_small_table(variable, y):
        return _fisher(r, variable, y)
    if not y.can_be_drawn_from or _is_nearly_normal(*variable.skewness_and_kurtosis, y, n_rows):
        return p

    def draw(n_draws: int) -> FloatArray:
        return np.abs(_permuted_products(n_draws, variable, y.upright))

    def tail(products: float) -> float:
        return _regression_tail(products, n_rows)

    p = p_value_by_draws(draw, abs(r) * n_rows, tail)
    return max(p, _least(abs(r) * n_rows, variable, y))


def _is_nearly_normal(skewness: float, kurtosis: float, y: Sample, n_rows: float) -> bool:
    """Whether permuted correlations are, given the shape of x, or bounds of it."""
    of_y, tails_of_y = y.skewness_and_kurtosis
    return (
        abs(skewness * of_y) < _NEARLY_NORMAL * math.sqrt(n_rows)
        and abs(kurtosis * tails_of_y) < _NEARLY_NORMAL * n_rows
    )


def _is_small_table(x: Sample, y: Sample) -> bool:
    two_by_two = len(x.given) == len(y.given) == 2
    return two_by_two and min(*x.rows, *y.rows) < _LARGE_MARGIN


def _least(products: float, x: Sample, y: Sample) -> float:
    """Probability that as many of the most extreme rows meet as it takes to reach a sum.

    Draws are too few to see one outlier of x among a million rows meet that of y.
    """
    n = x.n_whole_rows
    far = [np.abs(v.take(v.extremes(min(_EXTREMES, n)))) for v in (x, y)]
    short = products - np.append(0.0, np.cumsum(far[0] * far[1])) > _FAR * math.sqrt(n)
    if not short[0] or short[-1]:
        return 0.0
    meet = int(short.sum())
    return math.exp(math.lgamma(n - meet + 1.0) - math.lgamma(n + 1.0))


def _fisher(r: float, x: Sample, y: Sample) -> float:
    """p-value of the table of two variables of two values each, given their correlation."""
    (x_off, x_on), (y_off, y_on) = (v.rows[np.argsort(v.given)] for v in (x, y))
    both = np.rint((x_on * y_on + r * np.sqrt(x_on * x_off * y_on * y_off)) / x.n_rows)
    both = np.clip(both, max(y_on - x_off, 0.0), min(x_on, y_on))
    cells = np.array([both, x_on - both, y_on - both, x_off - y_on + both])
    return float(fisher_exact(np.maximum(cells, 0.0)[:, None])[0])  # huge counts are rounded


def _regression_tail(products: float, n_rows: float) -> float:
    """p-value of the F test, for a sum of products of standardised values."""
    left = max(1.0 - (products / n_rows) ** 2, 0.0)
    return float(special.betainc((n_rows - 2.0) / 2.0, 0.5, left))


def _permuted_products(n_draws: int, x: Sample, y: Sample) -> FloatArray:
    """Sums of ``x * y`` over all rows, y being permuted."""
    n = min(x.n_whole_rows, y.n_whole_rows)
    # Extreme rows of x meet any rows of y.
    x_rows = np.sort(x.extremes(min(_EXTREMES, n)))
    x_far = x.take(x_rows)
    drawn = different_rows(n, len(x_far), n_draws)
    y_met = y.take(drawn)
    # Extreme rows of y that were not among those meet the other rows of x.
    extremes = y.extremes(min(_EXTREMES, n - len(x_far)))
    y_far = np.where(_not_among(drawn, extremes), y.take(extremes), 0.0)
    rows = _others(x_rows, different_rows(n - len(x_far), len(extremes), n_draws))
    x_met = np.where(y_far != 0.0, x.take(rows), 0.0)
    # What is left is a sum of many small products.
    left = np.maximum(n - len(x_far) - np.count_nonzero(y_far, axis=1), 1)
    x_sum, y_sum = -x_far.sum() - x_met.sum(axis=1), -y_met.sum(axis=1) - y_far.sum(axis=1)
    x_squares = n - (x_far**2).sum() - (x_met**2).sum(axis=1) - x_sum**2 / left
    y_squares = n - (y_met**2).sum(axis=1) - (y_far**2).sum(axis=1) - y_sum**2 / left
    # Rounding is no variance: its root would tell sums apart that are equal.
    some = (x_squares > _ROUNDING * n) & (y_squares > _ROUNDING * n)
    variance = np.where(some, x_squares * y_squares, 0.0) / np.maximum(left - 1, 1)
    rest = x_sum * y_sum / left + np.sqrt(variance) * generator(n_draws).standard_normal(n_draws)
    return np.asarray((x_far * y_met).sum(axis=1) + (x_met * y_far).sum(axis=1) + rest)


def _others(rows: IntArray, places: IntArray) -> IntArray:
    """Numbers of the rows at some places among all but the given rows, which are in order."""
    return places + np.searchsorted(rows - np.arange(len(rows)), places, side="right")


def _not_among(drawn: IntArray, rows: IntArray) -> BoolArray:
    """For each draw of rows, which of some rows were not drawn."""
    missed = np.ones((len(drawn), len(rows)), dtype=bool)
    order = np.argsort(rows)
    near = np.searchsorted(rows[order], drawn, side="right") - 1
    draw, place = np.nonzero((near >= 0) & (np.append(rows[order], -1)[near] == drawn))
    missed[draw, order[near[draw, place]]] = False
    return missed
