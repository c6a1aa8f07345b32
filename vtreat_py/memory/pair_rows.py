"""The rows of a design in memory, summed by pairs of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.cut_columns import CutColumn
from vtreat_py.memory.rows import DesignRows
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.statistics.blocks import blocks
from vtreat_py.statistics.pair_cells import PairCells


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Some rows, perhaps repeated, each in a group.

    Attributes
    ----------
    rows : ndarray of int, or None
        None: all.
    group : ndarray of int
    n_groups : int
    weight : ndarray of shape (n,) or None
        Weights of all rows of the frame.
    """

    rows: IntArray | None
    group: IntArray
    n_groups: int
    weight: FloatArray | None

    def of(self, values: IntArray) -> IntArray:
        """Values of these rows."""
        return values if self.rows is None else values[self.rows]


class PairRows:
    """The outcome of the rows, and how they are grouped: by fold, and as they train folds.

    Parameters
    ----------
    rows : DesignRows
    """

    def __init__(self, rows: DesignRows) -> None:
        self._rows, outcome = rows, rows.outcome
        self.of_class = outcome.kind != "numeric"
        self.n_classes = (rows.context.n_classes or 2) if self.of_class else 1
        self.counts_rows = rows.context.outcome.weighting.counts_rows
        folds, crossed = rows.folds, rows.crossed_weight
        self.blocks = GroupedRows(None, folds.fold, folds.n_blocks, outcome.weight)
        self.training = self.coded = None
        if folds.training is not None:
            self.training = GroupedRows(*folds.training, folds.n_folds, outcome.weight)
        if folds.repeats is not None:
            self.coded = GroupedRows(*folds.repeats, folds.n_folds, crossed)

    @cached_property
    def y(self) -> FloatArray:
        """The outcome, scaled by a power of two so that its squares are in range."""
        y = self._rows.outcome.y.astype(np.float64)
        return y if self.of_class else np.ldexp(y, -int(np.frexp(np.abs(y).max())[1]))

    def trained_by(self, cells: PairCells, sums: Callable[[GroupedRows], PairCells]) -> PairCells:
        """Sums of the rows that train each fold."""
        folds = self._rows.folds
        if self.training is not None:
            return sums(self.training)
        return (cells.earlier() if folds.in_order else cells.others()).first(folds.n_folds)

    def coded_by(self, cells: PairCells, sums: Callable[[GroupedRows], PairCells]) -> PairCells:
        """Sums of the rows that each fold codes."""
        return cells.first(self._rows.folds.n_folds) if self.coded is None else sums(self.coded)

    def by_first(self, first: CutColumn, grouped: GroupedRows) -> IntArray:
        """Level, group and class of each row as one number."""
        code = grouped.of(first.codes).astype(np.int32)
        code *= grouped.n_groups
        code += grouped.group.astype(np.int32, copy=False)
        if self.of_class:
            code *= self.n_classes
            code += grouped.of(self._rows.outcome.y.astype(np.int32))
        return code

    def sums(
        self, by_first: IntArray, first: CutColumn, second: CutColumn, grouped: GroupedRows
    ) -> FloatArray:
        """Sums by what was summed, class, group and cell.

        Of numbers: of weights, the outcome and its squares; of classes: of weights alone. Sums of
        squared weights come last, where weights do not count rows.
        """
        codes = grouped.of(second.codes)
        size = first.n_levels * grouped.n_groups * self.n_classes * second.n_levels
        n_sums = (1 if self.of_class else 3) + (not self.counts_rows)
        found = np.zeros((n_sums, size))
        for some in blocks(len(codes)):
            cell = np.multiply(by_first[some], second.n_levels, dtype=np.intp)
            cell += codes[some]
            found += np.array(
                [np.bincount(cell, values, size) for values in self._summed(grouped, some)]
            )
        shape = first.n_levels, grouped.n_groups, self.n_classes, second.n_levels
        return np.moveaxis(found.reshape(-1, *shape), (3, 2), (1, 2))

    def _summed(self, grouped: GroupedRows, some: slice) -> Iterator[FloatArray | None]:
        rows = some if grouped.rows is None else grouped.rows[some]
        weight = None if grouped.weight is None else grouped.weight[rows]
        yield weight
        if not self.of_class:
            y = self.y[rows]
            weighted = y if weight is None else weight * y
            yield weighted
            yield weighted * y
        if not self.counts_rows:
            assert weight is not None
            yield weight * weight

    def beside(self, first: CutColumn, second: CutColumn, weight: FloatArray) -> FloatArray | None:
        """What numbers say inside their ranges: their means by cell, range by range.

        Where two columns go together, the second tells where in its range the first one is.
        """
        found = [
            _of_each_range(self._means(column, first, second, weight), axis)
            for axis, column in enumerate((first, second))
            if column.inside is not None
        ]
        return np.concatenate(found) if found else None

    def _means(
        self, column: CutColumn, first: CutColumn, second: CutColumn, weight: FloatArray
    ) -> FloatArray:
        """Weighted means of where a column's numbers lie in their ranges, by cell."""
        inside, numbers = column.inside, column.read()
        assert inside is not None
        assert isinstance(numbers, NumericColumn)
        total = np.zeros(weight.size)
        for some in blocks(len(column.codes)):
            values = inside.values(numbers, column, some)
            if column.weight is not None:
                values *= column.weight[some]
            total += np.bincount(_cell(first, second, some), values, weight.size)
        return total.reshape(weight.shape) / np.where(weight > 0, weight, 1.0)

    def residuals(
        self, first: CutColumn, second: CutColumn, cells: PairCells, fitted: FloatArray
    ) -> Residuals:
        """Rows less what is fitted to their cells; as shares of rows, where weights are none."""
        weight, n_rows = self._rows.outcome.weight, float(cells.size.sum())
        left, known = np.empty(len(self.y)), np.empty(len(self.y), dtype=bool)
        for some in blocks(len(left)):
            cell = _cell(first, second, some)
            left[some] = self.y[some] - fitted.ravel()[cell]
            known[some] = cells.size.ravel()[cell] > 0
            if not self.counts_rows:
                assert weight is not None
                left[some] *= cells.worth.ravel()[cell] * weight[some]
        if weight is None or not self.counts_rows:
            return Residuals(left[known], None, n_rows)
        known &= weight > 0
        return Residuals(left[known], weight[known], n_rows)


def _cell(first: CutColumn, second: CutColumn, some: slice) -> IntArray:
    """Cell of some rows."""
    cell = first.codes[some].astype(np.intp)
    cell *= second.n_levels
    cell += second.codes[some]
    return cell


def _of_each_range(means: FloatArray, axis: int) -> FloatArray:
    """For each range that a column has along an axis, the means of its cells alone."""
    n_ranges = means.shape[axis]
    each = np.zeros((n_ranges, *means.shape))
    one = np.arange(n_ranges)
    if axis:
        each[one, :, one] = means.T
    else:
        each[one, one] = means
    return each
