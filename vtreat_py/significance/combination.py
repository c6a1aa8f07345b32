"""One p-value of several tests of one hypothesis."""

from __future__ import annotations

import math
from collections.abc import Sequence

# p-values above this, and the smallest one, count as this: a test that saw nothing must not
# outweigh one that did.
_MOST = 0.75
# What parts that depend on each other reach too often, at most by about so much.
_DEPENDENT = 1.05
_SMALL = 1e-12


def cauchy_combination(p_values: Sequence[float], weights: Sequence[float]) -> float:
    """p-value of the hypothesis that each of several tests has a p-value of.

    Parameters
    ----------
    p_values : sequence of float
    weights : sequence of float
        They sum to 1; a test of weight 0 is left out.

    Returns
    -------
    float
        The one p-value, where one test alone has a weight.

    Notes
    -----
    Each p-value becomes the Cauchy variable that is exceeded with this probability; their
    weighted mean is one again, if they are independent or all the same, and nearly so, in the
    tail, however they depend on each other (Y. Liu and J. Xie, "Cauchy combination test: a powerful
    test with analytic p-value calculation under arbitrary dependency structures", Journal of the
    American Statistical Association 115 (2020)). At .05 and .01, tests that are moderately alike
    reach it up to 1.08 times as often; so the p-value is multiplied by 1.05. p-values near 1 would
    outweigh small ones: those above 0.75 count as 0.75, which hardly moves the tail.

    Examples
    --------
    >>> round(cauchy_combination([0.001, 0.5], [0.8, 0.2]), 5)
    0.00131
    """
    parts = [(p, w) for p, w in zip(p_values, weights, strict=True) if w > 0.0]
    if len(parts) == 1:
        return parts[0][0]
    least = min(parts)[0]
    if least <= 0.0:
        return 0.0
    if least < _SMALL:  # the tangent is the angle, and its reciprocal may be too large
        return _DEPENDENT * least / sum(w * (least / p) for p, w in parts)
    most = max(least, _MOST)
    mean = sum(w / math.tan(math.pi * min(p, most)) for p, w in parts)
    return min(_DEPENDENT * math.atan2(1.0, mean) / math.pi, 1.0)
