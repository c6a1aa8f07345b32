"""How many rows, groups or queries it takes to find a difference."""

from __future__ import annotations

import bisect
import math
from typing import Any, get_args

import numpy as np
from scipy import optimize
from scipy.stats import norm

from vtreat_py.base.arrays import FloatArray
from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import (
    check_length,
    check_one_of,
    checked_weight,
    finite_numbers,
    near_one,
)
from vtreat_py.evaluation._paired_rows import standard_error_of_mean, units
from vtreat_py.evaluation.randomization import Alternative

# Differences that vary by less than this share of the greatest of them vary by rounding.
_NOTHING = 1e-12
# So few deviations apart, no rows that could be counted tell a difference; so many, all do.
_SMALLEST, _GREATEST = 1e-100, 1e12
# The search for a number of rows starts so far above the least there is, and ends so close.
_BEYOND, _CLOSE = 1.0 + 1e-9, 1e-12
# So many studies are drawn, of at most so many rows by the normal limit: of more than that the
# shape of differences no longer matters. Power is looked at so many times up to that number.
_STUDIES, _MOST_DRAWN, _LOOKS = 4_000, 10_000, 200
# Of up to so many rows the test itself is made, with so many exchanges, unless p is to be smaller
# than they can tell.
_MOST_TESTED, _EXCHANGES, _LEAST_TAIL = 100, 4_096, 0.005
# Sums that are equal but for rounding are equal; so many studies are tested at once.
_ROUNDING, _AT_ONCE = 1e-12, 500


def queries_needed(
    a: Any,
    b: Any,
    *,
    difference: float | None = None,
    power: float = 0.8,
    sig: float = 0.05,
    alternative: Alternative = "two-sided",
    groups: Any = None,
    sample_weight: Any = None,
) -> int:
    """Find how many queries, or other rows, the randomization test needs to find a difference.

    Parameters
    ----------
    a, b : array of shape (n,)
        Paired scores of a first study, such as those of `ranking_metrics`: how far differences
        vary is taken from them.
    difference : float, default=None
        The mean difference that is to be found. None: that of the first study, which is the least
        reliable choice: a study that found something by luck finds too much.
    power : float, default=0.8
        Probability with which it is to be found.
    sig : float, default=0.05
        p-value that counts as found.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As for `randomization_test`.
    groups : array of shape (n,), default=None
        Rows that change places together: what is returned is the number of groups, of sizes such
        as these.
    sample_weight : array of shape (n,), default=None

    Returns
    -------
    int
        The number of rows; with ``groups`` of groups.

    Raises
    ------
    InvalidOptionError
        If the difference is 0, is of the other sign than the alternative, differences do not vary,
        or there are fewer than two pairs or groups.

    Notes
    -----
    Of the sum of differences under random exchanges the variance is the sum of their squares: by
    the normal limit, the test finds sums above ``z_sig`` times the root of that, with z the
    quantiles of the normal distribution, and half of ``sig`` for two sides. For normal differences
    of mean d and deviation s this has the power that is asked for where

        sqrt(n) * d / s  =  z_power + z_sig * sqrt(n / (n - z_sig**2))

    Lopsided differences, and those with heavy tails, need other numbers. So 4,000 studies are drawn
    (always the same) from the differences of the first one, moved to the mean that is to be found,
    and what is returned is how many rows it takes until the asked share of them has found it: up to
    100 rows by the test itself with 4,096 exchanges (by its normal limit where ``sig`` is less than
    .005 a side). Draws move it by about 3%. Where the equation has more than 10,000 rows, it is
    what counts.

    However far models differ, p is 2 / 2^n at least (half of it one-sided): no fewer rows than can
    reach ``sig`` are returned.

    By simulation, where the first study is large, between .95 and 1.06 of that are needed, whether
    differences are normal, reciprocal ranks, exponential, lognormal or of t with three degrees of
    freedom (benchmarks/comparison_study.txt).
    A first study of few rows knows neither the spread nor the shape of differences well.

    Examples
    --------
    >>> from vtreat_py.evaluation import queries_needed
    >>> old = [0.61, 0.40, 0.75, 0.52, 0.66, 0.47, 0.58, 0.70]
    >>> new = [0.66, 0.38, 0.81, 0.55, 0.60, 0.55, 0.66, 0.69]
    >>> queries_needed(new, old)
    34
    >>> queries_needed(new, old, difference=0.01)
    210
    """
    check_same_rows({"a": a, "b": b, "groups": groups, "sample_weight": sample_weight})
    first, second = finite_numbers(a, "a"), finite_numbers(b, "b")
    check_length(second, len(first), "b")
    check_one_of(get_args(Alternative), "alternative", alternative)
    power = _probability("power", power)
    sides = 2.0 if alternative == "two-sided" else 1.0
    tail = _probability("sig", sig, sides / 2.0) / sides
    unit = units(groups, len(first))
    weight = near_one(checked_weight(sample_weight, len(first)))[0]
    (first, second), exponent = near_one(np.stack([first, second]))
    apart = first - second
    n_units = len(np.unique(unit[weight > 0]))
    if n_units < 2:
        raise InvalidOptionError("there are fewer than two pairs (or groups) to tell how they vary")
    spread = math.sqrt(n_units) * standard_error_of_mean(apart, weight, unit)
    if difference is None:
        wanted = float(np.average(apart, weights=weight))
    else:
        with np.errstate(over="ignore"):
            wanted = float(np.ldexp(check_number("difference", difference, -math.inf), -exponent))
    _check_direction(wanted, alternative)
    if not spread > _NOTHING * float(np.abs(apart).max()):
        raise InvalidOptionError("all differences are the same: a few rows are enough")
    effect = abs(wanted) / spread
    if effect < _SMALLEST:
        raise InvalidOptionError(
            f"the difference is {effect:g} of what differences vary by, next to nothing; no number "
            "of rows finds it"
        )
    z_sig = float(norm.isf(tail))
    fewest = math.ceil(-math.log2(tail))
    rows = max(fewest, math.ceil(_rows_for(effect, z_sig, float(norm.ppf(power)))))
    if rows > _MOST_DRAWN or effect > _GREATEST:
        return rows
    sums, weights = np.bincount(unit, weight * apart), np.bincount(unit, weight)
    sums, weights = sums[weights > 0], weights[weights > 0]
    centred = (sums - weights * (sums.sum() / weights.sum())) * math.sqrt(n_units / (n_units - 1))
    moved = math.copysign(1.0, wanted) * (centred + wanted * weights)
    # In order, so that what is drawn does not depend on that of the rows.
    moved = np.sort(moved)
    rows = max(fewest, _drawn_rows_for(moved, z_sig, power, math.ceil(rows / _LOOKS)))
    if rows > _MOST_TESTED or tail < _LEAST_TAIL:
        return rows
    return _tested_rows_for(moved, tail, power, fewest, rows)


def _drawn_rows_for(sums: FloatArray, z_sig: float, power: float, step: int) -> int:
    """Draw studies from the sums of units, and go on until enough of them have found the mean."""
    random, rows = np.random.default_rng(0), 0
    total, squares = np.zeros(_STUDIES), np.zeros(_STUDIES)
    found = 0.0
    while found < power:
        drawn = sums[random.integers(len(sums), size=(_STUDIES, step))]
        total += drawn.sum(axis=1)
        squares += np.square(drawn).sum(axis=1)
        rows += step
        found = float(np.mean(total > z_sig * np.sqrt(squares)))
    return rows


def _tested_rows_for(sums: FloatArray, tail: float, power: float, fewest: int, guess: int) -> int:
    """Find the number of rows at which the test itself finds the mean in enough drawn studies."""
    random, most = np.random.default_rng(0), 2 * guess
    studies = sums[random.integers(len(sums), size=(_STUDIES, most))]
    drawn = random.choice([-1.0, 1.0], size=(most, _EXCHANGES))
    drawn[:, 0] = 1.0

    def enough(rows: int) -> bool:
        exchanges = _all_exchanges(rows) if 2**rows <= _EXCHANGES else drawn[:rows]
        return _share_found(studies[:, :rows], exchanges, tail) >= power

    candidates = range(fewest, most)
    return candidates[bisect.bisect_left(candidates, True, hi=len(candidates) - 1, key=enough)]


def _all_exchanges(rows: int) -> FloatArray:
    bits = np.arange(2**rows) >> np.arange(rows)[:, None]
    return np.where(bits & 1, -1.0, 1.0)


def _share_found(studies: FloatArray, exchanges: FloatArray, tail: float) -> float:
    """Tell the share of studies, one a row, of which the one-sided p is at most ``tail``."""
    found = 0
    for start in range(0, len(studies), _AT_ONCE):
        these = studies[start : start + _AT_ONCE]
        least = these.sum(axis=1) - _ROUNDING * np.abs(these).sum(axis=1)
        as_great = np.sum(these @ exchanges >= least[:, None], axis=1)
        found += int(np.sum(as_great <= tail * exchanges.shape[1]))
    return found / len(studies)


def _rows_for(effect: float, z_sig: float, z_power: float) -> float:
    """Find where the equation of the notes holds: it has more rows on the left from there on."""
    least = z_sig * z_sig

    def short(n: float) -> float:
        return z_power + z_sig * math.sqrt(n / (n - least)) - math.sqrt(n) * effect

    start, most = least * _BEYOND, 2.0 * least + 4.0 * ((z_power + 2.0 * z_sig) / effect) ** 2
    if short(start) <= 0.0:
        return start
    return float(optimize.brentq(short, start, most, rtol=_CLOSE))


def _probability(name: str, value: Any, most: float = 1.0) -> float:
    number = check_number(name, value, 0, most, below=True)
    if not number:
        raise InvalidOptionError(f"{name}=0; it must be more than 0")
    return number


def _check_direction(wanted: float, alternative: str) -> None:
    if not wanted:
        raise InvalidOptionError("the difference is 0, which no number of rows finds")
    if alternative != "two-sided" and (wanted > 0) != (alternative == "greater"):
        raise InvalidOptionError(
            f"the difference is {wanted:g}, which alternative={alternative!r} does not look for"
        )
