"""The codes of one categorical column, for one outcome: built, scored, crossed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.names import munge
from vtreat_py.coders.cat_b import cat_b, cat_b_prior
from vtreat_py.coders.cat_d import cat_d, has_scorable_level
from vtreat_py.coders.cat_n import cat_n, cat_n_prior
from vtreat_py.coders.cat_p import cat_p
from vtreat_py.coders.lev import (
    indicator_moments,
    indicator_points,
    indicator_sample,
    tracked_levels,
)
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.shrinkage import within_variance
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelFacts
from vtreat_py.design.scoring import combined_slopes
from vtreat_py.design.training_sets import FoldLevels, TrainingSets, constant_in, pool
from vtreat_py.plan.level_statistics import LevelOutcome
from vtreat_py.plan.options import IMPACT, Y_AWARE
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.significance.sample import Sample
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums

# A code must vary, and an impact code go up with the outcome, by more than rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class DerivedLevels:
    """A derived variable with its values: by code (the plan), by cell (the cross-frame)."""

    variable: DerivedVariable
    table: FloatArray | None
    cells: FloatArray
    slopes: FloatArray
    means: FloatArray

    @classmethod
    def unsupervised(cls, variable: DerivedVariable, table: FloatArray | None) -> DerivedLevels:
        """A variable without outcome has no cross-frame."""
        nothing = np.empty(0)
        return cls(variable, table, nothing, nothing, nothing)

    def scores_only(self) -> DerivedLevels:
        """Leave out the values, which are those of the first of several classes."""
        return replace(self, table=None, cells=np.empty(0))

    @classmethod
    def of_contrasts(cls, same: tuple[DerivedLevels, ...]) -> DerivedLevels:
        """One variable that was scored against each of several classes."""
        first = same[0]
        variable = replace(
            first.variable,
            scores=tuple(score for d in same for score in d.variable.scores),
            slope=float(combined_slopes([np.array(d.variable.slope) for d in same])),
        )
        return replace(first, variable=variable, slopes=combined_slopes([d.slopes for d in same]))


class LevelLearner:
    """The steps of learning one column, in the order they are taken."""

    def __init__(
        self,
        context: DesignContext,
        facts: LevelFacts,
        whole: LevelView,
        training: TrainingSets | None,
    ) -> None:
        self._context = context
        self._rows = facts.rows
        self._name = facts.name
        self._levels = facts.levels
        self._whole = whole
        self._pooled = pool(context, whole)
        self._distinct = int((whole.entries.weight > 0).sum())
        if training is not None:
            self._training = training
            self._folds = training.for_codes(context)
            if context.scaled_cross_frame:
                self._scaling = training.for_slopes(context)

    def derived(self) -> list[DerivedLevels]:
        """Build all that is asked for."""
        return self.indicators() + self.codes()

    def slots(self) -> IntArray:
        """What each code is taken for; see `LevelTreatment`."""
        novel = self._levels.novel
        slots = np.arange(novel + 1, dtype=np.int32)
        slots[:novel][self._pooled.pooled] = novel
        slots[:novel][self._pooled.suppressed] = -1
        if self._pooled.pool_suppressed[0]:
            slots[slots == novel] = -1
        return slots

    def counts(self) -> FloatArray:
        """Weight of each level, of the missing one, and of the pool."""
        return np.append(self._whole.entries.weight, self._pooled.pool.weight)

    def outcome(
        self, target: Any, slots: IntArray, derived: list[DerivedLevels]
    ) -> LevelOutcome | None:
        """Describe the outcome in each level, and its effect: the impact code, derived or not.

        None where no impact code was asked for.
        """
        code = next((c for c in self._context.coders if c in IMPACT), None)
        if code is None:
            return None
        pooled, whole = self._pooled, self._whole.whole
        smoothing, is_class = self._context.options.smoothing, code == "catB"
        effect = next((d.table for d in derived if d.variable.code == code), None)
        if effect is None:
            effect = np.append(*self._compute(code, pooled))
        sums = OutcomeSums.joined([self._whole.entries, pooled.pool])
        prior = cat_b_prior(pooled, smoothing) if is_class else cat_n_prior(pooled, smoothing)
        return LevelOutcome(
            target=target,
            mean=np.where(sums.weight > 0, sums.mean + sums.centre, 0.0),
            effect=effect,
            slots=slots,
            overall=float(whole.mean[0]) + whole.centre,
            prior_weight=float(prior[0]),
            within=None if is_class else float(within_variance(pooled)[0]),
        )

    def indicators(self) -> list[DerivedLevels]:
        """Indicators of the tracked levels, in order of their names' keys."""
        if "lev" not in self._context.coders:
            return []
        tracked, pool_tracked = tracked_levels(self._pooled, self._context.options.min_fraction)
        slots = [int(s) for s in np.flatnonzero(tracked)]
        if pool_tracked[0]:
            slots.append(self._levels.novel)
        slots.sort(key=self._level_order)
        on = self._sums_of(slots)
        weight = self._whole.whole.weight[0]
        moving = np.flatnonzero((on.weight > 0) & (on.weight < weight))
        if not len(moving):
            return []
        slots, on = [slots[i] for i in moving], on.take(moving)
        moments = indicator_moments(on, self._whole.whole)
        points = indicator_points(on, self._whole.whole)
        score = self._context.score(
            moments,
            logistic_fit(*points) if self._context.is_binary else None,
            lambda i: indicator_sample(on.weight[i], weight),
        )
        names = munge([f"{self._name}_lev_{self._key(slot)}" for slot in slots])
        derived = []
        for i, (slot, name) in enumerate(zip(slots, names, strict=True)):
            level = self._levels[slot] if slot < len(self._levels) else None
            variable = DerivedVariable(
                name,
                self._name,
                "lev",
                level,
                slot,
                scores=(self._context.outcome_score(score, i),),
                needs_split=self._context.options.force_split,
                slope=float(score.slope[i]),
                mean=float(moments.x[i]),
            )
            derived.append(
                self._with_cross(
                    variable,
                    None,
                    partial(self._indicator_entries, slot),
                    partial(self._folds_without_indicator, slot),
                )
            )
        return derived

    def _sums_of(self, slots: list[int]) -> OutcomeSums:
        """Sums of the rows that each slot marks."""
        pool, entries = self._pooled.pool, self._whole.entries
        both = OutcomeSums.joined([entries, pool])
        return both.take(np.array(slots, dtype=np.intp))

    def _level_order(self, slot: int) -> tuple[int, str, str]:
        """Missing first, then the pool, then levels by code point."""
        if slot >= len(self._levels):
            return slot - self._levels.novel, "", ""
        level = self._levels[slot]
        return 1, str(level), type(level).__name__

    def _key(self, slot: int) -> str:
        if slot == self._levels.missing:
            return "NA"
        return "rare" if slot == self._levels.novel else f"x {self._levels[slot]}"

    def _indicator_entries(self, slot: int, folds: FoldLevels) -> FloatArray:
        """Values of an indicator at the entries of a fold view."""
        view, pooled = folds.view, folds.pooled
        if slot != self._levels.novel:
            return np.asarray(view.level == slot, dtype=np.float64)
        # A fold that would not track its own pool marks the levels that all rows pool.
        _, tracked = tracked_levels(pooled, self._context.options.min_fraction)
        in_plan = self._pooled.pooled[view.level]
        values = np.where(tracked[view.group], pooled.pooled, in_plan)
        return np.asarray(values, dtype=np.float64)

    def _folds_without_indicator(self, slot: int) -> BoolArray:
        """Folds whose training rows would not track a level (or the pool)."""
        view = self._scaling.view
        tracked, pool_tracked = tracked_levels(
            self._scaling.pooled, self._context.options.min_fraction
        )
        if slot == self._levels.novel:
            return ~pool_tracked
        of_level = view.group[(view.level == slot) & tracked]
        return np.asarray(np.bincount(of_level, minlength=view.n_groups) == 0)

    def codes(self) -> list[DerivedLevels]:
        """Prevalence, impact and deviation codes."""
        derived = []
        for code in ("catP", "catB", "catN", "catD"):
            if code in self._context.coders:
                coded = self._supported(code, self._pooled)
                if coded is not None:
                    derived.append(self._code(code, *coded))
        return derived

    def _compute(self, code: str, pooled: PooledLevels) -> tuple[FloatArray, FloatArray]:
        smoothing = self._context.options.smoothing
        if code == "catP":
            return cat_p(pooled.view)
        if code == "catB":
            return cat_b(pooled, smoothing)
        return cat_n(pooled, smoothing) if code == "catN" else cat_d(pooled)

    def _supported(
        self, code: str, pooled: PooledLevels
    ) -> tuple[FloatArray, FloatArray, Moments] | None:
        """A code as one training set supports it: values, value of novel levels, moments.

        None where it would say no more than the indicators do, be constant, or run against
        the outcome.
        """
        sums = pooled.view.entries
        kept = bool((~pooled.pooled & (sums.weight > 0)).any() or pooled.pool_known[0])
        if not kept or (int((sums.weight > 0).sum()) <= 2 and self._has_indicators(pooled)):
            return None
        if code == "catD" and not has_scorable_level(pooled):
            return None
        values, novel = self._compute(code, pooled)
        moments = Moments.over_points(values, sums)
        present = values[sums.weight > 0]
        size = 1.0 if code == "catB" else float(np.sqrt(moments.yy[0] / moments.weight[0]))
        size = float(np.abs(present).max()) if code == "catP" else size
        if present.max() - present.min() <= _ROUNDING * size:
            return None
        least = _ROUNDING * float(np.sqrt(moments.xx[0]) * np.sqrt(moments.yy[0]))
        if code in ("catB", "catN") and moments.xy[0] <= least:
            return None
        return values, novel, moments

    def _has_indicators(self, pooled: PooledLevels) -> bool:
        if "lev" not in self._context.coders:
            return False
        levels, pool = tracked_levels(pooled, self._context.options.min_fraction)
        return bool(levels.any() or pool[0])

    def _code(
        self, code: str, values: FloatArray, novel: FloatArray, moments: Moments
    ) -> DerivedLevels:
        """One code with its score and cross-frame values."""
        context, sums = self._context, self._whole.entries
        table = np.append(values, novel)
        variable = DerivedVariable(
            munge([f"{self._name}_{code}"])[0],
            self._name,
            code,
            scores=(context.outcome_score(),),
            needs_split=True,
            extra_model_degrees=float(self._distinct - 1),
            slope=float(
                context.slopes(moments, (values[None], sums.weight[None], sums.total[None]))[0]
            ),
            mean=float(moments.x[0]),
        )
        if not context.supervised:
            return DerivedLevels.unsupervised(variable, table)
        lacking = np.zeros(self._folds.view.n_groups, dtype=bool)
        if code not in Y_AWARE or context.options.follows_r:
            lacking = self._folds_without(code)

        def entries(folds: FoldLevels) -> FloatArray:
            own, _ = self._compute(code, folds.pooled)
            values = np.where(lacking[folds.view.group], table[folds.view.level], own)
            if code != "catP":
                return values
            # Where there is no past, every level is a novel one.
            return np.where(folds.view.whole.weight[folds.view.group] > 0, values, novel[0])

        return self._with_cross(variable, table, entries, lambda: lacking)

    def _folds_without(self, code: str) -> BoolArray:
        """Folds whose training rows do not support a code.

        Three levels and two values settle most folds; the others are looked at one by one.
        """
        view = self._folds.view
        entries, _ = self._compute(code, self._folds.pooled)
        distinct = view.sum(lambda sums: (sums.weight > 0).astype(np.float64))
        lacking = (distinct <= 2) | constant_in(view, entries)
        lacking &= (view.whole.weight > 0) | (code not in Y_AWARE)
        for k in np.flatnonzero(lacking & (view.whole.weight > 0)):
            alone = self._training.alone(int(k), self._context)
            lacking[k] = self._supported(code, alone) is None
        return lacking

    def _with_cross(
        self,
        variable: DerivedVariable,
        table: FloatArray | None,
        entries: Callable[[FoldLevels], FloatArray],
        lacking: Callable[[], BoolArray],
    ) -> DerivedLevels:
        """Add the cross-frame values, and score on them what must be scored out of fold."""
        context, nothing = self._context, np.empty(0)
        if not context.supervised:
            return DerivedLevels.unsupervised(variable, table)
        training = self._training
        at_cells = self._folds.at_cells(entries(self._folds))
        cells = np.zeros(len(training.table.level))
        cells[training.coded] = at_cells
        if variable.needs_split:
            sums = training.coded_cells
            if context.is_binary:
                fit = logistic_fit(at_cells[None], sums.weight[None], sums.total[None])
                score = context.test(None, fit)
            else:
                score = context.test(Moments.over_points(at_cells, sums), None)
            if context.calibrated is not None:
                sig = self._calibrated(context.calibrated, variable, table)
                score = score if sig is None else replace(score, sig=np.array([sig]))
            variable = replace(variable, scores=(context.outcome_score(score),))
        if not context.scaled_cross_frame:
            return DerivedLevels(variable, table, cells, nothing, nothing)
        slopes, means = self._slopes(entries(self._scaling))
        if context.options.follows_r:
            filled = lacking() & (self._scaling.view.whole.weight > 0)
            slopes = np.where(filled, variable.slope, slopes)
            means = np.where(filled, variable.mean, means)
        return DerivedLevels(variable, table, cells, slopes, means)

    def _calibrated(
        self, tests: CalibratedTests, variable: DerivedVariable, table: FloatArray | None
    ) -> float | None:
        """p-value of a variable, from all rows: it does not need the cross-frame.

        None where the rows that it takes are not kept.
        """
        sums = self._whole.entries
        if table is None:  # an indicator, which has its p-value
            return variable.sig
        if variable.code in IMPACT:
            contrast = self._context.class_number or 0
            return tests.levels(sums, lambda: self._rows.residual_sums(contrast))
        if variable.code == "catD":
            return self._rows.spread()
        values = table[:-1]
        moments = Moments.over_points(values, sums)
        return float(tests.correlation(moments, lambda _: Sample.of_values(values, sums.weight))[0])

    def _slopes(self, entries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of a variable in each fold's training set."""
        view = self._scaling.view
        moments = Moments.of_points(entries, view.entries).grouped(view.group, view.n_groups)
        shape = (view.n_groups, self._training.table.n_levels)
        points = (
            entries.reshape(shape),
            view.entries.weight.reshape(shape),
            view.entries.total.reshape(shape),
        )
        return self._context.slopes(moments, points), moments.x
