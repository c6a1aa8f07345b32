"""The test of spread: whether y varies more inside some levels than inside others."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy import sparse

from vtreat_py._typing import FloatArray, IntArray, NumberArray
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

_SEED = 1953
# Blocks are of four rows where half of the rows are in levels of two such blocks, else of two.
_LARGE_BLOCK, _SMALL_BLOCK = 4, 2
# Of more rows than this a random part is looked at: enough for any deviation worth a code.
_MOST_ROWS = 1 << 18
# More rows than this for each row of the frame say no more about it.
_MOST_COPIES = 4


def rows_in_order(y: NumberArray, weight: FloatArray | None) -> IntArray:
    """Rows by increasing outcome, so that the frame's order does not matter.

    A row occurs as often as its weight says; fractions of a row, and a part of very many rows,
    occur at random.
    """
    random = np.random.default_rng(_SEED)
    order = np.argsort(y, kind="stable")
    if weight is None:
        return _some(order, random)
    order = order[weight[order] > 0]
    weight = weight[order] * min(1.0, _MOST_COPIES * len(order) / weight.sum())
    copies = np.floor(weight + random.random(len(order))).astype(np.intp)
    return _some(np.repeat(order, copies), random)


def _some(rows: IntArray, random: np.random.Generator) -> IntArray:
    """All rows, or a random part of very many."""
    if len(rows) <= _MOST_ROWS:
        return rows
    return rows[random.random(len(rows)) < _MOST_ROWS / len(rows)]


def random_order(y: NumberArray) -> IntArray:
    """Return a random order of the rows, of which the outcomes are given: theirs each time.

    One order for all data would put rows of the same ranks together in each of them. The unit
    of the outcome does not matter.
    """
    if not len(y):
        return np.empty(0, dtype=np.intp)
    apart = y - y.mean()
    rounded = np.rint(apart * (1000.0 / (apart.std() or 1.0))).astype(np.int64)
    digest = hashlib.blake2b(rounded.tobytes(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "little")).permutation(len(y))


def spread_test(level: IntArray, n_levels: int, y: FloatArray, shuffle: IntArray) -> float:
    """p-value of the hypothesis that the outcome varies as much inside each level.

    Parameters
    ----------
    level : ndarray of int, shape (n,)
        Level of each row, the rows being in order of their outcomes.
    n_levels : int
    y : ndarray of shape (n,)
        Outcome of each row.
    shuffle : ndarray of int, shape (n,)
        A random order of the rows.

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
    >>> level, noise = np.arange(1000) % 5, random.normal(size=1000)
    >>> def test(y):
    ...     rows = rows_in_order(y, None)
    ...     return spread_test(level[rows], 5, y[rows], random_order(y[rows]))
    >>> round(test(10.0 * level + noise), 2)  # levels differ in their means only
    0.66
    >>> test((1.0 + level) * noise) < 1e-6
    True
    """
    size = np.bincount(level, minlength=n_levels)
    large = size[size >= 2 * _LARGE_BLOCK].sum() * 2 >= size.sum()
    block = _LARGE_BLOCK if large else _SMALL_BLOCK
    n_blocks = size // block
    if not (n_blocks > 1).any():
        return 1.0
    # The names of the levels, or the order they came in, must not matter.
    by_size = np.lexsort((np.bincount(level, y, n_levels), size))
    level, size, n_blocks = np.argsort(by_size)[level], size[by_size], n_blocks[by_size]
    in_order, of_row = _by_level(level, n_levels, y), np.repeat(np.arange(n_levels), size)
    grouped = _by_level(of_row[shuffle], n_levels, in_order[shuffle])
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
