"""The rows of a design in memory, as sums are made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtreat_py.base.arrays import IntArray
from vtreat_py.design.context import DesignContext
from vtreat_py.outcome.outcome import Outcome
from vtreat_py.statistics.row_groups import RowGroups
from vtreat_py.statistics.tally import Rows


@dataclass(frozen=True, eq=False)
class DesignRows:
    """The rows of a design in memory: by fold, repeated, in order; each made once for all columns.

    Attributes
    ----------
    context : DesignContext
    """

    context: DesignContext

    @cached_property
    def contrasts(self) -> tuple[DesignRows, ...]:
        """The same rows with each outcome that variables are scored against."""
        return tuple(
            self if one is self.context else DesignRows(one) for one in self.context.contrasts
        )

    @property
    def rows(self) -> Rows:
        """The rows as the statistics take them, each in the block of its fold."""
        folds = self.context.folds
        return rows_of(self.context.outcome, folds.fold, folds.n_blocks)

    @cached_property
    def coded_rows(self) -> Rows:
        """The rows of the cross-frame, where those are not the rows; see `FoldPlan.repeats`.

        The times that a row is repeated share its weight.
        """
        folds, outcome = self.context.folds, self.context.outcome
        assert folds.repeats is not None
        rows, fold = folds.repeats
        weight = 1.0 / np.maximum(np.bincount(rows, minlength=len(outcome.y)), 1)
        if outcome.weight is not None:
            weight *= outcome.weight
        return rows_of(replace(outcome, weight=weight), fold, folds.n_folds, rows)

    @cached_property
    def blocks(self) -> RowGroups:
        """The rows in order of their blocks, with several classes also of their classes."""
        return self._in_order(self.context.folds.fold, self.context.folds.n_blocks)

    @cached_property
    def training_blocks(self) -> RowGroups:
        """Training rows in order of their folds, where folds have training sets of their own."""
        folds = self.context.folds
        assert folds.training is not None
        rows, owner = folds.training
        return self._in_order(owner, folds.n_folds, rows)

    def _in_order(self, group: IntArray, n_groups: int, rows: IntArray | None = None) -> RowGroups:
        outcome, n_classes = self.context.outcome, self.context.n_classes
        if not n_classes:
            return RowGroups.of(group, n_groups, outcome.y, outcome.weight, outcome.centre, rows)
        own = outcome.y if rows is None else outcome.y[rows]
        pair = np.add(group.astype(np.intp) * n_classes, own, dtype=np.intp)
        none = np.zeros(len(outcome.y), dtype=np.int8)
        return RowGroups.of(pair, n_groups * n_classes, none, outcome.weight, 0.0, rows)


def rows_of(outcome: Outcome, group: IntArray, n_groups: int, rows: Any = None) -> Rows:
    """Rows as the statistics take them, each in a group; ``rows`` picks some, perhaps repeated."""
    y, weight = outcome.y, outcome.weight
    if rows is not None:
        y, weight = y[rows], None if weight is None else weight[rows]
    return Rows(y, weight, group, n_groups, outcome.centre, len(outcome.classes) or 2)
