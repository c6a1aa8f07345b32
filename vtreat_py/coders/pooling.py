"""Which levels keep their own code, which share the pool, which are set aside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.coders.likelihood import Likelihood
from vtreat_py.coders.random_intercepts import RandomIntercepts
from vtreat_py.significance.level_tests import class_level_test, numeric_level_test
from vtreat_py.statistics.equal_levels import EqualLevels
from vtreat_py.statistics.equal_rates import EqualRates
from vtreat_py.statistics.grouped_levels import GroupedLevels
from vtreat_py.statistics.level_view import LevelFunction, LevelView
from vtreat_py.statistics.outcome_sums import OutcomeSums

# Inner squares below this share of the raw squares are what rounding leaves of equal numbers.
_CANCELLED = 1e-13


@dataclass(frozen=True, eq=False)
class PooledLevels:
    """The levels of a view, sorted into kept, pooled and suppressed ones.

    A level of weight at most ``rare_count`` joins the pool, which is then treated as a level
    of its own; so does every level the training rows never showed. With ``rare_sig``, levels
    (and the pool) that do not differ from the rest at that p-value are suppressed: they get no
    indicator, and codes that say nothing.

    Attributes
    ----------
    pooled, suppressed : ndarray of bool, shape (entries,)
        State of each entry of the view.
    pool : OutcomeSums
        Sums of the pool of each training set.
    pool_known, pool_suppressed : ndarray of bool, shape (training sets,)
        Whether any training level was pooled, and whether the pool was suppressed.
    grouped : GroupedLevels or None
        How levels and groups of rows go together, where rows of a group may be alike.
    alone : ndarray of shape (training sets,) or None
        Rows that levels of one row are worth together, where that is not their number.
    """

    view: LevelView
    rare_count: float
    pooled: BoolArray
    suppressed: BoolArray
    pool: OutcomeSums
    pool_known: BoolArray
    pool_suppressed: BoolArray
    grouped: GroupedLevels | None = None
    alone: FloatArray | None = None

    @cached_property
    def worth(self) -> PooledLevels:
        """The same levels, of as many rows as theirs are worth where those of a group are alike."""
        if self.grouped is None:
            return self
        view, pool, alone = self.grouped.worth(self.view, self.pooled, self.pool)
        return replace(self, view=view, pool=pool, grouped=None, alone=alone)

    @property
    def size(self) -> FloatArray:
        """Rows of each entry, and of the pools, as far as codes count them."""
        return np.append(self.view.entries.weight, self.pool.weight)

    @property
    def pool_coded(self) -> BoolArray:
        """Whether the pool has a code of its own in each training set."""
        return self.pool_known & ~self.pool_suppressed

    def sum_over_kept(self, function: LevelFunction) -> FloatArray:
        """Sum a function over the levels of each training set that are not pooled, and the pool.

        The function must be 0 for levels without rows.
        """
        if self.rare_count == 0:
            return self.view.sum(function)

        def kept(sums: OutcomeSums) -> FloatArray:
            return np.where(sums.size > self.rare_count, function(sums), 0.0)

        return self.view.sum(kept) + np.where(self.pool_known, function(self.pool), 0.0)

    @property
    def equal_levels(self) -> EqualLevels:
        """The levels that are not pooled, and the pool, by size."""
        equal = EqualLevels.of_view(self.view, self.rare_count)
        if self.rare_count > 0:
            some = np.flatnonzero(self.pool_known)
            equal = equal.and_one(some, self.pool.take(some))
        return equal

    @cached_property
    def likelihood(self) -> Likelihood:
        """How likely it is that levels differ so much, of those not pooled, and the pool."""
        return Likelihood(
            self.equal_levels, self.sum_over_kept(lambda s: s.squares), self.view.whole
        )

    @cached_property
    def random_intercepts(self) -> tuple[RandomIntercepts, IntArray, IntArray]:
        """The mixed model of a class, and its cells of the entries and of the pools."""
        equal, pools = (
            EqualRates.of_view(self.view, self.rare_count),
            np.full(self.view.n_groups, -1),
        )
        some = np.flatnonzero(self.pool_known)
        pools[some] = len(equal.group) + np.arange(len(some))
        equal = equal.and_one(some, self.pool.take(some))
        return RandomIntercepts(equal, self.view.whole), equal.place, pools

    def of_group(self, group: int) -> OutcomeSums:
        """Sums of the levels of one training set that are not pooled, and of the pool."""
        levels = self.view.of_group(group)
        if self.rare_count == 0:
            return levels
        kept = levels.take(np.flatnonzero(levels.size > self.rare_count))
        some = np.flatnonzero(self.pool_known[[group]]) + group
        return OutcomeSums.joined([kept, self.pool.take(some)])

    def assign(
        self,
        own: FloatArray,
        pool: FloatArray,
        otherwise: FloatArray,
        unseen: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Give each entry its code: its own, the pool's, or ``otherwise`` when suppressed.

        Returns the codes of the entries and, for each training set, the code of a level that
        the training rows never showed: the pool's, ``unseen`` where there is no pool.
        """
        novel = np.where(self.pool_coded, pool, otherwise)
        if unseen is not None:
            novel = np.where(self.pool_known, novel, unseen)
        for some, code in ((self.suppressed, otherwise), (self.pooled, novel)):
            if some.any():
                own = np.where(some, code[self.view.group], own)
        return own, novel


def pool_levels(
    view: LevelView,
    rare_count: float,
    rare_sig: float | None,
    is_binary: bool,
    grouped: GroupedLevels | None = None,
) -> PooledLevels:
    """Sort the levels of a view; see `PooledLevels`."""
    entries = view.entries
    pooled = entries.size <= rare_count
    pool, known = _pool(view, rare_count)
    suppressed = np.zeros(len(entries.weight), dtype=bool)
    pool_suppressed = np.zeros(view.n_groups, dtype=bool)
    if rare_sig is not None and rare_sig < 1:
        each = view.whole.take(view.group)
        suppressed = ~pooled & (_p_values(entries, each, is_binary) > rare_sig)
        pool_suppressed = known & (_p_values(pool, view.whole, is_binary) > rare_sig)
    return PooledLevels(view, rare_count, pooled, suppressed, pool, known, pool_suppressed, grouped)


def _pool(view: LevelView, rare_count: float) -> tuple[OutcomeSums, BoolArray]:
    """Sums of the pool of each training set, and whether there is one."""
    entries = view.entries

    def rare(values: FloatArray, sums: OutcomeSums) -> FloatArray:
        return np.where((sums.size > 0) & (sums.size <= rare_count), values, 0.0)

    n_groups = view.n_groups
    pool = OutcomeSums.nothing(n_groups, entries)
    known = np.zeros(n_groups, dtype=bool)
    if rare_count > 0:
        known = view.sum(lambda s: rare(np.ones_like(s.weight), s)) > 0
        weight = np.where(known, view.sum(lambda s: rare(s.weight, s)), 0.0)
        total = np.where(known, view.sum(lambda s: rare(s.total, s)), 0.0)
        inner = None
        if entries.inner is not None:
            raw = view.sum(lambda s: rare(s.squares + s.total * s.mean, s))
            inner = raw - total**2 / np.where(weight > 0, weight, 1.0)
            inner = np.where(known & (inner > _CANCELLED * raw), inner, 0.0)
        rows = None if entries.rows is None else view.sum(lambda s: rare(s.size, s))
        pool = OutcomeSums(weight, total, inner, entries.centre, rows)
    return pool, known


def _p_values(level: OutcomeSums, whole: OutcomeSums, is_binary: bool) -> FloatArray:
    if is_binary:
        return class_level_test(level.total, level.weight, whole.total, whole.weight)
    return numeric_level_test(
        level.weight, level.mean, whole.weight, whole.mean, whole.squares, whole.weight
    )
