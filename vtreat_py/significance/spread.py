"""The test of spread: whether y varies more inside some levels than inside others."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

_SEED = 1953
# Blocks are of four rows where half of the rows are in levels of two such blocks, else of two.
_LARGE_BLOCK, _SMALL_BLOCK = 4, 2
# More rows than this for each row of the frame say no more about it.
_MOST_COPIES = 4


def shuffled_rows(n_rows: int, weight: FloatArray | None) -> IntArray:
    """Rows in an order that has nothing to do with the data.

    A row occurs as often as its weight says; fractions of a row occur at random.
    """
    random = np.random.default_rng(_SEED)
    if weight is None:
        return random.permutation(n_rows)
    weight = weight * min(1.0, _MOST_COPIES * n_rows / weight.sum())
    copies = np.floor(weight + random.random(n_rows)).astype(np.intp)
    return random.permutation(np.repeat(np.arange(n_rows), copies))


def spread_test(level: IntArray, n_levels: int, y: FloatArray) -> float:
    """p-value of the hypothesis that the outcome varies as much inside each level.

    Parameters
    ----------
    level : ndarray of int, shape (n,)
        Level of each row, the rows being in random order.
    n_levels : int
    y : ndarray of shape (n,)
        Outcome of each row.

    Returns
    -------
    float
        1 where no level has rows enough for two blocks.

    Notes
    -----
    The rows of each level are cut into blocks of two or four, in random order, and the
    standard deviations of the blocks are compared between levels by `level_effects_test`. If
    the levels differ in their means only, the deviations of all blocks have one distribution,
    whatever the outcome's distribution is: permuting them is exact. Tests of the levels' own
    variances, or of distances from the levels' means, are not, when the outcome has heavy tails
    or is skewed. G. E. P. Box, "Non-normality and tests on variances", Biometrika 40 (1953), for
    the comparison of the variances of parts.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> level = random.integers(0, 5, 1000)
    >>> y = 10.0 * level + random.normal(size=1000)
    >>> round(spread_test(level, 5, y), 2)  # levels differ in their means only
    0.92
    >>> spread_test(level, 5, y * (1 + level / 4)) < 1e-6
    True
    """
    size = np.bincount(level, minlength=n_levels)
    large = size[size >= 2 * _LARGE_BLOCK].sum() * 2 >= size.sum()
    block = _LARGE_BLOCK if large else _SMALL_BLOCK
    n_blocks = size // block
    if not (n_blocks > 1).any():
        return 1.0
    grouped = _by_level(level, n_levels, y)
    place = np.arange(len(grouped)) - np.repeat(np.cumsum(size) - size, size)
    whole = place < np.repeat(n_blocks * block, size)
    deviation = grouped[whole].reshape(-1, block).std(axis=1, ddof=1)
    of_block = np.repeat(np.arange(n_levels), n_blocks)
    sums = OutcomeSums.of_rows(of_block, n_levels, deviation)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(deviation)))


def _by_level(level: IntArray, n_levels: int, y: FloatArray) -> FloatArray:
    """Values of the first level, then of the second, and so on: a sort in linear time."""
    columns = np.arange(len(y))
    matrix = sparse.coo_array((y, (level, columns)), shape=(n_levels, len(y)))
    matrix.has_canonical_format = True
    return np.asarray(matrix.tocsr().data)
