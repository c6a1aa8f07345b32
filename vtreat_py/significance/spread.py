"""The test of spread: whether y varies more inside some levels than inside others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.base.mixing import Hashes, mixed
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.significance.permutation_moments import OutcomePowers
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

_SEED = 1953
# Blocks are of four rows where half of the rows are in levels of two such blocks, else of two.
_LARGE_BLOCK, _SMALL_BLOCK = 4, 2
# Of more rows than this a part is looked at: enough for any deviation worth a code.
MOST_ROWS = 1 << 15
# A part of the rows has so many of each level on average; else it is of so many levels at least.
_ROWS_OF_A_LEVEL, _FEWEST_LEVELS = 32, 64
# Levels are picked to have this share of those rows: rarely too many, which costs another draw.
_AIM = 0.95
# 2**32 times the golden section, as a signed number: its multiples are spread evenly.
_GOLDEN = 0x9E3779B1 - (1 << 32)
# Standard deviations so many times the distance of quartiles are made by few rows. So many units
# are far off.
_FEW_ROWS_MAKE, _FAR = 32.0, 2.0**42
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
    counts_rows : bool
        Whether weights are numbers of rows. If not, only their ratios count.

    Notes
    -----
    The order of the rows does not matter, nor do the names of levels, as long as all rows are
    looked at, each a whole number of times. Of more than 32,768 it is a part: of the rows, or where
    there are many levels, of the rows of some levels.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> level, noise = np.arange(1000) % 5, random.normal(size=1000)
    >>> round(SpreadTest(10.0 * level + noise).p_value(level, 5), 2)  # other means, same spread
    0.67
    >>> SpreadTest((1.0 + level) * noise).p_value(level, 5) < 1e-6
    True
    """

    def __init__(
        self, y: NumberArray, weight: FloatArray | None = None, *, counts_rows: bool = True
    ) -> None:
        self._y, self._weight, self._counts_rows = y, weight, counts_rows
        self._n_rows = len(y) if weight is None else int(np.count_nonzero(weight))

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
        if self._n_rows <= MOST_ROWS:
            return spread_test(*self._whole.dealt(level, n_levels))
        if _has_rows_of_each(n_levels):
            rows, y, weight = self._part
            return spread_test(level[rows], n_levels, y, weight)
        return spread_test(*self._some_levels(level, n_levels))

    @cached_property
    def _counted(self) -> IntArray:
        """Rows that have a weight."""
        return np.arange(len(self._y)) if self._weight is None else np.flatnonzero(self._weight)

    @cached_property
    def _whole(self) -> _OrderedRows:
        keys = (self._y,) if self._weight is None else (self._weight, self._y)
        rows = self._counted[np.lexsort([key[self._counted] for key in keys])]
        return _OrderedRows(*self._in_full(rows, np.random.default_rng(_SEED)))

    @cached_property
    def _part(self) -> tuple[IntArray, FloatArray, FloatArray | None]:
        """A random part of the rows, in random order, their outcomes and weights."""
        random = np.random.default_rng(_SEED)
        rows: IntArray = random.choice(self._n_rows, MOST_ROWS, replace=False)
        if self._weight is None:
            return self._in_full(rows, random)
        rows, *_ = self._in_full(self._counted[rows], random)
        rows = random.permutation(rows)
        return rows, self._y[rows].astype(np.float64), self._weight_of(rows)

    def _in_full(
        self, rows: IntArray, random: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray | None]:
        """Rows as often as they count, their outcomes, and the weights that are no counts."""
        if self._weight is not None and self._counts_rows:
            rows = _repeated(rows, self._weight, random)
        return rows, self._y[rows].astype(np.float64), self._weight_of(rows)

    def _weight_of(self, rows: IntArray) -> FloatArray | None:
        return None if self._weight is None or self._counts_rows else self._weight[rows]

    def _some_levels(
        self, level: IntArray, n_levels: int
    ) -> tuple[IntArray, int, FloatArray, FloatArray | None]:
        """Rows of some levels, in random order: levels, how many these are, outcomes, weights."""
        picked = _scattered(n_levels, _share_of_levels(n_levels, self._n_rows))
        chosen = picked[level]
        if self._weight is not None:
            chosen &= self._weight > 0
        random = np.random.default_rng([_SEED, n_levels])
        rows, *_ = self._in_full(_some(np.flatnonzero(chosen), random), random)
        number = np.cumsum(picked) - 1
        rows = rows[random.permutation(len(rows))]
        y = self._y[rows].astype(np.float64)
        return number[level[rows]], int(picked.sum()), y, self._weight_of(rows)


def sampled_levels(n_levels: int, n_rows: int) -> BoolArray | None:
    """Levels of which rows are looked at; None: all rows, or a random part of them, are."""
    if n_rows <= MOST_ROWS or _has_rows_of_each(n_levels):
        return None
    return _scattered(n_levels, _share_of_levels(n_levels, n_rows))


def _has_rows_of_each(n_levels: int) -> bool:
    """Whether a part of the rows has enough of each level."""
    return n_levels * _ROWS_OF_A_LEVEL <= MOST_ROWS


def _share_of_levels(n_levels: int, n_rows: int) -> float:
    return max(_AIM * MOST_ROWS / n_rows, _FEWEST_LEVELS / n_levels)


@dataclass(frozen=True, eq=False)
class _OrderedRows:
    """Rows by increasing outcome, so that the frame's order does not matter.

    Attributes
    ----------
    rows : ndarray of int, shape (m,)
        Numbers of the rows; one that counts for several occurs as often.
    y : ndarray of shape (m,)
        Their outcomes.
    weight : ndarray of shape (m,) or None
        Their weights, where these do not count rows.
    """

    rows: IntArray
    y: FloatArray
    weight: FloatArray | None = None

    def dealt(
        self, level: IntArray, n_levels: int
    ) -> tuple[IntArray, int, FloatArray, FloatArray | None]:
        """Level of each row, number of levels, outcome and weight of each row, in random order."""
        level = level[self.rows]
        size = np.bincount(level, minlength=n_levels)
        # The names of the levels, or the order they came in, must not matter.
        by_size = np.lexsort((*self._alike(level, n_levels), size))
        place = _in_order_of_levels(np.argsort(by_size)[level], n_levels)[self._shuffle]
        of_row = np.repeat(np.arange(n_levels), size[by_size])
        weight = None if self.weight is None else self.weight[place]
        return of_row[self._shuffle], n_levels, self.y[place], weight

    def _alike(self, level: IntArray, n_levels: int) -> tuple[Hashes, FloatArray]:
        """Numbers that only levels of the same outcomes and weights share, and their totals."""
        of_level = np.zeros(n_levels, dtype=np.uint64)
        np.add.at(of_level, level, self._mixed)
        return of_level, sum_by(level, self._rounded, n_levels)

    @cached_property
    def _mixed(self) -> Hashes:
        """A number of each row that only rows of the same outcome and weight share."""
        hashes = mixed(self._rounded.view(np.uint64))
        if self.weight is None or not len(hashes):
            return hashes
        times = _in_thousandths(self.weight, float(np.median(self.weight)))
        return mixed(hashes ^ mixed(times.view(np.uint64)))

    @cached_property
    def _rounded(self) -> NDArray[np.int64]:
        """Outcomes in thousandths of their standard deviation, whatever their unit is.

        Where few rows make that, it is the distance of their quartiles.
        """
        if not len(self.y):
            return np.empty(0, dtype=np.int64)
        apart = self.y - self.y.mean()
        spread, n = float(apart.std()), len(apart)
        quartiles = float(apart[3 * n // 4] - apart[n // 4])
        unit = quartiles if 0.0 < quartiles * _FEW_ROWS_MAKE < spread else spread
        return _in_thousandths(apart, unit or 1.0)

    @cached_property
    def _shuffle(self) -> IntArray:
        """A random order of the rows: the same one for these outcomes each time.

        One order for all data would put rows of the same ranks together in each of them.
        """
        digest = hashlib.blake2b(self._rounded.tobytes(), digest_size=8).digest()
        return np.random.default_rng(int.from_bytes(digest, "little")).permutation(len(self.y))


def _in_thousandths(values: FloatArray, unit: float) -> NDArray[np.int64]:
    """Round to thousandths of a unit; numbers far off are as good as equal."""
    near = np.clip(values, -_FAR * unit, _FAR * unit)
    return np.asarray(np.rint(near / unit * 1000.0), dtype=np.int64)


def _scattered(n_levels: int, share: float) -> BoolArray:
    """Pick a share of the levels' codes, evenly scattered: by a multiplicative hash.

    Codes are in order of appearance, so that common levels have small ones: the hash starts
    elsewhere for each number of levels, or the same few of those would be picked in all columns.

    D. E. Knuth, The Art of Computer Programming, volume 3 (1973), section 6.4.
    """
    start = np.random.default_rng([_SEED, n_levels]).integers(1 << 32) - (1 << 31)
    hashed = np.multiply(np.arange(n_levels), _GOLDEN, dtype=np.int32)
    hashed += np.int32(start)
    return np.asarray(hashed >= (1 << 31) - int(share * (1 << 32)))


def _repeated(rows: IntArray, weight: FloatArray, random: np.random.Generator) -> IntArray:
    """Rows as often as their weights say, fractions at random; a random part of very many."""
    if not len(rows):
        return rows
    times = weight[rows] * min(1.0, _MOST_COPIES * len(rows) / weight[rows].sum())
    copies = np.floor(times + random.random(len(rows))).astype(np.intp)
    return _some(np.repeat(rows, copies), random)


def _some(rows: IntArray, random: np.random.Generator) -> IntArray:
    """All rows, or a random part of very many, in their order."""
    if len(rows) <= MOST_ROWS:
        return rows
    return rows[np.sort(random.choice(len(rows), MOST_ROWS, replace=False, shuffle=False))]


def spread_test(
    level: IntArray, n_levels: int, y: FloatArray, weight: FloatArray | None = None
) -> float:
    """p-value of `SpreadTest`, given level and outcome of each row, the rows in random order.

    ``weight`` is that of each row, where weights do not count rows.

    Notes
    -----
    The rows of each level are cut into blocks of two or four, in their order, and the
    standard deviations of the blocks are compared between levels by `level_effects_test`. If
    the levels differ in their means only, the deviations of all blocks have one distribution,
    whatever the outcome's distribution is: permuting them is exact. Tests of the levels' own
    variances, or of distances from the levels' means, are not, when the outcome has heavy tails
    or is skewed. G. E. P. Box, "Non-normality and tests on variances", Biometrika 40 (1953), for
    the comparison of the variances of parts. Where rows have weights of importance, the residuals
    of the deviations, times the weights of the blocks, are permuted.
    """
    blocks = blocks_of_levels(level, n_levels)
    of_block = level[blocks[:, 0]]
    if not (np.bincount(of_block, minlength=1) > 1).any():
        return 1.0
    deviation = deviations(y, blocks)
    if weight is not None:
        importance = weight[blocks].sum(axis=1)
        deviation = importance * (deviation - np.average(deviation, weights=importance))
    sums = OutcomeSums.of_rows(of_block, n_levels, deviation)
    return level_effects_test(sums, OutcomePowers.of_sample(Sample.of_values(deviation)))


def blocks_of_levels(level: IntArray, n_levels: int) -> IntArray:
    """Cut the rows of each level into blocks, in their order.

    Returns
    -------
    ndarray of int, shape (blocks, 4) or (blocks, 2)
        The rows of each block. Rows that are left over are in none.
    """
    size = np.bincount(level, minlength=n_levels)
    large = size[size >= 2 * _LARGE_BLOCK].sum() * 2 >= size.sum()
    block = _LARGE_BLOCK if large else _SMALL_BLOCK
    return _in_order_of_levels(level, n_levels)[_fills_blocks(size, block)].reshape(-1, block)


def _fills_blocks(size: IntArray, block: int) -> BoolArray:
    """Say which rows are in whole blocks: all but the last few of each level."""
    end, over = np.cumsum(size), size % block
    fills = np.ones(int(size.sum()), dtype=bool)
    for k in range(1, block):
        fills[end[over >= k] - k] = False
    return fills


def deviations(y: FloatArray, blocks: IntArray) -> FloatArray:
    """Return the standard deviation of each block, place by place: blocks have few."""
    places = [y[rows] for rows in blocks.T]
    mean = sum(places) / len(places)
    squares = sum((y - mean) ** 2 for y in places)
    return np.asarray(np.sqrt(squares / (len(places) - 1)))


def _in_order_of_levels(level: IntArray, n_levels: int) -> IntArray:
    """Rows of the first level, then of the second, and so on; small numbers sort fast."""
    return np.argsort(level.astype(np.min_scalar_type(n_levels)), kind="stable")
