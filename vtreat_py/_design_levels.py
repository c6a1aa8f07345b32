"""Learning a categorical column: from its level table to its treatment and its cross-frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vtreat_py._columns import LevelColumn
from vtreat_py._design_context import DesignContext, digest
from vtreat_py._levels import Levels
from vtreat_py._names import munge
from vtreat_py._options import Y_AWARE
from vtreat_py._treatment import DerivedVariable, LevelTreatment
from vtreat_py._typing import BoolArray, FloatArray, IntArray
from vtreat_py.coders.cat_b import cat_b
from vtreat_py.coders.cat_d import cat_d, has_scorable_level
from vtreat_py.coders.cat_n import cat_n
from vtreat_py.coders.cat_p import cat_p
from vtreat_py.coders.lev import indicator_moments, indicator_points, tracked_levels
from vtreat_py.coders.pooling import PooledLevels, pool_levels
from vtreat_py.statistics.level_table import LevelTable
from vtreat_py.statistics.level_view import (
    LevelView,
    held_out_view,
    training_view,
    whole_view,
)
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums
from vtreat_py.statistics.tally import CellIndex, Rows, tally

# An impact code must go up with the outcome by more than rounding.
_NO_COVARIANCE = 1e-12


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
    codes, levels = column.encode()
    table, index = tally(codes, len(levels) + 1, context.rows)
    whole = whole_view(table)
    if int((whole.entries.weight > 0).sum()) < 2:
        return "it has one level only"
    learner = _Learner(context, column, levels, table, whole, codes)
    derived = learner.indicators() + learner.codes()
    if not derived:
        return "none of the codes asked for can be built from it"
    treatment = LevelTreatment(
        column.name,
        levels,
        learner.slots(),
        {d.variable.code: d.table for d in derived if d.table is not None},
        tuple(d.variable for d in derived),
        digest(column),
    )
    return LearnedLevels(
        treatment,
        index,
        table.fold,
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


class _Learner:
    """The steps of learning one column, in the order they are taken."""

    def __init__(
        self,
        context: DesignContext,
        column: LevelColumn,
        levels: Levels,
        table: LevelTable,
        whole: LevelView,
        codes: IntArray,
    ) -> None:
        options = context.options
        self._context = context
        self._column = column
        self._levels = levels
        self._table = table
        self._whole = whole
        self._pooled = self._pool(whole)
        self._tracked, self._pool_tracked = tracked_levels(self._pooled, options.min_fraction)
        self._distinct = int((whole.entries.weight > 0).sum())
        if context.supervised:
            self._coded = np.flatnonzero(table.fold < context.folds.n_folds)
            self._dense = context.scaled_cross_frame or bool(
                options.rare_sig is not None and options.rare_sig < 1
            )
            self._trained = self._training_table(codes)
            self._view, self._entry = self._fold_view()
            self._fold_pooled = self._pool(self._view)

    def _pool(self, view: LevelView) -> PooledLevels:
        options = self._context.options
        return pool_levels(view, options.rare_count, options.rare_sig, self._context.is_binary)

    def _fold_view(self) -> tuple[LevelView, IntArray | None]:
        """What each fold's training rows know, and the entry of each coded cell (None: equal)."""
        context, table = self._context, self._table
        n_folds = context.folds.n_folds
        if self._trained is None and not self._dense:
            return held_out_view(table, n_folds), None
        entry = table.fold[self._coded].astype(np.intp) * table.n_levels
        view = training_view([self._known_to(k) for k in range(n_folds)])
        return view, entry + table.level[self._coded]

    def _training_table(self, codes: IntArray) -> LevelTable | None:
        """Sums by (level, training set), where training sets are not "all other folds"."""
        folds, outcome = self._context.folds, self._context.outcome
        if folds.training is None:
            return None
        rows, owner = folds.training
        weight = None if outcome.weight is None else outcome.weight[rows]
        trained = Rows(outcome.y[rows], weight, owner, folds.n_folds, outcome.centre)
        return tally(codes[rows], self._table.n_levels, trained)[0]

    def _known_to(self, fold: int) -> OutcomeSums:
        """Level sums over the training rows of a fold."""
        if self._trained is None:
            return self._table.held_out(fold).by_level()
        return self._trained.only(fold).by_level()

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
        slots = [int(s) for s in np.flatnonzero(self._tracked)]
        slots.sort(key=self._level_order)
        pool = [self._levels.novel] if self._pool_tracked[0] else []
        first = 1 if slots and slots[0] == self._levels.missing else 0
        slots[first:first] = pool
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
                float(score.rsq[i]),
                float(score.sig[i]),
                self._context.options.force_split,
                0.0,
                float(score.slope[i]),
                float(moments.x[i]),
            )
            entries, lacking = self._indicator_entries(slot)
            derived.append(self._with_cross(variable, None, entries, lacking))
        return derived

    def _sums_of(self, slots: list[int]) -> OutcomeSums:
        """Sums of the rows that each slot marks."""
        pool, entries = self._pooled.pool, self._whole.entries
        both = OutcomeSums.joined([entries, pool])
        return both.take(np.array(slots, dtype=np.intp))

    def _level_order(self, slot: int) -> tuple[bool, str, str]:
        """Missing first, then levels by code point."""
        if slot == self._levels.missing:
            return False, "", ""
        level = self._levels[slot]
        return True, str(level), type(level).__name__

    def _key(self, slot: int) -> str:
        if slot == self._levels.missing:
            return "NA"
        return "rare" if slot == self._levels.novel else f"x {self._levels[slot]}"

    def _indicator_entries(self, slot: int) -> tuple[FloatArray, BoolArray]:
        """Values of an indicator at the entries of the fold view, and the folds without it."""
        if not self._context.supervised:
            return np.empty(0), np.empty(0, dtype=bool)
        view, pooled = self._view, self._fold_pooled
        tracked, pool_tracked = tracked_levels(pooled, self._context.options.min_fraction)
        if slot != self._levels.novel:
            marked = view.level == slot
            has = np.bincount(view.group[marked & tracked], minlength=view.n_groups) > 0
            return marked.astype(np.float64), ~has
        # A fold that would not track its own pool marks the levels that all rows pool.
        in_plan = self._pooled.pooled[view.level]
        values = np.where(pool_tracked[view.group], pooled.pooled, in_plan)
        return values.astype(np.float64), ~pool_tracked

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
        present = values[sums.weight > 0]
        if present.min() == present.max():
            return None
        moments = Moments.of_points(values, sums).merged()
        size = float(np.sqrt(moments.xx[0] * moments.yy[0]))
        if code in ("catB", "catN") and moments.xy[0] <= _NO_COVARIANCE * size:
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
            needs_split=True,
            extra_model_degrees=float(self._distinct - 1),
            slope=float(
                context.slopes(moments, (values[None], sums.weight[None], sums.total[None]))[0]
            ),
            mean=float(moments.x[0]),
        )
        if not context.supervised:
            return self._with_cross(variable, table, np.empty(0), np.empty(0, dtype=bool))
        entries, _ = self._compute(code, self._fold_pooled)
        lacking = np.zeros(self._view.n_groups, dtype=bool)
        if code not in Y_AWARE or context.options.follows_r:
            lacking = self._folds_without(code, entries)
            entries = np.where(lacking[self._view.group], table[self._view.level], entries)
        return self._with_cross(variable, table, entries, lacking)

    def _folds_without(self, code: str, entries: FloatArray) -> BoolArray:
        """Folds whose training rows do not support a code.

        Three levels and two values settle most folds; the others are looked at one by one.
        """
        view = self._view
        known = view.entries.weight > 0
        low, high = np.full(view.n_groups, np.inf), np.full(view.n_groups, -np.inf)
        np.minimum.at(low, view.group[known], entries[known])
        np.maximum.at(high, view.group[known], entries[known])
        distinct = view.sum(lambda sums: (sums.weight > 0).astype(np.float64))
        lacking = np.zeros(view.n_groups, dtype=bool)
        for k in np.flatnonzero((distinct <= 2) | ~(low < high)):
            alone = training_view([self._known_to(int(k))])
            lacking[k] = self._supported(code, self._pool(alone)) is None
        return lacking

    def _with_cross(
        self,
        variable: DerivedVariable,
        table: FloatArray | None,
        entries: FloatArray,
        lacking: BoolArray,
    ) -> _Derived:
        """Add the cross-frame values, and score on them what must be scored out of fold."""
        context = self._context
        nothing = np.empty(0)
        if not context.supervised:
            return _Derived(variable, table, nothing, nothing, nothing)
        at_cells = entries if self._entry is None else entries[self._entry]
        cells = np.zeros(len(self._table.level))
        cells[self._coded] = at_cells
        if variable.needs_split:
            sums = self._table.cells.take(self._coded)
            points = (at_cells[None], sums.weight[None], sums.total[None])
            moments = None if context.is_binary else Moments.of_points(at_cells, sums).merged()
            score = context.test(moments, points)
            variable = replace(variable, rsq=float(score.rsq[0]), sig=float(score.sig[0]))
        if not context.scaled_cross_frame:
            return _Derived(variable, table, cells, nothing, nothing)
        view = self._view
        moments = Moments.of_points(entries, view.entries).grouped(view.group, view.n_groups)
        shape = (view.n_groups, self._table.n_levels)
        points = (
            entries.reshape(shape),
            view.entries.weight.reshape(shape),
            view.entries.total.reshape(shape),
        )
        slopes, means = context.slopes(moments, points), moments.x
        if context.options.follows_r:
            slopes = np.where(lacking, variable.slope, slopes)
            means = np.where(lacking, variable.mean, means)
        return _Derived(variable, table, cells, slopes, means)
