"""Sums of the outcome by the cells of two columns, and by group of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import FloatArray
from vtreat_py.statistics.outcome_sums import weight_left

# Standard deviations that are no chance.
_CLEARLY = 4.0


@dataclass(frozen=True, eq=False)
class PairCells:
    """Sums of the rows by group of rows, and by cell of the table of two columns.

    Attributes
    ----------
    weight, total, squares : ndarray of shape (groups, a, b)
        Sums of weights, of the outcome, and of its squares. Of classes: of hits.
    of_squares : ndarray of shape (groups, a, b) or None
        Sums of squared weights, where weights do not count rows.
    """

    weight: FloatArray
    total: FloatArray
    squares: FloatArray
    of_squares: FloatArray | None

    @cached_property
    def size(self) -> FloatArray:
        """Rows that the mean of a cell is worth: ``(sum w)**2 / sum w**2``."""
        if self.of_squares is None:
            return self.weight
        some = self.weight > 0
        squares = np.where(some, self.of_squares, 1.0)
        return np.where(some, np.maximum(self.weight**2 / squares, 1.0), 0.0)

    @cached_property
    def worth(self) -> FloatArray:
        """Rows for each unit of weight."""
        some = self.weight > 0
        return np.where(some, self.size / np.where(some, self.weight, 1.0), 0.0)

    @property
    def inner(self) -> FloatArray:
        """Squares about the means of the cells, of as many rows as those are worth."""
        some = self.weight > 0
        about = self.total * self.total / np.where(some, self.weight, 1.0)
        return np.maximum(self.squares - about, 0.0) * self.worth

    @property
    def are_related(self) -> bool:
        """Whether the two columns go together beyond what chance may make; of merged groups."""
        size = self.size[self.size.sum(axis=1) > 0][:, self.size.sum(axis=0) > 0]
        expected = np.outer(size.sum(axis=1), size.sum(axis=0)) / size.sum()
        chi_square = float(((size - expected) ** 2 / expected).sum())
        free = float((size.shape[0] - 1) * (size.shape[1] - 1))
        return chi_square > free + _CLEARLY * math.sqrt(2.0 * free)

    def without(self, row: int | None, column: int | None) -> PairCells:
        """Leave out the rows of a row, and of a column, of the table."""

        def left(one: FloatArray) -> FloatArray:
            one = one.copy()
            if row is not None:
                one[..., row, :] = 0.0
            if column is not None:
                one[..., column] = 0.0
            return one

        return self._each(left)

    def merged(self) -> PairCells:
        """All groups together."""
        return self._each(lambda one: one.sum(axis=0))

    def others(self) -> PairCells:
        """For each group, all rows that are not in it."""
        weight = weight_left(self.weight.sum(axis=0), self.weight)
        left = self._each(lambda one: np.where(weight > 0, one.sum(axis=0) - one, 0.0))
        return PairCells(weight, left.total, left.squares, left.of_squares)

    def earlier(self) -> PairCells:
        """For each group, all rows of those before it."""
        return self._each(lambda one: np.concatenate([0.0 * one[:1], one[:-1].cumsum(axis=0)]))

    def first(self, n_groups: int) -> PairCells:
        """Some groups."""
        return self._each(lambda one: one[:n_groups])

    def _each(self, change: Callable[[FloatArray], FloatArray]) -> PairCells:
        of_squares = None if self.of_squares is None else change(self.of_squares)
        return PairCells(change(self.weight), change(self.total), change(self.squares), of_squares)
