"""The rows of a design in memory, as sums are made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from vtreat_py.base.arrays import FloatArray, IntArray, NumberArray
from vtreat_py.coders.prior import AUTO
from vtreat_py.design.context import DesignContext
from vtreat_py.folds.plan import FoldPlan
from vtreat_py.memory.dates import without_trend
from vtreat_py.outcome.outcome import OutcomeRows, counts_rows
from vtreat_py.outcome.times import ExpectedEvents
from vtreat_py.significance.groups import GroupTests
from vtreat_py.significance.importance import ImportanceTests
from vtreat_py.significance.rates import RateTests
from vtreat_py.significance.row_tests import PermutedRows, RowTests
from vtreat_py.significance.series import SeriesTests
from vtreat_py.significance.spread import SpreadTest
from vtreat_py.significance.spread_of_rows import SpreadInGroups, SpreadInOrder
from vtreat_py.statistics.level_order import OutcomeOrder
from vtreat_py.statistics.outcome_sums import weighted_powers
from vtreat_py.statistics.row_groups import RowGroups
from vtreat_py.statistics.tally import Rows


@dataclass(frozen=True, eq=False)
class RowsInGroups:
    """Rows by group and block, each pair of which they have is a fold.

    Attributes
    ----------
    rows : Rows
    block : ndarray of int
        Block of each of these pairs.
    place : ndarray of int, or None
        The row of the frame that each is; None: all rows.
    squares : ndarray of float, or None
        Squared weights of the rows, where weights say how much each counts; None: how many.
    """

    rows: Rows
    block: IntArray
    n_blocks: int
    place: IntArray | None
    squares: FloatArray | None

    @classmethod
    def of(
        cls,
        outcome: OutcomeRows,
        groups: IntArray,
        block: IntArray,
        n_blocks: int,
        place: IntArray | None = None,
    ) -> RowsInGroups:
        """Number the pairs."""
        own = groups if place is None else groups[place]
        pairs, pair = np.unique(own.astype(np.int64) * n_blocks + block, return_inverse=True)
        rows = rows_of(outcome, pair, len(pairs), place)
        weight, squares = rows.weight, None
        if weight is not None and outcome.exposure is None and not counts_rows(weight):
            squares = weight * weight
        return cls(rows, pairs % n_blocks, n_blocks, place, squares)


@dataclass(frozen=True, eq=False)
class DesignRows:
    """The rows of a design in memory: by fold, repeated, in order; each made once for all columns.

    Attributes
    ----------
    context : DesignContext
        What engines share.
    groups : ndarray of int, shape (n,), or None
        Group of each row, where rows of one may be alike.
    trend : ndarray of float, shape (n,), or None
        Dates as numbers; p-values are then of what a line along them leaves of the outcome.
    """

    context: DesignContext
    outcome: OutcomeRows
    folds: FoldPlan
    groups: IntArray | None = None
    trend: FloatArray | None = None

    def along(self, trend: FloatArray) -> DesignRows:
        """Return the same rows, of dates."""
        return replace(self, context=replace(self.context, without_trend=True), trend=trend)

    def _tested(self, outcome: OutcomeRows) -> OutcomeRows:
        """The outcome as p-values see it."""
        if self.trend is None:
            return outcome
        return replace(outcome, y=without_trend(outcome.y, self.trend, outcome.weight))

    @cached_property
    def contrasts(self) -> list[OutcomeRows]:
        """What variables are scored against; see `DesignContext.contrasts`."""
        n_classes = self.context.n_classes
        return [self.outcome.of_class(k) for k in range(n_classes)] or [self.outcome]

    @cached_property
    def counted(self) -> IntArray | slice:
        """Rows that have a weight."""
        weight = self.outcome.weight
        return slice(None) if weight is None else np.flatnonzero(weight)

    @cached_property
    def _expected(self) -> list[ExpectedEvents]:
        """What the training rows of each fold let one expect, where times are the outcome."""
        survival = self.outcome.survival
        assert survival is not None
        every = range(self.folds.n_folds)
        return [survival.known_to(self.folds.training_weight(k, survival.count)) for k in every]

    def known_to(self, number: int, fold: int) -> tuple[NumberArray, FloatArray]:
        """The outcome of one contrast as a fold knows it, and weights, 0 of rows it does not know.

        Its training rows alone tell what is expected of times.
        """
        contrast = self.contrasts[number]
        if contrast.survival is None:
            return contrast.y, self.folds.training_weight(fold, contrast.weight)
        expected = self._expected[fold]
        known = self.folds.training_weight(fold, contrast.survival.count)
        return expected.rate, known * expected.share

    @cached_property
    def trained(self) -> Rows:
        """The rows as they train folds, which have training sets of their own."""
        folds, survival = self.folds, self.outcome.survival
        assert folds.training is not None
        rows, fold = folds.training
        if survival is None:
            return rows_of(self.outcome, fold, folds.n_folds, rows)
        rate = np.stack([one.rate for one in self._expected])[fold, rows]
        share = np.stack([one.share for one in self._expected])[fold, rows]
        count, noise = survival.count[rows], np.array([one.noise for one in self._expected])
        return Rows(rate, count * share, fold, folds.n_folds, count=count, noise=noise)

    def counted_in(self, fold: int | None) -> FloatArray | None:
        """How often each row counts in the training set of a fold, or in all; None: once."""
        survival, weight = self.outcome.survival, self.outcome.weight
        if survival is not None:
            weight = survival.count
        return weight if fold is None else self.folds.training_weight(fold, weight)

    def training_rows(
        self, number: int, fold: int | None
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Training rows of a fold, or all, with the outcome of one contrast and the weights.

        Only those that count; rows that a fold draws several times are there as often.
        """
        contrast = self.contrasts[number]
        rows = np.arange(len(contrast.y)) if fold is None else self.folds.training_rows(fold)
        weight = np.ones(len(rows)) if contrast.weight is None else contrast.weight[rows]
        rows, weight = rows[weight > 0], weight[weight > 0]
        y = contrast.labels if contrast.kind == "numeric" else contrast.y
        return rows, y[rows].astype(np.float64), weight

    @cached_property
    def tests(self) -> list[RowTests]:
        """For each contrast, the tests that look at rows; see `DesignContext.tests_rows`."""
        return [self.tests_of(self._tested(one), self.counted) for one in self.contrasts]

    def tests_of(self, contrast: OutcomeRows, rows: IntArray | slice) -> RowTests:
        """The tests that look at some of the rows that count."""
        y, weight = contrast.y[rows], contrast.weight
        weight = None if weight is None else weight[rows]
        counts_rows, exposure = self.context.outcome.weighting.counts_rows, contrast.exposure
        if exposure is not None:
            weight = None if exposure.weight is None else exposure.weight[rows]
            information = None
            if contrast.survival is not None and counts_rows:
                information = partial(_by_risk, contrast, rows)
            share = exposure.share[rows]
            rates = RateTests(y, share, weight, counts_rows, exposure.rate, information)
            if self.groups is None and not self.context.in_order:
                return rates
            y = rates.residual
            if not counts_rows:  # they are in it
                weight, counts_rows = None, True
        if self.context.in_order:
            return SeriesTests(y, weight)
        if self.groups is not None:
            _, group = np.unique(self.groups[rows], return_inverse=True)
            return GroupTests(y, group, weight, counts_rows=counts_rows)
        if counts_rows:
            return PermutedRows(y, weight)
        assert weight is not None
        return ImportanceTests(y, weight, contrast.side(float(np.average(y, weights=weight))))

    @cached_property
    def order(self) -> OutcomeOrder:
        """The rows in order of their outcomes."""
        y, folds = self.outcome.y.astype(np.float64, copy=False), self.folds
        return OutcomeOrder(y, self.outcome.weight, folds.n_folds, *folds.trained_rows())

    @cached_property
    def scores(self) -> FloatArray:
        """Normal scores of the outcome of each row; see `CombinedTests.scores`."""
        combined = self.context.combined
        assert combined is not None
        assert combined.scores is not None
        return combined.scores.of(self.outcome.y)

    @cached_property
    def powers(self) -> tuple[FloatArray | None, NumberArray, NumberArray]:
        """Weight, outcome and square of each row; see `weighted_powers`."""
        return weighted_powers(self.outcome.y, self.outcome.weight)

    @cached_property
    def powers_of_scores(self) -> tuple[FloatArray | None, NumberArray, NumberArray]:
        """The same of its normal score."""
        return weighted_powers(self.scores, self.outcome.weight)

    @cached_property
    def spread(self) -> SpreadTest | SpreadInGroups | SpreadInOrder:
        """Tests whether the outcome varies more in some levels than in others."""
        y, weight = self._tested(self.outcome).y, self.outcome.weight
        if self.context.in_order:
            return SpreadInOrder(y, weight)
        if self.groups is not None:
            return SpreadInGroups(y, self.groups, weight)
        counts_rows = self.context.outcome.weighting.counts_rows
        return SpreadTest(y, weight, counts_rows=counts_rows)

    @property
    def rows(self) -> Rows:
        """The rows as the statistics take them, each in the block of its fold."""
        folds = self.folds
        return rows_of(self.outcome, folds.fold, folds.n_blocks)

    @property
    def shrinks_by_groups(self) -> bool:
        """Whether impact codes ask how much rows of a group are alike."""
        by_likelihood = self.context.supervised and self.context.options.shrinkage == AUTO
        return self.groups is not None and by_likelihood and self.outcome.survival is None

    @cached_property
    def in_groups(self) -> RowsInGroups:
        """Rows by group, and block where training sets are all other blocks, or earlier ones."""
        assert self.groups is not None
        if self.folds.training is not None:
            return RowsInGroups.of(self.outcome, self.groups, np.zeros_like(self.groups), 1)
        return RowsInGroups.of(self.outcome, self.groups, self.folds.fold, self.folds.n_blocks)

    @cached_property
    def trained_in_groups(self) -> RowsInGroups:
        """Training rows by group and fold, where folds have training sets of their own."""
        assert self.groups is not None
        assert self.folds.training is not None
        rows, owner = self.folds.training
        return RowsInGroups.of(self.outcome, self.groups, owner, self.folds.n_folds, rows)

    @cached_property
    def crossed_weight(self) -> FloatArray | None:
        """Weight of a row in the cross-frame: the times that it is repeated share its weight."""
        repeats, outcome = self.folds.repeats, self.outcome
        if repeats is None:
            return outcome.weight
        shared = 1.0 / np.maximum(np.bincount(repeats[0], minlength=len(outcome.y)), 1)
        return shared if outcome.weight is None else shared * outcome.weight

    @cached_property
    def coded_rows(self) -> Rows:
        """The rows of the cross-frame, where those are not the rows; see `FoldPlan.repeats`."""
        folds, outcome = self.folds, self.outcome
        assert folds.repeats is not None
        rows, fold = folds.repeats
        return rows_of(replace(outcome, weight=self.crossed_weight), fold, folds.n_folds, rows)

    @cached_property
    def blocks(self) -> RowGroups:
        """The rows in order of their blocks, with several classes also of their classes."""
        folds, outcome = self.folds, self.outcome
        return self._in_order(folds.fold, folds.n_blocks, outcome.y, outcome.weight)

    @cached_property
    def training_blocks(self) -> RowGroups | None:
        """Training rows in order of their folds, where folds have training sets of their own."""
        folds = self.folds
        if folds.training is None:
            return None
        rows, owner = folds.training
        return self._in_order(owner, folds.n_folds, self.trained.y, self.trained.weight, rows)

    @cached_property
    def crossed_blocks(self) -> RowGroups:
        """The rows of the cross-frame in order of their folds."""
        folds = self.folds
        if folds.repeats is None:
            return self.blocks
        rows, fold = folds.repeats
        weight = self.crossed_weight
        weight = None if weight is None else weight[rows]
        return self._in_order(fold, folds.n_folds, self.outcome.y[rows], weight, rows)

    def _in_order(
        self,
        group: IntArray,
        n_groups: int,
        y: NumberArray,
        weight: FloatArray | None,
        rows: IntArray | None = None,
    ) -> RowGroups:
        n_classes = self.context.n_classes
        if not n_classes:
            return RowGroups.of(group, n_groups, y, weight, self.outcome.centre, rows)
        pair = np.add(group.astype(np.intp) * n_classes, y, dtype=np.intp)
        none = np.zeros(len(y), dtype=np.int8)
        return RowGroups.of(pair, n_groups * n_classes, none, weight, 0.0, rows)


def rows_of(outcome: OutcomeRows, group: IntArray, n_groups: int, rows: Any = None) -> Rows:
    """Rows as the statistics take them, each in a group; ``rows`` picks some, perhaps repeated."""
    every = slice(None) if rows is None else rows
    weight = None if outcome.weight is None else outcome.weight[every]
    taken = Rows(
        outcome.y[every], weight, group, n_groups, outcome.centre, len(outcome.classes) or 2
    )
    if outcome.survival is None:
        return taken
    return replace(taken, count=outcome.survival.count[every], noise=outcome.noise)


def together(groups: IntArray, weight: FloatArray | None) -> IntArray | None:
    """Groups of rows; None where each is of one row, so that nothing goes together.

    A row of weight 2 is two of its group, where weights count rows.
    """
    is_several = weight is not None and counts_rows(weight) and weight.max() > 1.0
    return None if len(groups) == int(groups.max()) + 1 and not is_several else groups


def _by_risk(contrast: OutcomeRows, rows: IntArray | slice, x: FloatArray) -> float:
    """Variance of a sum over rows that have times, by who is at risk when; see `RateTests`."""
    assert contrast.survival is not None
    assert contrast.exposure is not None
    count = contrast.survival.count[rows]
    expected = float(np.average(contrast.exposure.given[rows], weights=count))
    return contrast.survival.times.taken(rows).information(x, count) / expected**2
