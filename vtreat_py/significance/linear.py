"""One-variable linear regression, from moments."""

from __future__ import annotations

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments

# Variation of x below this share of its size is rounding.
_ROUNDING = 1e-15


def linear_slope(moments: Moments) -> FloatArray:
    """Slope of the weighted least squares line of y on x; 0 where x does not vary."""
    size = np.abs(moments.x + moments.centre_x)
    varies = moments.xx > moments.weight * (_ROUNDING * size) ** 2
    return np.asarray(np.where(varies, moments.xy / np.where(varies, moments.xx, 1.0), 0.0))


def linear_score(moments: Moments, extra_degrees: float = 0.0) -> Score:
    """Score variables by the F test of their linear regression.

    Parameters
    ----------
    moments : Moments
        One entry a variable. Weights are frequencies: their sum is the number of rows.
    extra_degrees : float
        Degrees of freedom the variable used up before, for instance levels less one for an
        in-sample impact code.

    Returns
    -------
    Score
        Slope, rsq and p-value; rsq 0 and p-value 1 where x or y does not vary.

    Notes
    -----
    F = ((TSS - RSS) / (p - 1)) / (RSS / (n - p)) with p = 2 + ``extra_degrees`` (spec of
    R vtreat's linear score, with frequency weights entering each sum once).

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 4.0])
    >>> score = linear_score(Moments.of_rows(np.zeros(4, dtype=int), 1, x, y))
    >>> float(score.slope[0]), round(float(score.rsq[0]), 4), round(float(score.sig[0]), 4)
    (1.3, 0.9657, 0.0173)
    """
    slope = linear_slope(moments)
    explained = slope * moments.xy
    usable = (moments.yy > 0) & (explained > 0)
    yy = np.where(usable, moments.yy, 1.0)
    rsq = np.where(usable, np.minimum(explained / yy, 1.0), 0.0)
    between_df = 1.0 + extra_degrees
    residual_df = moments.weight - 1.0 - between_df
    testable = usable & (residual_df > 0)
    residual = np.maximum(yy - explained, 0.0) / np.where(testable, residual_df, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.where(testable, explained / between_df / residual, 0.0)
    sig = np.where(testable, special.fdtrc(between_df, np.maximum(residual_df, 1e-300), f), 1.0)
    return Score(slope, rsq, sig)
