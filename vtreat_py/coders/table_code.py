"""Codes that are a table: a number for each level."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.coders.code import (
    CodeOptions,
    ColumnLevels,
    LevelCode,
    LevelVariable,
    LevelVariables,
    TrainingLevels,
)
from vtreat_py.coders.links import Link
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.uncertainty import KnownLevels
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.blocks import by_blocks
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums

# A code must vary, and an impact code go up with the outcome, by more than rounding.
_ROUNDING = 1e-12
# Codes of a training set that vary by less, as a share of the same, are looked at one by one.
_NEARLY = 1e-11


class TableCode(LevelCode):
    """A code that gives a number to each level.

    Attributes
    ----------
    is_of_r : bool
        Whether R's rule holds for it: a fold that does not support it takes that of all rows.
    """

    is_table = True
    is_of_r: ClassVar[bool] = True

    @abstractmethod
    def values(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels as one or several training sets see them.

        Returns
        -------
        codes : ndarray of shape (entries,)
            Of each entry of the view.
        novel : ndarray of shape (training sets,)
            Of levels that a training set never showed.
        """

    def can_be_told(self, levels: PooledLevels) -> bool:  # noqa: ARG002
        """Whether a training set of rows has what the code is made of."""
        return True

    def size(self, present: FloatArray, moments: Moments) -> float:
        """What differences of codes are held against; those that are but rounding say nothing."""
        if not self.y_aware:
            return float(np.abs(present).max())
        return float(np.sqrt(moments.yy[0] / moments.weight[0]))

    def says_something(self, present: FloatArray, moments: Moments) -> bool:
        """Whether the codes of the levels that a training set has vary."""
        varies = present.max() - present.min() > _ROUNDING * self.size(present, moments)
        return bool(varies)

    def made(self, column: ColumnLevels) -> LevelVariables | None:
        """Make the one variable, where all rows support it."""
        codes = self.supported(column, column.pooled)
        if codes is None:
            return None
        values, novel, moments = codes
        table = _Table(self, column, np.append(values, novel))
        variable = LevelVariable(self.name, table.in_folds, table.values)
        return one_of_table(variable, values, column.pooled.view.entries, moments)

    def supported(
        self, column: ColumnLevels, levels: PooledLevels
    ) -> tuple[FloatArray, FloatArray, Moments] | None:
        """Values, that of novel levels, and moments, as one training set supports them.

        None where they would say no more than other codes do, or nothing.
        """
        if not self._has_levels_for_it(column, levels):
            return None
        sums = levels.view.entries
        known = sums.weight > 0
        values, novel = self.values(levels, column.options)
        moments = Moments.over_points(values, sums)
        return (values, novel, moments) if self.says_something(values[known], moments) else None

    def ruled_out(self, column: ColumnLevels, n_made: int) -> int:
        """Count the variable, where it was not made although the levels are there."""
        asks_outcome = self.y_aware and not n_made
        return int(asks_outcome and self._has_levels_for_it(column, column.pooled))

    def _has_levels_for_it(self, column: ColumnLevels, levels: PooledLevels) -> bool:
        """Whether there are levels that no other code tells apart, with what the code is made of.

        The outcome is not asked.
        """
        known = levels.view.entries.weight > 0
        kept = bool((~levels.pooled & known).any() or levels.pool_known[0])
        return kept and not column.are_told_apart(levels) and self.can_be_told(levels)


def one_of_table(
    variable: LevelVariable, values: FloatArray, sums: OutcomeSums, moments: Moments
) -> LevelVariables:
    """The one variable that has a value for each level, with what it is scored by."""
    return LevelVariables(
        [variable],
        moments,
        (values[None], sums.weight[None], sums.total[None]),
        lambda _: Sample.of_values(values, sums.weight),
        degrees=float((sums.weight > 0).sum() - 1),
    )


class Impact(TableCode):
    """What the level does to the outcome, shrunk to what all rows say."""

    y_aware = True
    most_apart = 3.0

    def values(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """Code the levels: by 0 where they differ from all rows by rounding only.

        A level, or a pool, that is all there is in a training set would else leave a constant
        that varies from fold to fold, and regressions would take its unit for one of signals.
        """
        codes, novel = self.effects(levels.worth, options)
        if options.is_classic:
            return codes, novel
        least, group = _ROUNDING * self.unit(levels), levels.view.group

        def beyond(some: slice) -> FloatArray:
            return np.where(np.abs(codes[some]) > least[group[some]], codes[some], 0.0)

        own = by_blocks(len(codes), beyond)
        return own, np.where(np.abs(novel) > least, novel, 0.0)

    @abstractmethod
    def effects(self, levels: PooledLevels, options: CodeOptions) -> tuple[FloatArray, FloatArray]:
        """What levels do, and those never shown, with what rounding leaves; see `values`."""

    @abstractmethod
    def unit(self, levels: PooledLevels) -> FloatArray:
        """What effects are held against, in each training set."""

    @abstractmethod
    def prior(self, levels: PooledLevels, options: CodeOptions) -> FloatArray:
        """Weight, in rows, of what all rows say, for each training set."""

    @abstractmethod
    def within(self, levels: PooledLevels) -> float | None:
        """Variance of the outcome inside levels; None where it follows from the codes."""

    def says_something(self, present: FloatArray, moments: Moments) -> bool:
        """Whether the codes vary, and go up with the outcome."""
        least = _ROUNDING * float(np.sqrt(moments.xx[0]) * np.sqrt(moments.yy[0]))
        return super().says_something(present, moments) and bool(moments.xy[0] > least)


class ImpactCode(Impact):
    """An impact code that is said to be so sure, level by level.

    Attributes
    ----------
    link : Link or None
        The scale that effects add up on; None: that of the outcome.
    """

    link: ClassVar[Link | None] = None

    @abstractmethod
    def believed(self, codes: FloatArray, overall: float) -> FloatArray:
        """Mean of the outcome that codes stand for, where it is ``overall`` for a code of 0."""

    @abstractmethod
    def variance(self, codes: FloatArray, overall: float, within: float | None) -> FloatArray:
        """Variance of the outcome inside levels of these codes."""

    @abstractmethod
    def error(
        self,
        codes: FloatArray,
        overall: float,
        within: float | None,
        weight: FloatArray,
        prior: float,
    ) -> FloatArray:
        """Posterior standard deviation of the codes of levels of these weights."""

    @abstractmethod
    def whole_error(
        self,
        codes: FloatArray,
        overall: float,
        levels: KnownLevels,
        weight: FloatArray,
        mean: FloatArray,
    ) -> FloatArray:
        """The same where the prior was estimated; ``mean`` is that of the rows of each level."""


class LogImpactCode(ImpactCode):
    """An impact code of logarithms, which have a size of their own."""

    link: ClassVar[Link]

    def unit(self, levels: PooledLevels) -> FloatArray:
        """What effects are held against, in each training set."""
        return np.ones(levels.view.n_groups)

    def size(self, present: FloatArray, moments: Moments) -> float:  # noqa: ARG002
        """What differences of codes are held against."""
        return 1.0


@dataclass(frozen=True, eq=False)
class _Table:
    """A code of a column, with the values of its levels that all rows give."""

    code: TableCode
    column: ColumnLevels
    values: FloatArray

    def in_folds(self, folds: TrainingLevels) -> _TableInFolds:
        """What the training sets of the folds make of it."""
        lacking = np.zeros(folds.pooled.view.n_groups, dtype=bool)
        follows_r = self.column.options.follows_r and self.code.is_of_r
        if not self.code.y_aware or follows_r:
            lacking = self._lacking(folds)
        return _TableInFolds(self, lacking)

    def _lacking(self, folds: TrainingLevels) -> BoolArray:
        """Folds whose training rows do not support the code.

        Three levels and two values settle most folds; the others are looked at one by one.
        """
        view, has_past = folds.pooled.view, folds.pooled.view.whole.weight > 0
        codes, _ = self.code.values(folds.pooled, self.column.options)
        distinct = view.sum(lambda sums: (sums.weight > 0).astype(np.float64))
        lacking = (distinct <= 2) | self._nearly_constant_in(folds.pooled, codes)
        lacking &= has_past | (not self.code.y_aware)
        for k in np.flatnonzero(lacking & has_past):
            lacking[k] = self.code.supported(self.column, folds.alone(int(k))) is None
        return lacking

    def _nearly_constant_in(self, levels: PooledLevels, codes: FloatArray) -> BoolArray:
        """Training sets whose entries with rows have one value, but for a little rounding."""
        view, known = levels.view, levels.view.entries.weight > 0
        low, high = np.full(view.n_groups, np.inf), np.full(view.n_groups, -np.inf)
        np.minimum.at(low, view.group[known], codes[known])
        np.maximum.at(high, view.group[known], codes[known])
        size = np.maximum(np.abs(low), np.abs(high))
        if isinstance(self.code, Impact):
            size = self.code.unit(levels)
        elif self.code.y_aware:
            size = view.whole.deviation
        return np.asarray(high - low <= _NEARLY * size)


@dataclass(frozen=True, eq=False)
class _TableInFolds:
    """Values by fold: those of all rows where a training set does not support the code."""

    table: _Table
    without: BoolArray

    def values(self, levels: PooledLevels) -> FloatArray:
        """Values of the entries of a view of the training sets."""
        table, view = self.table, levels.view
        values, _ = table.code.values(levels, table.column.options)
        if self.without.any():
            values = np.where(self.without[view.group], table.values[view.level], values)
        has_past = view.whole.weight > 0
        if table.code.y_aware or has_past.all():
            return values
        # Where there is no past, every level is a novel one.
        return np.where(has_past[view.group], values, table.values[-1])

    def lacking(self, levels: PooledLevels) -> BoolArray:  # noqa: ARG002
        """Training sets that would not have built the variable."""
        return self.without
