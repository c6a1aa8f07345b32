"""How many ways a reused holdout can have answered, and how far all that may mislead."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from vtreat_py.base.arrays import FloatArray, IntArray


def log_choose(n: Any, k: Any) -> Any:
    """Logarithm of the number of subsets of k among n; minus infinity if there is none."""
    with np.errstate(invalid="ignore"):
        found = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.where(k > n, -np.inf, found)


def greatest_deviation(
    answers: IntArray, log_values: FloatArray, width: float, effective_n: float, risk: float
) -> float:
    """How far holdout and truth are apart, at most, for all submissions so far.

    Parameters
    ----------
    answers : array of shape (t,)
        How often the holdout had given something away before each submission.
    log_values : array of shape (t,)
        Logarithm of the number of ways in which values could have been given away so often.
    width : float
        The greatest loss less the least.
    effective_n : float
        Number of independent rows.
    risk : float
        Probability that it is more.

    Notes
    -----
    What the s-th submission can be is fixed by the s - 1 answers before it. With j that told
    something there are C(s - 1, j) times the ways of their values. Each such submission is
    fixed before the holdout is drawn, so that by Hoeffding's inequality its two losses are apart by
    more than e with probability 2 exp(-2 n (e / width)^2). The risk is divided among all s and j,
    1 / (s (s + 1) (j + 1) (j + 2)) of it to each; these shares add up to 1.
    """
    s = np.arange(1, len(answers) + 1, dtype=np.float64)
    log_ways = log_choose(s - 1.0, answers) + log_values
    log_shares = -np.log(s * (s + 1.0) * (answers + 1.0) * (answers + 2.0))
    exponent = np.log(2.0) + log_ways - log_shares - np.log(risk)
    return float(width * np.sqrt(exponent.max() / (2.0 * effective_n)))
