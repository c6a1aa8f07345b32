"""What some rows of a column of numbers tell: that it is the outcome, or that it holds names."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special

from vtreat_py.base.arrays import BoolArray, FloatArray, NumberArray
from vtreat_py.design.hints import BY_CHANCE, DETERMINES, hint_of_names, looks_like_names
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Rows that are looked at; first a few, which rule most columns out.
MOST_ROWS = 1 << 15
_FIRST_ROWS = 64
# Names are some, and repeat.
_FEWEST, _ROWS_OF_EACH = 10, 3


def hints_of_rows(
    x: NumberArray,
    told_by: Sequence[NumberArray],
    contrasts: Sequence[NumberArray],
    weight: FloatArray | None,
) -> tuple[str, ...]:
    """Say so if a column determines the outcome, or its numbers look like names.

    Parameters
    ----------
    x : ndarray of shape (n,)
    told_by : sequence of ndarray of shape (n,)
        The outcome, in each way in which it may be copied.
    contrasts : sequence of ndarray of shape (n,)
        The outcome, or each class against the others, for tests.
    weight : ndarray of shape (n,) or None
    """
    counted = np.isfinite(x) if weight is None else np.isfinite(x) & (weight > 0)
    first = np.flatnonzero(counted[:_FIRST_ROWS])
    maybe = [y for y in told_by if _is_told(x[first], y[first])]
    if any(_determines(x[counted], y[counted]) for y in maybe):
        return (DETERMINES,)
    if not contrasts or not (_are_whole(x[first]) and _are_whole(x := x[counted])):
        return ()
    codes, numbers = pd.factorize(x)
    if not _FEWEST <= len(numbers) <= len(x) / _ROWS_OF_EACH:
        return ()
    w = None if weight is None else weight[counted]
    sums = [OutcomeSums.of_rows(codes, len(numbers), y[counted], w) for y in contrasts]
    named = looks_like_names(numbers.astype(np.float64), sums)
    return (hint_of_names(len(numbers)),) if named else ()


def _is_told(x: NumberArray, y: NumberArray) -> bool:
    """Whether rows of one number have one outcome, and it may be more than chance."""
    y, is_first = _sorted(x, y)
    pure = bool((y[1:] == y[:-1])[~is_first[1:]].all())
    return pure and (_is_monotone(y) or not is_first.all())


def _determines(x: NumberArray, y: NumberArray) -> bool:
    """Whether rows of one number have one outcome, which chance does not explain."""
    if not _is_told(x, y):
        return False
    y, is_first = _sorted(x, y)
    n, sizes = len(y), np.diff(np.append(np.flatnonzero(is_first), len(y)))
    alike = np.unique(y, return_counts=True)[1]
    # As many outcomes as numbers without repeats could have at random, or in two orders.
    chance = float((n - len(sizes)) * np.log(alike.max() / n)) if n else 0.0
    if _is_monotone(y):
        ways = special.gammaln(n + 1.0) - special.gammaln(alike + 1.0).sum()
        chance = min(chance, math.log(2.0) + float(special.gammaln(sizes + 1.0).sum() - ways))
    return chance < math.log(BY_CHANCE)


def _sorted(x: NumberArray, y: NumberArray) -> tuple[NumberArray, BoolArray]:
    """The outcome along the numbers, and where a number comes first."""
    order = np.lexsort((y, x))
    x = x[order]
    return y[order], np.append(True, x[1:] != x[:-1])[: len(x)]


def _is_monotone(y: NumberArray) -> bool:
    return bool((y[1:] >= y[:-1]).all() or (y[1:] <= y[:-1]).all())


def _are_whole(x: NumberArray) -> bool:
    return x.dtype.kind in "iu" or bool((x == np.rint(x)).all())
