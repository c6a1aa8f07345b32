"""Learning a categorical column: from its level table to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from vtreat_py._column_treatment import DerivedVariable, LevelCodes, LevelTreatment
from vtreat_py._columns import LevelColumn
from vtreat_py._design_context import (
    CODES_WOULD_BE_CONSTANT,
    NO_CODE_APPLIES,
    DesignContext,
    combined_slopes,
    digest,
)
from vtreat_py._fold_levels import (
    FoldLevels,
    TrainingSets,
    constant_in,
    pool,
    training_tables,
)
from vtreat_py._levels import Levels
from vtreat_py._names import munge
from vtreat_py._options import CALIBRATED, IMPACT, LEVEL_CODERS, Y_AWARE
from vtreat_py._typing import BoolArray, FloatArray, IntArray
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_d import cat_d, has_scorable_level
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.cat_p import cat_p
from vtreat_py.coders.lev import indicator_moments, indicator_points, tracked_levels
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.significance.level_effects import level_effects_test
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import LevelView, whole_view
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.tally import CellIndex, tally_classes

# A code must vary, and an impact code go up with the outcome, by more than rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LearnedLevels:
    """A treated categorical column, and what is needed to write its cross-frame.

    Attributes
    ----------
    index : CellIndex
        The (level, fold) cell of each row.
    fold : ndarray of shape (cells,)
        Fold of each cell.
    values : dict from variable to ndarray of shape (cells,)
        Out-of-fold value of each cell.
    slopes, means : dict from variable to ndarray of shape (folds,)
        y-aware scaling of each fold, when asked for.
    """

    treatment: LevelTreatment
    index: CellIndex
    fold: IntArray
    values: tuple[FloatArray, ...]
    slopes: tuple[FloatArray, ...]
    means: tuple[FloatArray, ...]

    def write_cross(
        self,
        place: int,
        scale: bool,
        collar: bool,  # noqa: ARG002 (levels have no range to clip)
        out: FloatArray,
    ) -> None:
        """Write the cross-frame column of the variable at ``place`` to ``out``."""
        values = self.values[place]
        if scale:
            slope, mean = np.append(self.slopes[place], 0.0), np.append(self.means[place], 0.0)
            fold = np.minimum(self.fold, len(slope) - 1)
            values = slope[fold] * (values - mean[fold])
        self.index.spread(values, out)


def learn_levels(column: LevelColumn, context: DesignContext) -> LearnedLevels | str:
    """Learn a categorical column; a string says why nothing can be derived from it."""
    if not set(context.coders) & set(LEVEL_CODERS):
        return NO_CODE_APPLIES
    codes, levels = column.encode()
    n_levels = len(levels) + 1
    tables, index = tally_classes(codes, n_levels, context.rows)
    if int((tables[0].by_level().weight > 0).sum()) < 2:
        return "it has one level only"
    trained = training_tables(context, codes, n_levels)
    coded = tables
    if context.folds.repeats is not None:
        rows = context.coded_rows
        coded, index = tally_classes(codes[context.folds.repeats[0]], n_levels, rows)
    parts = _learn_parts(column, levels, context, tables, coded, trained)
    derived = [d for part in parts for d in part.derived]
    if not derived:
        return CODES_WOULD_BE_CONSTANT
    treatment = LevelTreatment(
        column.name, levels, tuple(p.codes for p in parts if p.derived), digest(column)
    )
    return LearnedLevels(
        treatment,
        index,
        coded[0].fold,
        tuple(d.cells for d in derived),
        tuple(d.slopes for d in derived),
        tuple(d.means for d in derived),
    )


@dataclass(frozen=True, eq=False)
class _Derived:
    """A derived variable with its values: by code (the plan), by cell (the cross-frame)."""

    variable: DerivedVariable
    table: FloatArray | None
    cells: FloatArray
    slopes: FloatArray
    means: FloatArray

    @classmethod
    def unsupervised(cls, variable: DerivedVariable, table: FloatArray | None) -> _Derived:
        """A variable without outcome has no cross-frame."""
        nothing = np.empty(0)
        return cls(variable, table, nothing, nothing, nothing)

    def scores_only(self) -> _Derived:
        """Leave out the values, which are those of the first of several classes."""
        return replace(self, table=None, cells=np.empty(0))

    @classmethod
    def of_contrasts(cls, same: tuple[_Derived, ...]) -> _Derived:
        """One variable that was scored against each of several classes."""
        first = same[0]
        variable = replace(
            first.variable,
            scores=tuple(score for d in same for score in d.variable.scores),
            slope=float(combined_slopes([np.array(d.variable.slope) for d in same])),
        )
        return replace(first, variable=variable, slopes=combined_slopes([d.slopes for d in same]))


@dataclass(frozen=True, eq=False)
class _Part:
    """The codes of a column that are built for one target, and what they are built from."""

    codes: LevelCodes
    derived: list[_Derived]

    @classmethod
    def of(cls, target: Any, slots: IntArray, derived: list[_Derived]) -> _Part:
        tables = {d.variable.code: d.table for d in derived if d.table is not None}
        return cls(LevelCodes(target, slots, tables, tuple(d.variable for d in derived)), derived)


def _learn_parts(
    column: LevelColumn,
    levels: Levels,
    context: DesignContext,
    tables: list[LevelTable],
    coded: list[LevelTable],
    trained: list[LevelTable],
) -> list[_Part]:
    """Learn the codes that are shared, and with several classes those of each class."""
    scored: list[list[_Derived]] = []
    of_classes: list[_Part] = []
    slots: IntArray = np.empty(0, dtype=np.int32)
    for k, (contrast, table) in enumerate(zip(context.contrasts, tables, strict=True)):
        whole = whole_view(table)
        training = None
        if context.supervised:
            training = TrainingSets(context.folds, coded[k], trained[k] if trained else None)
        shared = _Learner(contrast, column, levels, whole, training)
        if not k:
            slots = shared.slots()
        scored.append([d if not k else d.scores_only() for d in shared.derived()])
        if context.n_classes:
            own = _Learner(context.for_class(contrast), column, levels, whole, training)
            target, prefix = contrast.outcome.target, context.class_prefixes[k]
            derived = [_of_class(d, target, prefix) for d in own.derived()]
            of_classes.append(_Part.of(target, own.slots(), derived))
    merged = [_Derived.of_contrasts(same) for same in zip(*scored, strict=True)]
    return [_Part.of(None, slots, merged), *of_classes]


def _of_class(derived: _Derived, target: Any, prefix: str) -> _Derived:
    variable = derived.variable
    return replace(
        derived, variable=replace(variable, target=target, name=f"{prefix}_{variable.name}")
    )


class _Learner:
    """The steps of learning one column, in the order they are taken."""

    def __init__(
        self,
        context: DesignContext,
        column: LevelColumn,
        levels: Levels,
        whole: LevelView,
        training: TrainingSets | None,
    ) -> None:
        self._context = context
        self._column = column
        self._levels = levels
        self._whole = whole
        self._pooled = pool(context, whole)
        self._distinct = int((whole.entries.weight > 0).sum())
        if training is not None:
            self._training = training
            self._folds = training.for_codes(context)
            if context.scaled_cross_frame:
                self._scaling = training.for_slopes(context)

    def derived(self) -> list[_Derived]:
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

    def indicators(self) -> list[_Derived]:
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
        score = self._context.score(moments, points if self._context.is_binary else None)
        names = munge([f"{self._column.name}_lev_{self._key(slot)}" for slot in slots])
        derived = []
        for i, (slot, name) in enumerate(zip(slots, names, strict=True)):
            level = self._levels[slot] if slot < len(self._levels) else None
            variable = DerivedVariable(
                name,
                self._column.name,
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

    def codes(self) -> list[_Derived]:
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
        moments = Moments.of_points(values, sums).merged()
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

    def _code(self, code: str, values: FloatArray, novel: FloatArray, moments: Moments) -> _Derived:
        """One code with its score and cross-frame values."""
        context, sums = self._context, self._whole.entries
        table = np.append(values, novel)
        variable = DerivedVariable(
            munge([f"{self._column.name}_{code}"])[0],
            self._column.name,
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
            return _Derived.unsupervised(variable, table)
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
    ) -> _Derived:
        """Add the cross-frame values, and score on them what must be scored out of fold."""
        context, nothing = self._context, np.empty(0)
        if not context.supervised:
            return _Derived.unsupervised(variable, table)
        training = self._training
        at_cells = self._folds.at_cells(entries(self._folds))
        cells = np.zeros(len(training.table.level))
        cells[training.coded] = at_cells
        if variable.needs_split:
            sums = training.table.cells.take(training.coded)
            points = (at_cells[None], sums.weight[None], sums.total[None])
            moments = None if context.is_binary else Moments.of_points(at_cells, sums).merged()
            score = context.test(moments, points)
            if variable.code in IMPACT and context.options.significance == CALIBRATED:
                sig = level_effects_test(self._whole.entries, context.outcome_powers)
                score = replace(score, sig=np.array([sig]))
            variable = replace(variable, scores=(context.outcome_score(score),))
        if not context.scaled_cross_frame:
            return _Derived(variable, table, cells, nothing, nothing)
        slopes, means = self._slopes(entries(self._scaling))
        if context.options.follows_r:
            filled = lacking() & (self._scaling.view.whole.weight > 0)
            slopes = np.where(filled, variable.slope, slopes)
            means = np.where(filled, variable.mean, means)
        return _Derived(variable, table, cells, slopes, means)

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
