"""One pass over the rows of a categorical column: from level codes to the level table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Above this many cells a row, most cells are empty and only the occupied ones are numbered.
_DENSE_CELLS_PER_ROW = 8
_BLOCK = 1 << 16
# Inner squares below this share of the raw squares have lost digits to cancellation.
_CANCELLED = 1e-4


@dataclass(frozen=True, eq=False)
class Rows:
    """What the statistics need to know of the rows: outcome, weight and fold of each.

    Attributes
    ----------
    y : ndarray of shape (n,)
        0 and 1 as int8 for a class, numbers relative to ``centre``, zeros without outcome, or
        the number of the row's class, unsigned, for one of several classes.
    weight : ndarray of shape (n,) or None
        Frequency weights.
    fold : ndarray of shape (n,)
        Fold of each row, in ``range(n_folds)``.
    count : ndarray of shape (n,) or None
        How many rows each one stands for, where weights say something else.
    noise : float, ndarray of shape (n_folds,) or None
        Variance of a row of weight 1 by chance, where rows do not tell it: outcomes over what
        little may be expected of a row. Of each fold, where folds are training sets.
    """

    y: NumberArray
    weight: FloatArray | None
    fold: IntArray
    n_folds: int
    centre: float = 0.0
    n_classes: int = 2
    count: FloatArray | None = None
    noise: FloatArray | float | None = None

    @property
    def counts_classes(self) -> bool:
        """Whether the outcome is a class, so that counts hold all there is to know."""
        return self.y.dtype.kind in "iu"

    @property
    def counted(self) -> slice:
        """Classes that a table is made for: of two the second one, of several all."""
        return slice(None) if self.y.dtype.kind == "u" else slice(1, 2)

    @property
    def weighing(self) -> FloatArray:
        """How many rows each one stands for, 0 where it weighs nothing."""
        assert self.count is not None
        assert self.weight is not None
        return np.asarray(self.count * (self.weight > 0))

    def expected_squares(self, n_rows: FloatArray, fold: IntArray | None = None) -> FloatArray:
        """Squares that noise lets one expect of so many rows that weigh something, of a fold."""
        assert self.noise is not None
        noise = self.noise if isinstance(self.noise, float) else self.noise[fold]
        return np.asarray(np.maximum(n_rows - 1.0, 0.0) * noise)


@dataclass(frozen=True, eq=False)
class CellIndex:
    """Where the cells of a level table lie among the rows.

    ``key`` numbers the (level, fold) pair of a row: as ``code * n_folds + fold`` computed on
    demand when the pairs are few, else by an id of the pairs that occur.
    """

    code: IntArray
    fold: IntArray
    n_folds: int
    n_keys: int
    pair: IntArray | None
    cell_key: IntArray

    def keys(self, rows: slice) -> IntArray:
        """Key of each of the ``rows``."""
        if self.pair is not None:
            return self.pair[rows].astype(np.intp)
        keys = np.multiply(self.code[rows], self.n_folds, dtype=np.intp)
        keys += self.fold[rows]
        return keys

    def sum(self, values: FloatArray) -> FloatArray:
        """Sum values of the rows by cell."""
        by_key = np.zeros(self.n_keys)
        for rows in _pieces(self, self.n_keys):
            by_key += np.bincount(self.keys(rows), values[rows], self.n_keys)
        return by_key[self.cell_key]

    def spread(self, values: FloatArray, out: FloatArray) -> None:
        """Write the value of each row's cell to ``out``."""
        by_key = np.zeros(self.n_keys)
        by_key[self.cell_key] = values
        for rows in blocks(len(self.code), _BLOCK):
            np.take(by_key, self.keys(rows), out=out[rows], mode="clip")


def tally(code: IntArray, n_levels: int, rows: Rows) -> tuple[LevelTable, CellIndex]:
    """Sum the outcome by (level, fold), unless it is one of several classes; `tally_classes`."""
    (table,), index = tally_classes(code, n_levels, rows)
    return table, index


def tally_classes(code: IntArray, n_levels: int, rows: Rows) -> tuple[list[LevelTable], CellIndex]:
    """Sum the outcome by (level, fold), in one pass for all of several classes.

    Parameters
    ----------
    code : ndarray of shape (n,)
        Level of each row, in ``range(n_levels)``.
    n_levels : int
        Number of levels.
    rows : Rows
        Outcome, weights and folds.

    Returns
    -------
    tables : list of LevelTable
        Sums of the occupied cells: one table; with several classes one for each, of that class
        against the others. They have the same cells. With weights, cells of weight 0 are kept,
        because rows of weight 0 are coded too.
    index : CellIndex
        The cell of each row.
    """
    n, n_folds = len(code), rows.n_folds
    pair, n_keys = None, n_levels * n_folds
    if n_keys > max(_DENSE_CELLS_PER_ROW * n, _BLOCK):
        keys = code.astype(np.int64) * n_folds + rows.fold
        encoded = pa.array(keys).dictionary_encode()
        pair, occupied = np.asarray(encoded.indices), np.asarray(encoded.dictionary)
        n_keys = len(occupied)
    index = CellIndex(code, rows.fold, n_folds, n_keys, pair, np.empty(0, dtype=np.intp))
    cell_key, sums = (_class_sums if rows.counts_classes else _number_sums)(index, rows)
    level_fold = cell_key if pair is None else occupied[cell_key]
    if rows.noise is not None:
        sums = [_counted(sums[0], index, cell_key, rows, level_fold % n_folds)]
    if pair is not None:
        order = np.argsort(level_fold)
        cell_key, level_fold = cell_key[order], level_fold[order]
        sums = [cells.take(order) for cells in sums]
    level, fold = np.divmod(level_fold, n_folds)
    levels = None
    if isinstance(rows.noise, float):
        squares = rows.expected_squares(sum_by(code, rows.weighing, n_levels))
        levels = replace(sums[0].grouped(level, n_levels), inner=squares)
    tables = [LevelTable(n_levels, n_folds, level, fold, cells, levels) for cells in sums]
    return tables, CellIndex(code, rows.fold, n_folds, n_keys, pair, cell_key)


def _pieces(index: CellIndex, size: int) -> Iterator[slice]:
    """Blocks of rows, large enough that adding up the sums of blocks costs little."""
    return blocks(len(index.code), max(_BLOCK, size))


def _class_sums(index: CellIndex, rows: Rows) -> tuple[IntArray, list[OutcomeSums]]:
    """One count by key and class gives the keys that have rows, and the sums of each class."""
    n_classes = rows.n_classes
    size = n_classes * index.n_keys
    count, weight = np.zeros(size, dtype=np.int64), np.zeros(size)
    for piece in _pieces(index, size):
        key = index.keys(piece)
        key *= n_classes
        np.add(key, rows.y[piece], out=key, casting="unsafe")
        count += np.bincount(key, minlength=size)
        if rows.weight is not None:
            weight += np.bincount(key, rows.weight[piece], size)
    by_class: NumberArray = count if rows.weight is None else weight
    counts = [count[k::n_classes] for k in range(n_classes)]  # a sum over a short axis is slow
    some = np.flatnonzero(sum(counts))
    totals = [by_class[k::n_classes][some].astype(np.float64) for k in range(n_classes)]
    whole = np.add.reduce(totals)
    return some, [OutcomeSums(whole, t, None, rows.centre) for t in totals[rows.counted]]


def _counted(
    sums: OutcomeSums, index: CellIndex, cell_key: IntArray, rows: Rows, fold: IntArray
) -> OutcomeSums:
    """The sums of cells with the number of their rows, and squares as noise lets one expect."""
    assert rows.count is not None
    n_rows, weighing = np.zeros((2, index.n_keys))
    counts = rows.weighing
    for piece in _pieces(index, 2 * index.n_keys):
        keys = index.keys(piece)
        n_rows += np.bincount(keys, rows.count[piece], index.n_keys)
        weighing += np.bincount(keys, counts[piece], index.n_keys)
    inner = rows.expected_squares(weighing[cell_key], fold)
    return replace(sums, inner=inner, rows=n_rows[cell_key])


def _number_sums(index: CellIndex, rows: Rows) -> tuple[IntArray, list[OutcomeSums]]:
    """Sums of a numeric outcome, in one pass where that costs no digits, else in two."""
    size = index.n_keys
    count, weight = np.zeros(size, dtype=np.int64), np.zeros(size)
    total, raw = np.zeros(size), np.zeros(size)
    for piece in _pieces(index, 2 * size):
        key, y = index.keys(piece), rows.y[piece]
        count += np.bincount(key, minlength=size)
        wy = y
        if rows.weight is not None:
            wy = rows.weight[piece] * y
            weight += np.bincount(key, rows.weight[piece], size)
        total += np.bincount(key, wy, size)
        raw += np.bincount(key, wy * y, size)
    some = np.flatnonzero(count)
    counted: NumberArray = count if rows.weight is None else weight
    sums = OutcomeSums(counted[some].astype(np.float64), total[some], None, rows.centre)
    inner = raw[some] - sums.total * sums.mean
    if (inner < _CANCELLED * raw[some]).any():
        mean, inner = np.zeros(size), np.zeros(size)
        mean[some] = sums.mean
        for piece in _pieces(index, 2 * size):
            key = index.keys(piece)
            apart = (rows.y[piece] - mean[key]) ** 2
            if rows.weight is not None:
                apart *= rows.weight[piece]
            inner += np.bincount(key, apart, size)
        inner = inner[some]
    return some, [OutcomeSums(sums.weight, sums.total, inner, rows.centre)]
