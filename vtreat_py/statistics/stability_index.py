"""The population stability index: how far two samples are apart, bin by bin."""

from __future__ import annotations

import numpy as np
from scipy import special

from vtreat_py.base.arrays import FloatArray

# Rows that each bin of each sample is given beforehand.
_PRIOR_ROWS = 0.5
_CHANCE = 0.05


def stability_index(then: FloatArray, now: FloatArray) -> FloatArray:
    """Compute what each bin adds to the population stability index of two samples.

    Parameters
    ----------
    then, now : ndarray of shape (m,)
        Weight of each bin in the two samples.

    Returns
    -------
    ndarray of shape (m,)
        0 or more, 0 for bins that are empty in both; the index is their sum.

    Notes
    -----
    The index is ``sum((q - p) * log(q / p))`` over bins with the shares p then and q now: the
    divergence of Kullback and Leibler, in both directions (H. Jeffreys, "An invariant form for the
    prior probability in estimation problems", Proceedings of the Royal Society A 186, 1946). It
    would be infinite where a bin is empty in one sample. Shares are therefore estimated with half a
    row more in each bin that has rows in either sample, which is what Jeffreys' prior for shares
    says: an empty bin is one that half a row was too few for, not one that cannot be.

    Examples
    --------
    >>> import numpy as np
    >>> stability_index(np.array([50.0, 50.0]), np.array([70.0, 30.0])).round(3)
    array([0.066, 0.1  ])
    """
    some = (then > 0) | (now > 0)
    p, q = (filled / filled[some].sum() for filled in (then + _PRIOR_ROWS, now + _PRIOR_ROWS))
    return np.asarray(np.where(some, (q - p) * np.log(q / p), 0.0))


def index_by_chance(n_bins: int, rows_then: float, rows_now: float) -> float:
    """Compute what the index of two samples of one population exceeds in 5% of cases.

    Notes
    -----
    Times ``1 / (1 / rows_then + 1 / rows_now)`` the index has, in large samples, the chi-square
    distribution with one degree of freedom less than there are bins (B. Yurdakul, "Statistical
    Properties of Population Stability Index", dissertation, Western Michigan University, 2018).

    Examples
    --------
    >>> round(index_by_chance(10, 1_000, 1_000), 4)
    0.0338
    """
    if n_bins < 2:
        return 0.0
    quantile = float(special.chdtri(n_bins - 1, _CHANCE))
    return quantile * (1.0 / rows_then + 1.0 / rows_now)
