"""The test of spread: whether y varies more inside some levels than inside others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from vtreat_py._typing import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums

_SEED = 1953
# Blocks are of four rows where half of the rows are in levels of two such blocks, else of two.
_LARGE_BLOCK, _SMALL_BLOCK = 4, 2
# Of more rows than this a part is looked at: enough for any deviation worth a code.
MOST_ROWS = 1 << 15
# A part of the rows has so many of each level on average; else it is all rows of some levels.
_ROWS_OF_A_LEVEL = 32
# More rows than this for each row of the frame say no more about it.
_MOST_COPIES = 4


class SpreadTest:
    """Tests, of one column after another, whether the outcome's spread differs between levels.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Outcome of each row.
    weight : ndarray of shape (n,) or None
        Weight of each row.

    Notes
    -----
    The order of the rows does not matter, nor do the names of levels, as long as all rows are
    looked at. Of more than 32,768 it is a random part: of the rows, or where levels have few,
    all rows of random levels.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> level, noise = np.arange(1000) % 5, random.normal(size=1000)
    >>> round(SpreadTest(10.0 * level + noise).p_value(level, 5), 2)  # other means, same spread
    0.66
    >>> SpreadTest((1.0 + level) * noise).p_value(level, 5) < 1e-6
    True
    """

    def __init__(self, y: NumberArray, weight: FloatArray | None = None) -> None:
        self._y, self._weight = y, weight
        self._rows = np.arange(len(y)) if weight is None else np.flatnonzero(weight)

    def p_value(self, level: IntArray, n_levels: int) -> float:
        """p-value of the hypothesis that the outcome varies as much inside each level.

        Parameters
        ----------
        level : ndarray of int, shape (n,)
            Level of each row.
        n_levels : int

        Returns
        -------
        float
            1 where no level has rows enough for two blocks.
        """
        picked = sampled_levels(n_levels, len(self._rows))
        if picked is None:
            ordered = self._part
        else:
            chosen = picked[level]
            if self._weight is not None:
                chosen &= self._weight > 0
            ordered = self._ordered(np.flatnonzero(chosen))
        return spread_test(level[ordered.rows], n_levels, ordered.y, ordered.shuffle)

    @cached_property
    def _part(self) -> _OrderedRows:
        return self._ordered(self._rows)

    def _ordered(self, rows: IntArray) -> _OrderedRows:
        return _OrderedRows.of_rows(rows, self._y, self._weight)


def sampled_levels(n_levels: int, n_rows: int) -> BoolArray | None:
    """Levels of which all rows are looked at; None: all rows, or a random part of them, are."""
    share = MOST_ROWS / max(n_rows, 1)
    if share >= 1.0 or n_levels * _ROWS_OF_A_LEVEL <= MOST_ROWS:
        return None
    return np.random.default_rng([_SEED, n_levels]).random(n_levels) < share


@dataclass(frozen=True, eq=False)
class _OrderedRows:
    """Rows by increasing outcome, so that the frame's order does not matter.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Numbers of the rows. A row occurs as often as its weight says; fractions of a row occur at
        random, and so do rows where there are very many.
    y : ndarray of shape (m,)
        Their outcomes.
    """

    rows: IntArray
    y: FloatArray

    @classmethod
    def of_rows(cls, rows: IntArray, y: NumberArray, weight: FloatArray | None) -> _OrderedRows:
        """Put rows in order, given the outcomes and weights of all."""
        random = np.random.default_rng(_SEED)
        rows = _some(rows, random)
        rows = rows[np.argsort(y[rows], kind="stable")]
        if weight is not None:
            times = weight[rows] * min(1.0, _MOST_COPIES * len(rows) / weight[rows].sum())
            copies = np.floor(times + random.random(len(rows))).astype(np.intp)
            rows = _some(np.repeat(rows, copies), random)
        return cls(rows, y[rows].astype(np.float64))

    @cached_property
    def shuffle(self) -> IntArray:
        """A random order of the rows: the same one for these outcomes each time.

        One order for all data would put rows of the same ranks together in each of them. The unit
        of the outcome does not matter.
        """
        if not len(self.y):
            return np.empty(0, dtype=np.intp)
        apart = self.y - self.y.mean()
        rounded = np.rint(apart * (1000.0 / (apart.std() or 1.0))).astype(np.int64)
        digest = hashlib.blake2b(rounded.tobytes(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "little")).permutation(len(self.y))


def _some(rows: IntArray, random: np.random.Generator) -> IntArray:
    """All rows, or a random part of very many, in their order."""
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.sort(random.choice(len(rows), MOST_ROWS, replace=False, shuffle=False))]


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
    deviation = _deviations(grouped[whole].reshape(-1, block))
    of_block = np.repeat(np.arange(n_levels), n_blocks)
    sums = OutcomeSums.of_rows(of_block, n_levels, deviation)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(deviation)))


def _deviations(blocks: FloatArray) -> FloatArray:
    """Return the standard deviation of each row of a matrix of few columns."""
    columns = np.ascontiguousarray(blocks.T)
    apart = columns - columns.mean(axis=0)
    return np.asarray(np.sqrt((apart * apart).sum(axis=0) / (len(columns) - 1)))


def _by_level(level: IntArray, n_levels: int, y: FloatArray) -> FloatArray:
    """Values of the first level, then of the second, and so on: a sort in linear time."""
    columns = np.arange(len(y), dtype=np.int32)
    matrix = sparse.coo_array((y, (level.astype(np.int32), columns)), shape=(n_levels, len(y)))
    matrix.has_canonical_format = True
    return np.asarray(matrix.tocsr().data)
