"""p-values by drawing from the permutation distribution, where no smooth curve is close to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray

# Draws come from generators of their own, so that a p-value depends on the data alone.
_SEED = 1937
# p-values from here on decide nothing, and need no draws.
UNDECIDED = 0.1
_FIRST_DRAWS = 1_000
_DRAWS = 5_000
# So many of the first draws that reach the statistic settle that p is above .05.
_SETTLED = 60
# Beyond the draw of this rank, a smooth curve continues the tail.
_RANK = 10
# Where a draw takes more than one in so many rows, all rows are shuffled.
_LARGE_SHARE = 4
# Rows are drawn from no more than floats can count; of more, as if there were as many.
MOST_DRAWN_FROM = float(1 << 53)
# Statistics closer than this, relative to their size, are equal but for rounding.
_EQUAL = 1e-9


def p_value_by_draws(
    draw: Callable[[int], FloatArray],
    statistic: float,
    tail: Callable[[float], float],
) -> float:
    """Probability that a draw reaches a statistic.

    Parameters
    ----------
    draw : callable
        Gives so many independent draws of the statistic, and for another number others.
    statistic : float
    tail : callable
        A smooth approximation of the probability to reach a value. Where no draw reaches the
        statistic it continues the tail from the tenth largest, by the share that reaches there.

    Notes
    -----
    One more than the draws that reach the statistic, over one more than their number: it is at
    most q with probability at most q, for each q of at least 1 in 1,000. T. Knijnenburg,
    L. Wessels, M. Reinders and I. Shmulevich, "Fewer permutations, more accurate P-values",
    Bioinformatics 25 (2009), for continuing the tail.
    """
    drawn = draw(_FIRST_DRAWS)
    least = statistic - _EQUAL * abs(statistic)
    if (reached := int((drawn >= least).sum())) < _SETTLED:
        drawn = np.concatenate([drawn, draw(_DRAWS - _FIRST_DRAWS)])
        reached = int((drawn >= least).sum())
    if reached:
        return (reached + 1) / (len(drawn) + 1)
    far = float(np.partition(drawn, -_RANK)[-_RANK])
    share = float((drawn >= far - _EQUAL * abs(far)).sum() + 1) / (len(drawn) + 1)
    at_far = tail(far)
    p = share * tail(statistic) / at_far if at_far > 0 else share
    return min(p, 1.0 / (len(drawn) + 1))


def generator(*purpose: int) -> np.random.Generator:
    """Return the source of random numbers for a purpose: always the same one, and its own."""
    return np.random.default_rng([_SEED, *purpose])


@lru_cache(maxsize=8)  # many columns ask for the same
def different_rows(n_rows: int, n_drawn: int, n_draws: int) -> IntArray:
    """Draw rows without replacement, ``n_draws`` times.

    Returns
    -------
    ndarray of int, shape (n_draws, n_drawn)
    """
    random = generator(n_rows, n_drawn, n_draws)
    if n_rows <= _LARGE_SHARE * n_drawn:
        every = np.tile(np.arange(n_rows), (n_draws, 1))
        rows = random.permuted(every, axis=1)[:, :n_drawn].copy()
    else:
        rows = _redrawn_until_different(random, n_rows, n_drawn, n_draws)
    rows.setflags(write=False)
    return rows


def _redrawn_until_different(
    random: np.random.Generator, n_rows: int, n_drawn: int, n_draws: int
) -> IntArray:
    rows = random.integers(0, n_rows, (n_draws, n_drawn))
    in_order = np.sort(rows, axis=1)
    repeats = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
    redrawn = rows[repeats]
    for k in range(1, n_drawn):
        taken = np.flatnonzero((redrawn[:, :k] == redrawn[:, k, None]).any(axis=1))
        while len(taken):
            redrawn[taken, k] = random.integers(0, n_rows, len(taken))
            taken = taken[(redrawn[taken, :k] == redrawn[taken, k, None]).any(axis=1)]
    rows[repeats] = redrawn
    return rows
