"""Quantiles of weighted values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.outcome_sums import ROUNDING


def weighted_quantiles(
    values: NumberArray, weights: FloatArray | None, probabilities: Sequence[float]
) -> FloatArray:
    """Quantiles of type 7 of values that stand for ``weights`` equal rows each.

    Whole weights give the quantiles of the repeated rows: the quantile at p lies at place
    ``(W - 1) * p`` of the W sorted rows, between rows on a straight line (R. Hyndman and
    Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50, 1996).

    Examples
    --------
    >>> import numpy as np
    >>> weighted_quantiles(np.array([1.0, 4.0]), np.array([3.0, 1.0]), [0.0, 0.5, 5 / 6])
    array([1. , 1. , 2.5])
    """
    near = Coordinates.near(values)  # differences of extreme values stay in range
    values = values / np.float64(near.unit)
    if weights is None:
        return np.asarray(np.quantile(values, probabilities) * near.unit)
    some = weights > 0
    order = np.argsort(values[some], kind="stable")
    ordered, upto = values[some][order], np.cumsum(weights[some][order])
    place = np.maximum(upto[-1] - 1.0, 0.0) * np.asarray(probabilities)
    below = np.floor(place)
    last = len(ordered) - 1
    low = ordered[np.minimum(np.searchsorted(upto, below, side="right"), last)]
    high = ordered[np.minimum(np.searchsorted(upto, below + 1.0, side="right"), last)]
    return np.asarray((low + (high - low) * (place - below)) * near.unit)


def ends_of_shares(upto: FloatArray, n_shares: int) -> IntArray:
    """Places where cumulated weights reach each of equal shares of all, but for rounding.

    Sums of fractions that tie with a share are rounded otherwise in another order of rows.

    Examples
    --------
    >>> import numpy as np
    >>> ends_of_shares(np.array([0.1, 0.2, 0.3]), 3)
    array([0, 1])
    """
    wanted = upto[-1] * (np.arange(1, n_shares) / n_shares - ROUNDING)
    return np.asarray(np.searchsorted(upto, wanted))
