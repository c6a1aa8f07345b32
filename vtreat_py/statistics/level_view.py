"""Level sums as the rows of one or several training sets see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.outcome_sums import OutcomeSums, sum_by

# Folds that a pattern of a level's folds has room for: sums of so many powers of 2 are exact.
_PATTERN_BITS = 52

LevelFunction = Callable[[OutcomeSums], FloatArray]


@dataclass(frozen=True, eq=False)
class LevelView:
    """What training sets know about the levels of a column.

    Coders are functions of a view, so that the plan (one training set: all rows) and the
    cross-frame (one training set a fold) are computed by the same lines.

    Attributes
    ----------
    level, group : ndarray of shape (entries,)
        The level of each entry, and the training set that looks at it.
    entries : OutcomeSums
        The level's sums inside that training set.
    whole : OutcomeSums
        Sums over all rows of each training set.

    Notes
    -----
    A view of held-out cells has entries only where a fold has rows of a level, because only
    those are ever looked up. ``sum`` and ``max`` still run over *all* levels of each training
    set: levels absent from a fold are seen there as in the whole data. The cost is that of the
    cells, plus one pass over the levels for every 52 folds.
    """

    level: IntArray
    group: IntArray
    entries: OutcomeSums
    whole: OutcomeSums
    levels: OutcomeSums | None = None

    @property
    def n_groups(self) -> int:
        """Number of training sets."""
        return len(self.whole.weight)

    def sum(self, function: LevelFunction) -> FloatArray:
        """Sum a function of the level sums over all levels of each training set."""
        seen = sum_by(self.group, function(self.entries), self.n_groups)
        if self.levels is None:
            return seen
        return seen + self._sum_over_absent(function(self.levels))

    def _sum_over_absent(self, value: FloatArray) -> FloatArray:
        """For each training set, the sum over the levels that have no entry in it.

        Levels are grouped by the training sets they have entries in, and each training set adds
        up the groups it is not in. Taking its own levels off a grand total would be shorter, but
        would leave a trace of them by rounding.
        """
        absent = np.zeros(self.n_groups)
        for sets, pattern, patterns in self._patterns:
            sums = sum_by(pattern, value, len(patterns))
            absent[sets] = (sums[:, None] * _missing(patterns, sets)).sum(axis=0)
        return absent

    @cached_property
    def _patterns(self) -> list[tuple[slice, IntArray, IntArray]]:
        """For each run of training sets: which these are, the pattern of each level, all patterns.

        A pattern has a bit set for each training set of the run that has an entry of the level.
        """
        assert self.levels is not None
        level, group = self.level, self.group
        if self.n_groups > _PATTERN_BITS:
            order = np.argsort(group, kind="stable")
            level, group = level[order], group[order]
        found: list[tuple[slice, IntArray, IntArray]] = []
        for first in range(0, self.n_groups, _PATTERN_BITS):
            here = slice(None)
            if self.n_groups > _PATTERN_BITS:
                here = slice(*np.searchsorted(group, [first, first + _PATTERN_BITS]))
            bit = np.ldexp(1.0, group[here].astype(np.int32) - first)
            bits = sum_by(level[here], bit, len(self.levels.weight)).astype(np.int64)
            patterns, pattern = _distinct(bits)
            sets = slice(first, min(first + _PATTERN_BITS, self.n_groups))
            found.append((sets, pattern, patterns))
        return found

    def absent(self) -> Iterator[tuple[int, IntArray, BoolArray]]:
        """Say which levels have no entry in which training sets, a run of these after the other.

        Yields the first training set of the run, the pattern of each level, and by pattern and
        training set of the run whether levels of the pattern have no entry in it.
        """
        if self.levels is None:
            return
        for sets, pattern, patterns in self._patterns:
            yield sets.start or 0, pattern, _missing(patterns, sets)

    def of_group(self, group: int) -> OutcomeSums:
        """Sums of all levels that have rows in one training set."""
        if self.n_groups == 1 and self.levels is None and (self.entries.weight > 0).all():
            return self.entries
        own = (self.group == group) & (self.entries.weight > 0)
        parts = [self.entries.take(np.flatnonzero(own))]
        for first, pattern, missing in self.absent():
            if first <= group < first + missing.shape[1]:
                assert self.levels is not None
                absent = missing[:, group - first][pattern] & (self.levels.weight > 0)
                parts.append(self.levels.take(np.flatnonzero(absent)))
        return OutcomeSums.joined(parts)

    def sums_in(self, group: int) -> OutcomeSums:
        """Sums of all levels, by their codes, as one training set has them."""
        own = np.flatnonzero(self.group == group)
        if self.levels is None:
            # Views without them have an entry for each level.
            n_levels = int(self.level.max(initial=-1)) + 1
            return OutcomeSums.nothing(n_levels, self.entries).replaced(
                self.level[own], self.entries.take(own)
            )
        return self.levels.replaced(self.level[own], self.entries.take(own))

    def max(self, function: LevelFunction) -> FloatArray:
        """Maximum of a function of the level sums over all levels of each training set."""
        largest = np.full(self.n_groups, -np.inf)
        np.maximum.at(largest, self.group, function(self.entries))
        if self.levels is not None:
            np.maximum(largest, self._max_over_absent(function(self.levels)), out=largest)
        return largest

    def _max_over_absent(self, value: FloatArray) -> FloatArray:
        """For each training set, the largest value among levels that have no entry in it."""
        absent = np.full(self.n_groups, -np.inf)
        for sets, pattern, patterns in self._patterns:
            largest = np.full(len(patterns), -np.inf)
            np.maximum.at(largest, pattern, value)
            missing = _missing(patterns, sets)
            of_sets = np.broadcast_to(largest[:, None], missing.shape)
            absent[sets] = of_sets.max(axis=0, where=missing, initial=-np.inf)
        return absent


def _distinct(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Different numbers, none below 0, and which each is; small ones are not sorted."""
    if numbers.max(initial=0) >= len(numbers):
        return np.unique(numbers, return_inverse=True)
    held = np.bincount(numbers) > 0
    return np.flatnonzero(held), (np.cumsum(held) - 1)[numbers]


def _missing(patterns: IntArray, sets: slice) -> BoolArray:
    """By pattern and training set of a run, whether levels of the pattern have no entry in it."""
    return np.asarray((patterns[:, None] >> np.arange(sets.stop - sets.start)) & 1 == 0)


def whole_view(table: LevelTable) -> LevelView:
    """Return the view of one training set that holds all rows, with an entry for each level."""
    sums = table.by_level()
    level = np.arange(table.n_levels)
    return LevelView(level, np.zeros_like(level), sums, sums.merged())


def held_out_view(table: LevelTable, n_folds: int) -> LevelView:
    """Return the view of the occupied cells, each as the other folds see it.

    Folds from ``n_folds`` on hold rows that are never held out: they are training rows of
    every fold, and have no entries.
    """
    coded = table.cells_before(n_folds)
    return LevelView(
        table.level[coded],
        table.fold[coded].astype(np.intp),  # bytes would not hold multiples
        table.held_out_cells().take(coded),
        table.held_out_folds().take(slice(n_folds)),
        table.by_level(),
    )


def training_view(parts: Sequence[OutcomeSums]) -> LevelView:
    """Return the view of training sets given by their level sums, with an entry for each pair.

    Entries stand training set by training set: entry ``k * n_levels + level``.
    """
    n_levels = len(parts[0].weight)
    entries = OutcomeSums.joined(parts)
    level = np.tile(np.arange(n_levels), len(parts))
    group = np.repeat(np.arange(len(parts)), n_levels)
    return LevelView(level, group, entries, entries.grouped(group, len(parts)))
