"""Rows of a numeric column for the codes that are learned by rows, not by sums."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.forms import Form
from vtreat_py.coders.rows import RowsOfNumbers
from vtreat_py.design.facts import CrossedCodes
from vtreat_py.frames.columns import NumericColumn
from vtreat_py.memory.rows import DesignRows


class CodedRows:
    """The `NumbersByRows` of a column in memory."""

    def __init__(self, column: NumericColumn, rows: DesignRows) -> None:
        self._column, self._rows, self._folds = column, rows, rows.folds

    @cached_property
    def _bad(self) -> BoolArray:
        bad = self._column.bad
        return np.zeros(len(self._column), dtype=bool) if bad is None else bad

    def training(self, number: int, fold: int | None) -> RowsOfNumbers:
        """Training rows of a fold, or all rows, as far as they count."""
        rows, y, weight = self._rows.training_rows(number, fold)
        values = self._column.values[rows].astype(np.float64)
        return RowsOfNumbers(values, self._bad[rows], y, weight)

    def crossed(self, number: int, form: Form) -> CrossedCodes:
        """A variable as the cross-frame has it, by a form of its folds."""
        values, rows, _ = self._coded(form)
        contrast, weight = self._rows.contrasts[number], self._rows.crossed_weight
        y = contrast.y[rows].astype(np.float64)
        return CrossedCodes(values, y, None if weight is None else weight[rows])

    def correlations(self, number: int, form: Form) -> tuple[list[float], list[float]]:
        """p-values of the folds, whether the outcome goes up with a variable, and their weights."""
        values, rows, fold = self._coded(form)
        contrast = self._rows.contrasts[number]
        p_values, weights = [], []
        for k in range(self._folds.n_folds):
            own = np.flatnonzero(fold == k)
            x, y = values[own], contrast.y[rows[own]]
            if len(own) < 2 or x.min() == x.max() or y.min() == y.max():
                continue
            weight = None if contrast.weight is None else contrast.weight[rows[own]]
            p = self._rows.tests_of(contrast, rows[own]).correlation(x)
            rises = np.average((x - x.mean()) * (y - np.average(y, weights=weight)), weights=weight)
            p_values.append(p if rises > 0 else 1.0)  # half of it would ask for symmetry
            weights.append(float(len(own) if weight is None else weight.sum()))
        return p_values, weights

    def _coded(self, form: Form) -> tuple[FloatArray, IntArray, IntArray]:
        """Codes of the rows of the cross-frame that count, which rows they are, and their folds."""
        rows, fold = self._folds.coding
        out = np.empty(len(fold))
        form.write(self._column.values[rows], self._bad[rows], fold, out)
        of_frame = np.arange(len(self._column))[rows]
        weight = self._rows.outcome.weight
        kept = fold < self._folds.n_folds
        if weight is not None:
            kept &= weight[of_frame] > 0
        return out[kept], of_frame[kept], fold[kept]
