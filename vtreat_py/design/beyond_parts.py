"""Whether a column of several columns says more than these do by adding up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
from scipy.special import expit

from vtreat_py.base.arrays import FloatArray, IntArray
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelRows
from vtreat_py.frames.joint import LevelParts
from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.significance.interaction import ClassCells, NumberCells
from vtreat_py.significance.interaction_draws import Residuals
from vtreat_py.statistics.additive import additive_basis, additive_log_odds, multiplied_rates
from vtreat_py.statistics.common_levels import common_levels
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by


@dataclass(frozen=True, eq=False)
class BeyondParts:
    """The test of a column of pairs, or of more columns, by its sums.

    Of pairs it is that of `NumberCells.interaction` and `ClassCells.interaction`, in the rows of
    the commonest 30 levels of each of the two columns: many levels as one would not add up where
    they go with different levels of the other column. Of more columns it is that of each against
    all others together: if they add up, each pair of those does. The p-values are combined.

    Attributes
    ----------
    context : DesignContext
    parts : LevelParts
    sums : OutcomeSums
        By level, then those of missing ones.
    rows : LevelRows or None
        The rows, where tails of the outcome are known.
    """

    context: DesignContext
    parts: LevelParts
    sums: OutcomeSums
    rows: LevelRows | None

    @cached_property
    def sig(self) -> float:
        """p-value of the hypothesis that the columns add up."""
        found = [self._of_table(*table) for table in self._tables()]
        return cauchy_combination(found, [1.0 / len(found)] * len(found))

    def _tables(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Row and column of the table that each level goes to, for each table."""
        places = range(len(self.parts.keys))
        for k in places[:1] if len(places) == 2 else places:
            yield self._common([k]), self._common([other for other in places if other != k])

    def _common(self, places: Sequence[int]) -> IntArray:
        """Common values of some parts together, by level; then all others, and missing ones."""
        texts = [self.parts.keys[k].to_array()[self.parts.of_level[k]] for k in places]
        together, levels = pd.factorize(pd.MultiIndex.from_arrays(texts))
        rows = sum_by(together, self.sums.weight[:-1], len(levels))
        common = common_levels(rows, lambda some: levels[some].to_list())
        place = np.full(len(rows), len(common))
        place[common] = np.arange(len(common))
        return np.append(place[together], len(common))

    def _of_table(self, first: IntArray, second: IntArray) -> float:
        shape = int(first.max()), int(second.max())
        if not all(shape):
            return 1.0
        # The last cell is of the rows that are not looked at.
        known, n_cells = (first < shape[0]) & (second < shape[1]), shape[0] * shape[1]
        cell = np.where(known, first * shape[1] + second, n_cells)
        cells = self.sums.grouped(cell, n_cells + 1).take(slice(n_cells))
        size, total = cells.weight.reshape(shape), cells.total.reshape(shape)
        if not size.any():
            return 1.0
        number = self.context.class_number or 0
        if self.context.is_binary:
            log_odds = additive_log_odds(size, total, None, None)
            if self.context.tests_rows:
                return self._of_rows(number, cell, expit(log_odds).ravel())
            return ClassCells(size, total, log_odds).interaction()
        if self.context.is_rate:
            return self._of_rows(number, cell, multiplied_rates(size, total).ravel())
        if self.context.tests_rows:
            return self._of_rows(number, cell, _additive_means(size, total))
        inner = cells.squares.reshape(shape)
        residuals = partial(self._residuals, number, cell, float(size.sum()))
        return NumberCells(size, total, inner).interaction(residuals)

    def _residuals(
        self, number: int, cell: IntArray, n_rows: float, fitted: FloatArray
    ) -> Residuals:
        if self.rows is None:  # their tails are taken for those of a normal distribution
            return Residuals(np.array([-1.0, 0.0, 1.0]), np.array([1.0, 4.0, 1.0]), 6.0)
        return self.rows.apart(number, cell, fitted.ravel(), n_rows)

    def _of_rows(self, number: int, cell: IntArray, fitted: FloatArray) -> float:
        """The same where rows may not be permuted: by what additive means leave of the rows.

        That the means were fitted makes p-values larger, if anything.
        """
        assert self.rows is not None
        return self.rows.effects_beyond(number, cell, fitted)


def _additive_means(size: FloatArray, total: FloatArray) -> FloatArray:
    """Means of cells, as sums of one number for the row and one for the column of each."""
    root = np.sqrt(size).ravel()
    some = root > 0
    basis = additive_basis(size)
    scaled = np.where(some, total.ravel() / np.where(some, root, 1.0), 0.0)
    return np.where(some, basis @ (basis.T @ scaled) / np.where(some, root, 1.0), 0.0)
