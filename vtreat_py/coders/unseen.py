"""How large levels are that were not seen."""

from __future__ import annotations

from functools import cache

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.blocks import blocks

# Levels of up to so many rows tell of those of none.
MOST_ROWS = 10
# Rows of a level that was seen once, and which share of them goes with rows, that are looked at.
_ROWS = np.geomspace(0.25, 16.0, 65)
_SHARES = (np.arange(32) + 0.5) / 32
# Training sets at a time.
_SETS = 256


def log_rows_of_one(n_levels: FloatArray) -> FloatArray:
    """Expect the logarithm of the rows that a level has on average of which one row was seen.

    A row of a level that was never seen is such a row. Levels of k rows have

        (k + 1) * n_levels[k + 1] / n_levels[k]

    on average. It is a + b * k where the shares of levels in all rows are drawn from a gamma
    distribution. The result is the posterior mean of log(a + b), as far as levels of one to ten
    rows tell, where each log(a + b) and each b / (a + b) was equally likely beforehand.

    Parameters
    ----------
    n_levels : ndarray of shape (training sets, MOST_ROWS)
        Numbers of levels of one row, of two rows, and so on.

    Returns
    -------
    ndarray of shape (training sets,)

    Notes
    -----
    I. Good, "The Population Frequencies of Species and the Estimation of Population Parameters",
    Biometrika 40 (1953); R. Fisher, A. Corbet and C. Williams, "The Relation Between the Number of
    Species and the Number of Individuals in a Random Sample of an Animal Population", Journal of
    Animal Ecology 12 (1943).
    """
    log_rows = np.empty(len(n_levels))
    for some in blocks(len(n_levels), _SETS):
        likelihood = n_levels[some] @ _log_chances()
        likely = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        by_rows = likely.reshape(-1, len(_ROWS), len(_SHARES)).sum(axis=2)
        log_rows[some] = by_rows @ np.log(_ROWS) / by_rows.sum(axis=1)
    return log_rows


@cache
def _log_chances() -> FloatArray:
    """Logarithms of chances that a level of one to ten rows has so many, for each way."""
    k = np.arange(1.0, MOST_ROWS)[:, None, None]
    grown = _ROWS[:, None] * (1.0 + _SHARES * (k - 1.0)) / (k + 1.0)
    chances = np.concatenate([np.zeros_like(grown[:1]), np.log(grown).cumsum(axis=0)])
    chances -= np.logaddexp.reduce(chances, axis=0)
    return np.asarray(chances.reshape(MOST_ROWS, -1))
