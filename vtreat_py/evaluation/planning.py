"""How many rows, groups or queries it takes to find a difference."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
from scipy.stats import norm

from vtreat_py.base.checks import check_number
from vtreat_py.base.errors import InvalidOptionError
from vtreat_py.base.labels import check_same_rows
from vtreat_py.evaluation._inputs import check_length, check_one_of, checked_weight, finite_numbers
from vtreat_py.evaluation._paired_rows import standard_error_of_mean, units
from vtreat_py.evaluation.randomization import Alternative

# Differences that vary by less than this share of the greatest of them vary by rounding.
_NOTHING = 1e-12


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
    difference : float or None, default=None
        The mean difference that is to be found. None: that of the first study, which is the least
        reliable choice: a study that found something by luck finds too much.
    power : float, default=0.8
        Probability with which it is to be found.
    sig : float, default=0.05
        p-value that counts as found.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        As for `randomization_test`.
    groups : array of shape (n,) or None, default=None
        Rows that change places together: what is returned is the number of groups, of sizes such
        as these.
    sample_weight : array of shape (n,) or None, default=None

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
    By the normal limit of the test. Under random exchanges the mean of n differences with mean d
    and standard deviation s has the variance ``(s**2 + d**2) / n``, as it is itself what is
    exchanged; the observed one has ``s**2 / n``. So

        n = ((z_sig * sqrt(s**2 + d**2) + z_power * s) / d)**2

    with z the quantiles of the normal distribution, and half of ``sig`` for two sides. From some
    twenty rows on, it is within 10% of simulation (benchmarks/comparison_study.txt).

    Examples
    --------
    >>> from vtreat_py.evaluation import queries_needed
    >>> old = [0.61, 0.40, 0.75, 0.52, 0.66, 0.47, 0.58, 0.70]
    >>> new = [0.66, 0.38, 0.81, 0.55, 0.60, 0.55, 0.66, 0.69]
    >>> queries_needed(new, old)
    36
    >>> queries_needed(new, old, difference=0.01)
    212
    """
    check_same_rows({"a": a, "b": b, "groups": groups, "sample_weight": sample_weight})
    first, second = finite_numbers(a, "a"), finite_numbers(b, "b")
    check_length(second, len(first), "b")
    check_one_of(get_args(Alternative), "alternative", alternative)
    power = _probability("power", power)
    tail = _probability("sig", sig) / (2.0 if alternative == "two-sided" else 1.0)
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
    reach = z_sig * math.hypot(spread, wanted) + z_power * spread
    return math.ceil((reach / wanted) ** 2)


def _probability(name: str, value: Any) -> float:
    number = check_number(name, value, 0, 1, below=True)
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
