"""Sums of the outcome over ranges of a number, by rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.statistics.outcome_sums import raw_sums, sum_by

# Rows at a time: what is made of them stays in the cache of the processor.
_ROWS = 1 << 15


def number_sums(
    column: NumericColumn, edges: FloatArray, y: NumberArray, weight: FloatArray | None
) -> FloatArray:
    """Raw sums of y in each range, above one edge and up to the next, and in the bad rows."""
    n_ranges = len(edges) + 2
    sums = np.zeros((3, n_ranges))
    for rows, codes in _ranges_of_rows(column, edges):
        sums += raw_sums(codes, n_ranges, y[rows], None if weight is None else weight[rows])
    return sums


def class_sums(
    column: NumericColumn,
    edges: FloatArray,
    y: NumberArray,
    n_classes: int,
    weight: FloatArray | None,
) -> FloatArray:
    """Weight of each class in the same ranges."""
    sums = np.zeros((len(edges) + 2) * n_classes)
    for rows, codes in _ranges_of_rows(column, edges):
        cell = codes * n_classes + y[rows].astype(np.intp)
        sums += sum_by(cell, None if weight is None else weight[rows], len(sums))
    return sums.reshape(-1, n_classes)


def _ranges_of_rows(column: NumericColumn, edges: FloatArray) -> Iterator[tuple[slice, IntArray]]:
    """Blocks of rows, and the range of each row: how many edges are below it, as they are few."""
    is_above = np.empty((len(edges), _ROWS), dtype=np.uint8)
    of_bad = np.uint8(len(edges) + 1)
    for start in range(0, len(column), _ROWS):
        rows = slice(start, start + _ROWS)
        values = column.values[rows]
        above = is_above[:, : len(values)]
        np.greater(values, edges[:, None], out=above.view(np.bool_))
        codes = np.add.reduce(above, axis=0, dtype=np.uint8)
        if column.bad is not None:
            np.maximum(codes, column.bad[rows].view(np.uint8) * of_bad, out=codes)
        yield rows, codes.astype(np.intp)
