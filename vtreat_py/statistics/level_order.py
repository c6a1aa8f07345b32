"""Rows in order of their outcomes: quantiles of the outcome in levels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.coordinates import power_of_two

# Weights are counted in whole numbers, the sum of which has this many bits at most: sums are then
# the same in any order.
_BITS = 40
# Rows at most of the sample that tells how outcomes are spread inside levels, and levels that they
# are of.
_SAMPLE, _SAMPLED = 1 << 14, 1 << 12
# Codes of 16 bits are sorted fast.
_SHORT = 1 << 15


class OutcomeOrder:
    """Rows in order of their outcomes, and which of them train which fold.

    Parameters
    ----------
    y : ndarray of shape (n,)
    weight : ndarray of shape (n,) or None
    n_folds : int
    fold : ndarray of shape (n,) or None
        The fold of each row, which all other folds are trained on; ``n_folds`` where it is in
        none. None: training rows are named.
    trained : (rows, folds) or None
        Training rows, and the fold they train.

    Attributes
    ----------
    unit : float
        What outcomes are multiples of: a power of 2, so that their squares are no too large ones.
    """

    def __init__(
        self,
        y: FloatArray,
        weight: FloatArray | None,
        n_folds: int,
        fold: IntArray | None,
        trained: tuple[IntArray, IntArray] | None = None,
    ) -> None:
        self.n_folds, self.fold, self.trained = n_folds, fold, trained
        counted = np.arange(len(y)) if weight is None else np.flatnonzero(weight)
        self.unit = power_of_two(float(np.abs(y[counted]).max(initial=0.0)))
        self.row = counted[np.argsort(y[counted], kind="stable")]
        self.y = y[self.row] / self.unit
        self.weight, self.one = _whole_numbers(
            None if weight is None else weight[self.row], len(self.row)
        )
        self._rows, self._y, self._weight = counted, y, weight

    def of(self, code: IntArray, n_levels: int) -> LevelOrder:
        """Take the levels of a column beside them."""
        return LevelOrder(self, code, n_levels)

    def sample(
        self, code: IntArray, n_levels: int
    ) -> tuple[IntArray, FloatArray, FloatArray, Callable[[int | None], FloatArray]]:
        """Level, outcome and weight of some rows, and how many times they train a fold.

        All rows of some levels, or some of them; which ones, outcomes do not say.
        """
        rows = self._rows[code[self._rows] % (1 + (n_levels - 1) // _SAMPLED) == 0]
        rows = rows[:: 1 + len(rows) // _SAMPLE]
        _, own = np.unique(code[rows], return_inverse=True)
        weight = np.ones(len(rows)) if self._weight is None else self._weight[rows]
        return own, self._y[rows] / self.unit, weight, lambda fold: self.times(fold, rows)

    @cached_property
    def all_rows(self) -> LevelOrder:
        """All rows as those of one level."""
        n_rows = int(self.row.max(initial=-1)) + 1
        return LevelOrder(self, np.zeros(n_rows, dtype=np.int8), 1)

    @cached_property
    def by_fold(self) -> IntArray:
        """Places in the order, of rows that are held out, by fold."""
        assert self.fold is not None
        fold = self.fold[self.row]
        order = _stable(fold, self.n_folds + 1)
        return order[: int((fold < self.n_folds).sum())]

    @cached_property
    def by_training(self) -> tuple[IntArray, IntArray]:
        """Places in the order of named training rows, in that order, and the folds they train."""
        assert self.trained is not None
        rows, owner = self.trained
        rank = np.full(max(int(rows.max(initial=-1)), int(self.row.max(initial=-1))) + 1, -1)
        rank[self.row] = np.arange(len(self.row))
        place = rank[rows]
        order = np.argsort(place, kind="stable")[int((place < 0).sum()) :]
        return place[order], owner[order]

    def times(self, fold: int | None, rows: IntArray) -> FloatArray:
        """How many times rows train a fold; once without a fold."""
        if fold is None:
            return np.ones(len(rows))
        if self.fold is not None:
            return np.asarray(self.fold[rows] != fold, dtype=np.float64)
        assert self.trained is not None
        own = self.trained[0][self.trained[1] == fold]
        counts = np.bincount(own, minlength=int(rows.max(initial=-1)) + 1).astype(np.float64)
        return np.asarray(counts[rows])


class LevelOrder:
    """Rows in order of their outcomes, and their levels in a column.

    Quantiles are those of `weighted_quantiles`, which takes weights for numbers of equal rows, in
    units of ``of.unit``; 0 where there are no rows.
    """

    def __init__(self, of: OutcomeOrder, code: IntArray, n_levels: int) -> None:
        self.of, self.code, self.n_levels = of, code, n_levels
        self._code = code[of.row]

    def quantiles(self, p: float) -> FloatArray:
        """Quantile of all rows of each level."""
        return self._levels.quantiles(np.arange(self.n_levels), p)

    def trained_quantiles(self, level: IntArray, fold: IntArray, p: float) -> FloatArray:
        """Quantile of the rows of a level that train a fold, for several of both.

        Where folds are trained on all other rows, none are sorted anew. Before each row of its
        own, a fold has so much weight of others in the level; so these tell, by bisection, how
        many of its own rows lie before the place that is asked for, and then where that is among
        all rows of the level.
        """
        level, fold = level.astype(np.intp), fold.astype(np.intp)
        if self.of.fold is None:
            return self._training.quantiles(fold * self.n_levels + level, p)
        runs, (cells, of_others, keys) = self._levels, self._held_out
        key = level * self.of.n_folds + fold
        cell = np.searchsorted(keys, key)
        cell = np.where(keys[cell] == key, cell, len(keys) - 1)
        own = cells.weight(cell)
        low, high, between = _places(runs.weight(level) - own, self.of.one, p)
        ends = []
        for bound in (low, high):
            first = _first_above(of_others, cells.start[cell], cells.start[cell + 1], bound)
            ends.append(runs.at(level, bound + cells.before[first] - cells.before_run(cell)))
        found = ends[0] + between * (ends[1] - ends[0])
        return np.where(runs.weight(level) > own, found, 0.0)

    def quantile_of(self, levels: BoolArray, fold: int | None, p: float) -> float:
        """Quantile of the rows of some levels together, all or those that train a fold."""
        place = np.flatnonzero(levels[self._code])
        times = self.of.times(fold, self.of.row[place]).astype(np.int64)
        runs = _Runs.of(np.zeros(len(place), dtype=np.int8), 1, self.of, place, times)
        return float(runs.quantiles(np.zeros(1, dtype=np.intp), p)[0])

    @cached_property
    def sample(
        self,
    ) -> tuple[IntArray, FloatArray, FloatArray, Callable[[int | None], FloatArray]]:
        """Some rows; see `OutcomeOrder.sample`."""
        return self.of.sample(self.code, self.n_levels)

    @cached_property
    def _levels(self) -> _Runs:
        """All rows, by level."""
        return _Runs.of(self._code, self.n_levels, self.of, np.arange(len(self._code)))

    @cached_property
    def _held_out(self) -> tuple[_Runs, IntArray, IntArray]:
        """Rows by level and fold, the weight of others in the level before each, and the cells.

        The last of the cells is none, and has no rows.
        """
        of, n_folds = self.of, self.of.n_folds
        assert of.fold is not None
        place = of.by_fold
        code = self._code[place]
        order = _stable(code, self.n_levels)
        place, code = place[order], code[order].astype(np.intp)
        key = code * n_folds + of.fold[of.row[place]]
        new = np.append(True, key[1:] != key[:-1])[: len(key)]
        cell, keys = np.cumsum(new) - 1, np.append(key[new], self.n_levels * n_folds)
        cells = _Runs.of_sorted(cell, len(keys), of, place)
        in_levels = np.empty(len(self._code), dtype=np.intp)
        in_levels[self._levels.place] = np.arange(len(in_levels))
        before = self._levels.before[in_levels[place]] - self._levels.before_run(code)
        own = cells.before[:-1] - cells.before_run(cell)
        return cells, before - own, keys

    @cached_property
    def _training(self) -> _Runs:
        """Rows by the fold that they train, and level."""
        place, owner = self.of.by_training
        group = owner.astype(np.intp) * self.n_levels + self._code[place]
        return _Runs.of(group, self.of.n_folds * self.n_levels, self.of, place)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Groups of rows, each in order of the outcomes.

    Attributes
    ----------
    start : ndarray of shape (groups + 1,)
        Where they start.
    place : ndarray of shape (rows,)
        Places of the rows in the order of all.
    y : ndarray of shape (rows,)
    before : ndarray of shape (rows + 1,)
        Weight of all that stand before.
    one : float
        Weight of a row.
    """

    start: IntArray
    place: IntArray
    y: FloatArray
    before: IntArray
    one: float

    @classmethod
    def of(
        cls,
        group: IntArray,
        n_groups: int,
        order: OutcomeOrder,
        place: IntArray,
        times: IntArray | int = 1,
    ) -> _Runs:
        """Sort rows, which stand in the order of their outcomes."""
        by_group = _stable(group, n_groups)
        weight = order.weight[place] * times
        return cls.of_sorted(group[by_group], n_groups, order, place[by_group], weight[by_group])

    @classmethod
    def of_sorted(
        cls,
        group: IntArray,
        n_groups: int,
        order: OutcomeOrder,
        place: IntArray,
        weight: IntArray | None = None,
    ) -> _Runs:
        """Take rows that stand by group."""
        weight = order.weight[place] if weight is None else weight
        start = np.append(0, np.cumsum(np.bincount(group, minlength=n_groups)))
        return cls(start, place, order.y[place], np.append(0, np.cumsum(weight)), order.one)

    def before_run(self, group: IntArray) -> IntArray:
        """Weight of all before a group."""
        return np.asarray(self.before[self.start[group]])

    def weight(self, group: IntArray) -> IntArray:
        """Weight of groups."""
        return np.asarray(self.before[self.start[group + 1]] - self.before_run(group))

    def at(self, group: IntArray, bound: FloatArray) -> FloatArray:
        """Outcome of the first row of a group up to which there is more weight than a bound."""
        start, stop = self.start[group], self.start[group + 1]
        first = _first_above(self.before[1:], start, stop, bound + self.before_run(group))
        return np.append(self.y, 0.0)[np.minimum(first, np.maximum(stop - 1, start))]

    def quantiles(self, group: IntArray, p: float) -> FloatArray:
        """Quantile of the rows of groups."""
        low, high, between = _places(self.weight(group), self.one, p)
        below, above = self.at(group, low), self.at(group, high)
        found = below + between * (above - below)
        return np.where(self.weight(group) > 0, found, 0.0)


def _places(weight: IntArray, one: float, p: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weights up to the two rows that a quantile lies between, and how far it is from the first."""
    place = np.maximum(weight / one - 1.0, 0.0) * p
    below = np.floor(place)
    last = np.maximum(weight - 1.0, 0.0)
    return np.minimum(below * one, last), np.minimum((below + 1.0) * one, last), place - below


def _first_above(values: IntArray, start: IntArray, stop: IntArray, bound: FloatArray) -> IntArray:
    """The first place of each range of ascending values that is above a bound, or its end."""
    low, high = start.copy(), stop.copy()
    while (low < high).any():
        middle = (low + high) // 2
        above = values[np.minimum(middle, len(values) - 1)] > bound
        open_ = low < high
        high = np.where(open_ & above, middle, high)
        low = np.where(open_ & ~above, middle + 1, low)
    return low


def _stable(group: IntArray, n_groups: int) -> IntArray:
    """Order of groups; what is equal stays in its order."""
    kind = np.int16 if n_groups <= _SHORT else np.int32 if n_groups < 1 << 31 else np.int64
    return np.argsort(group.astype(kind, copy=False), kind="stable")


def _whole_numbers(weight: FloatArray | None, n_rows: int) -> tuple[IntArray, float]:
    """Weights as whole numbers, and the weight of a row."""
    if weight is None:
        return np.ones(n_rows, dtype=np.int64), 1.0
    total = float(weight.sum())
    if total < 2.0**_BITS and bool((weight == np.floor(weight)).all()):
        return weight.astype(np.int64), 1.0
    one = float(np.ldexp(1.0, _BITS - int(np.frexp(total)[1])))
    return np.maximum(np.rint(weight * one), 1.0).astype(np.int64), one
