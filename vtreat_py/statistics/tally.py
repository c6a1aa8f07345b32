"""One pass over the rows of a categorical column: from level codes to the level table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from vtreat_py._typing import FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Above this many cells a row, most cells are empty and only the occupied ones are numbered.
_DENSE_CELLS_PER_ROW = 8
_BLOCK = 1 << 17


@dataclass(frozen=True, eq=False)
class Rows:
    """What the statistics need to know of the rows: outcome, weight and fold of each.

    Attributes
    ----------
    y : ndarray of shape (n,)
        0 and 1 as int8 for a class, numbers relative to ``centre``, or zeros without outcome.
    weight : ndarray of shape (n,) or None
        Frequency weights.
    fold : ndarray of shape (n,)
        Fold of each row, in ``range(n_folds)``.
    """

    y: FloatArray | IntArray
    weight: FloatArray | None
    fold: IntArray
    n_folds: int
    centre: float = 0.0

    @property
    def is_binary(self) -> bool:
        """Whether the outcome is a class, so that counts hold all there is to know."""
        return self.y.dtype.kind == "i"


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
        return self.code[rows].astype(np.intp) * self.n_folds + self.fold[rows]

    def spread(self, values: FloatArray, out: FloatArray) -> None:
        """Write the value of each row's cell to ``out``."""
        by_key = np.zeros(self.n_keys)
        by_key[self.cell_key] = values
        for rows in blocks(len(self.code), _BLOCK):
            np.take(by_key, self.keys(rows), out=out[rows], mode="clip")


def tally(code: IntArray, n_levels: int, rows: Rows) -> tuple[LevelTable, CellIndex]:
    """Sum the outcome by (level, fold).

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
    table : LevelTable
        The sums of the occupied cells. With weights, cells of weight 0 are kept, because rows
        of weight 0 are coded too.
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
    count, sums = _sums_by_key(index, rows)
    cell_key = np.flatnonzero(count)
    level_fold = cell_key if pair is None else occupied[cell_key]
    if pair is not None:
        order = np.argsort(level_fold)
        cell_key, level_fold = cell_key[order], level_fold[order]
    level, fold = np.divmod(level_fold, n_folds)
    table = LevelTable(n_levels, n_folds, level, fold, sums.take(cell_key))
    return table, CellIndex(code, rows.fold, n_folds, n_keys, pair, cell_key)


def blocks(n: int, size: int) -> Iterator[slice]:
    """Cut n rows into pieces that stay in the processor's cache."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _sums_by_key(index: CellIndex, rows: Rows) -> tuple[FloatArray | IntArray, OutcomeSums]:
    """Count of rows and outcome sums of each key."""
    size = index.n_keys
    by_class = 2 if rows.is_binary else 1
    count = np.zeros(by_class * size, dtype=np.int64)
    weight = np.zeros(by_class * size)
    total = np.zeros(size)
    pieces = list(blocks(len(index.code), max(_BLOCK, 4 * size)))
    for piece in pieces:
        key = index.keys(piece)
        w = None if rows.weight is None else rows.weight[piece]
        y = rows.y[piece]
        if rows.is_binary:
            key = 2 * key + y
        else:
            total += np.bincount(key, y if w is None else w * y, size)
        count += np.bincount(key, minlength=len(count))
        if w is not None:
            weight += np.bincount(key, w, len(weight))
    if rows.weight is None:
        weight = count.astype(np.float64)
    if rows.is_binary:
        count, weight = count[::2] + count[1::2], weight.reshape(-1, 2)
        weight, total = weight.sum(axis=1), weight[:, 1].copy()
        return count, OutcomeSums.of_counts(weight, total, None, rows.centre)
    mean = total / np.where(weight > 0, weight, 1.0)
    squares = np.zeros(size)
    for piece in pieces:
        key = index.keys(piece)
        apart = (rows.y[piece] - mean[key]) ** 2
        squares += np.bincount(
            key, apart if rows.weight is None else rows.weight[piece] * apart, size
        )
    return count, OutcomeSums(weight, total, squares, rows.centre)
