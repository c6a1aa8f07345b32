"""Sums of the outcome over ranges of a number, by rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.outcome_sums import sum_by, sum_many


def number_sums(
    column: NumericColumn, edges: FloatArray, summands: Sequence[NumberArray | None]
) -> FloatArray:
    """Sums in each range, above one edge and up to the next, and in the bad rows.

    Parameters
    ----------
    column : NumericColumn
    edges : ndarray of shape (m,)
        Ascending; few.
    summands : sequence of ndarray of shape (n,) or None
        Values of rows; None counts them.

    Returns
    -------
    ndarray of shape (len(summands), m + 2)
    """
    codes, n_ranges = _range_of_rows(column, edges), len(edges) + 2
    wide = codes.astype(np.int32)  # looked up at once

    def summed(values: NumberArray | None) -> FloatArray:
        if values is None:
            return np.array([np.count_nonzero(codes == k) for k in range(n_ranges)], float)
        return sum_many(wide, values.astype(np.float64, copy=False), n_ranges)

    return np.array([summed(one) for one in summands])


def class_sums(
    column: NumericColumn,
    edges: FloatArray,
    y: NumberArray,
    n_classes: int,
    weight: FloatArray | None,
) -> FloatArray:
    """Weight of each class in the same ranges."""
    codes, sums = _range_of_rows(column, edges), np.zeros((len(edges) + 2) * n_classes)
    for rows in blocks(len(codes)):
        cell = np.multiply(codes[rows], n_classes, dtype=np.intp)
        cell += y[rows].astype(np.intp)
        sums += sum_by(cell, None if weight is None else weight[rows], len(sums))
    return sums.reshape(-1, n_classes)


def _range_of_rows(column: NumericColumn, edges: FloatArray) -> IntArray:
    """Range of each row: how many edges are below it, as they are few."""
    codes = np.empty(len(column), dtype=np.uint8)
    for rows in blocks(len(codes)):
        is_above = np.greater(column.values[rows], edges[:, None]).view(np.uint8)
        np.add.reduce(is_above, axis=0, out=codes[rows])
    if column.bad is not None:
        codes[column.bad] = len(edges) + 1
    return codes
