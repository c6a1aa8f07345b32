"""How many rows, groups or queries it takes to find a difference."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
from scipy import optimize
from scipy.stats import norm

from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import check_length, check_one_of, checked_weight, finite_numbers
from vtreat_py.evaluation._paired_rows import standard_error_of_mean, units
from vtreat_py.evaluation.randomization import Alternative

# Differences that vary by less than this share of the greatest of them vary by rounding.
_NOTHING = 1e-12
# The search for a number of rows starts so far above the least there is, and ends so close.
_BEYOND, _CLOSE = 1.0 + 1e-9, 1e-12


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
    By the normal limit of the test. Under random exchanges the mean m of n differences has the
    variance of m squared and their own variance ``s**2``, over n, as m is itself what is exchanged:
    the test finds what is above ``z_sig * s / sqrt(n - z_sig**2)``, with z the quantiles of the
    normal distribution, and half of ``sig`` for two sides. So n is where

        sqrt(n) * d / s  =  z_power + z_sig * sqrt(n / (n - z_sig**2))

    with d the difference that is to be found. By simulation, normal differences and those of
    reciprocal ranks need from .93 to 1.04 of that, those with heavy tails .86 and more, and
    lopsided ones as few as half of it, where the long tail is on the side of the difference
    (benchmarks/comparison_study.txt).

    Examples
    --------
    >>> from vtreat_py.evaluation import queries_needed
    >>> old = [0.61, 0.40, 0.75, 0.52, 0.66, 0.47, 0.58, 0.70]
    >>> new = [0.66, 0.38, 0.81, 0.55, 0.60, 0.55, 0.66, 0.69]
    >>> queries_needed(new, old)
    33
    >>> queries_needed(new, old, difference=0.01)
    209
    """
    check_same_rows({"a": a, "b": b, "groups": groups, "sample_weight": sample_weight})
    first, second = finite_numbers(a, "a"), finite_numbers(b, "b")
    check_length(second, len(first), "b")
    check_one_of(get_args(Alternative), "alternative", alternative)
    power = _probability("power", power)
    sides = 2.0 if alternative == "two-sided" else 1.0
    tail = _probability("sig", sig, sides / 2.0) / sides
    unit, weight = units(groups, len(first)), checked_weight(sample_weight, len(first))
    apart = first - second
    n_units = len(np.unique(unit[weight > 0]))
    if n_units < 2:
        raise InvalidOptionError("there are fewer than two pairs (or groups) to tell how they vary")
    spread = math.sqrt(n_units) * standard_error_of_mean(apart, weight, unit)
    if difference is None:
        wanted = float(np.average(apart, weights=weight))
    else:
        wanted = check_number("difference", difference, -math.inf)
    _check_direction(wanted, alternative)
    if not spread > _NOTHING * float(np.abs(apart).max()):
        raise InvalidOptionError("all differences are the same: a few rows are enough")
    z_sig, z_power = float(norm.isf(tail)), float(norm.ppf(power))
    return math.ceil(_rows_for(abs(wanted) / spread, z_sig, z_power))


def _rows_for(effect: float, z_sig: float, z_power: float) -> float:
    """Find where the equation of the notes holds: it has more rows on the left from there on."""
    least = z_sig * z_sig

    def short(n: float) -> float:
        return z_power + z_sig * math.sqrt(n / (n - least)) - math.sqrt(n) * effect

    most = 2.0 * least + 4.0 * ((z_power + 2.0 * z_sig) / effect) ** 2
    return float(optimize.brentq(short, least * _BEYOND, most, rtol=_CLOSE))


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
