"""The upper tail of a distribution that is known by four moments."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray

# Skewness below this is none.
_NO_SKEW = 1e-6
# A gamma curve of less skewness is normal, for all that its parameters could tell.
_LEAST_SKEW = 1e-3
# A Pearson curve whose quadratic term is below this is one of type III.
_NEARLY_GAMMA = 1e-5


def upper_tail(deviation: float, skewness: float, kurtosis: float) -> float:
    """Probability of more than a value, by the Pearson curve with four given moments.

    Parameters
    ----------
    deviation : float
        The value less the mean, in standard deviations.
    skewness, kurtosis : float
        Skewness and excess kurtosis.

    Notes
    -----
    The density of a Pearson curve has ``f' / f = -(x + b) / (c + b x + a x**2)``; a, b and c are
    those of the first four moments (K. Pearson, "Mathematical Contributions to the Theory of
    Evolution, XIX", Philosophical Transactions A 216 (1916)). Lighter tails than the gamma
    distribution's are beta (type I), heavier ones beta prime (type VI). Tails that are heavier
    still (type IV) are taken as the heaviest of type VI.

    Examples
    --------
    >>> round(upper_tail(1.959964, 0.0, 0.0), 6)
    0.025
    >>> round(upper_tail(2.0, 2.0, 6.0), 6)  # the exponential distribution
    0.049787
    """
    if abs(skewness) < _NO_SKEW:
        return float(special.ndtr(-deviation))
    mirrored = skewness < 0
    if mirrored:
        deviation, skewness = -deviation, -skewness
    square = skewness**2
    # No distribution has less kurtosis than skewness**2 - 2.
    beta = max(kurtosis, square - 2.0 + _NO_SKEW * max(square, 1.0)) + 3.0
    beta = min(beta, _heaviest(square))
    a = 2.0 * beta - 3.0 * square - 6.0
    b = skewness * (beta + 3.0)
    c = 4.0 * beta - 3.0 * square
    if abs(a) < _NEARLY_GAMMA * b:
        gamma = 4.0 / square
        far = max(gamma + deviation * math.sqrt(gamma), 0.0)
        tail = float((special.gammainc if mirrored else special.gammaincc)(gamma, far))
        return min(tail, 1.0)  # those of tiny exponents are rounded
    # The density's two ends (or one end and a point outside), and its exponents there.
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    start, other = -2.0 * c / (b + root), (-b - root) / (2.0 * a)
    scale = 10.0 * beta - 12.0 * square - 18.0
    at_start = 1.0 - (scale * start + b) / (a * (start - other))
    far = max(deviation - start, 0.0) / abs(other - start)
    if a > 0:
        at_other = scale / a - 1.0
        below = far / (1.0 + far)
        above = 1.0 / (1.0 + far)
    else:
        at_other = 1.0 - (scale * other + b) / (a * (other - start))
        below = min(far, 1.0)
        above = max(other - deviation, 0.0) / (other - start) if far > 0 else 1.0
    if mirrored:
        return float(special.betainc(at_start, at_other, below))
    return float(special.betainc(at_other, at_start, above))


def gamma_tail(deviation: FloatArray, skewness: FloatArray) -> FloatArray:
    """The same for many values at once by three moments: the curve of type III, a gamma's."""
    mirrored = skewness < 0.0
    skew = np.maximum(np.abs(skewness), _LEAST_SKEW)
    shape = 4.0 / skew**2
    far = np.maximum(shape + np.where(mirrored, -1.0, 1.0) * deviation * np.sqrt(shape), 0.0)
    tail = np.empty(len(shape))
    for those, share in ((~mirrored, special.gammaincc), (mirrored, special.gammainc)):
        tail[those] = share(shape[those], far[those])
    return tail


def _heaviest(square: float) -> float:
    """Kurtosis at which type VI ends, for a squared skewness."""
    a, b, c = 32.0 - square, 78.0 * square + 96.0, 36.0 * square**2 + 63.0 * square
    if a <= 0:
        return math.inf
    # Short of the end, where the two roots meet.
    return (b + math.sqrt(b * b - 4.0 * a * c)) / (2.0 * a) * (1.0 - _NO_SKEW)
