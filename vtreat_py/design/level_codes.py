"""The codes of one categorical column, for one outcome: built, scored, crossed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, IntArray
from vtreat_py.base.names import munge
from vtreat_py.coders.code import (
    ColumnLevels,
    FoldValues,
    LevelCode,
    LevelVariable,
    LevelVariables,
)
from vtreat_py.coders.in_parts import InParts
from vtreat_py.coders.lev import Lev
from vtreat_py.coders.pooling import PooledLevels
from vtreat_py.coders.prior import BY_LIKELIHOOD
from vtreat_py.coders.table_code import Impact, ImpactCode
from vtreat_py.design.beyond_parts import BeyondParts
from vtreat_py.design.calibrated import CalibratedTests
from vtreat_py.design.combined import CombinedTests
from vtreat_py.design.context import DesignContext
from vtreat_py.design.facts import LevelFacts, LevelRows
from vtreat_py.design.scoring import (
    by_values,
    combined_slopes,
    outcome_score,
    regression,
    score,
    slopes,
)
from vtreat_py.design.training_sets import TrainingSets, pool
from vtreat_py.plan.level_statistics import LevelOutcome
from vtreat_py.plan.variables import DerivedVariable, DroppedCode
from vtreat_py.significance.combination import cauchy_combination
from vtreat_py.statistics.level_view import LevelView
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.outcome_sums import OutcomeSums, reaches

# Rows of the rarer class for each indicator that a model is given: fewer, and what it learns is off
# (E. Ogundimu, D. Altman and G. Collins, Journal of Clinical Epidemiology 76, 2016).
_EVENTS = 20.0
_TWO_LEVELS = 2
# Directions of texts that the outcome is tested along, where that takes rows.
_ALONG = 8


@dataclass(frozen=True, eq=False)
class DerivedLevels:
    """A derived variable with its values: by code (the plan), by cell (the cross-frame).

    Weights are those of texts, and parts what those say, which the plan has for novel levels (see
    `LevelVariable`).
    """

    variable: DerivedVariable
    table: FloatArray | None
    cells: FloatArray
    slopes: FloatArray
    means: FloatArray
    weights: FloatArray | None = None
    parts: tuple[FloatArray, ...] | None = None

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


def _deviation(values: FloatArray, weight: FloatArray) -> float:
    mean = (weight * values).sum() / weight.sum()
    return float(np.sqrt((weight * (values - mean) ** 2).sum() / weight.sum()))


class LevelLearner:
    """The steps of learning one column, in the order they are taken.

    ``training`` is None without an outcome.
    """

    def __init__(
        self,
        context: DesignContext,
        codes: Sequence[LevelCode],
        facts: LevelFacts,
        whole: LevelView,
        training: TrainingSets | None,
    ) -> None:
        self._context, self._facts, self._whole = context, facts, whole
        if facts.parts is not None:
            parts = facts.parts
            codes = [InParts(c, parts) if isinstance(c, ImpactCode) else c for c in codes]
        self._pooled = pool(context, whole, facts.grouped_whole(self._contrast))
        rows = None if facts.training_rows is None else facts.training_rows[self._contrast]
        self._column = ColumnLevels(
            facts.name,
            facts.levels,
            self._pooled,
            context.options,
            codes,
            lambda: facts.texts,
            facts.order,
            rows,
        )
        self.declined: list[str] = []
        self._training = training
        if training is not None:
            self._folds = training.for_codes(context)
            if context.scaled_cross_frame:
                self._scaling = training.for_slopes(context)

    @property
    def _contrast(self) -> int:
        return self._context.class_number or 0

    def derived(self) -> list[DerivedLevels]:
        """Build all that is asked for."""
        derived = [(one, code) for code in self._column.beside for one in self._of_code(code)]
        return [
            self._beyond_parts(one, by_impact=isinstance(code, Impact)) for one, code in derived
        ]

    @cached_property
    def _beyond(self) -> float | None:
        """p-value of the hypothesis that parts that are crossed add up."""
        facts = self._facts
        if facts.parts is None or facts.parts.nested or not self._context.supervised:
            return None
        return BeyondParts(self._context, facts.parts, self._whole.entries, facts.rows).sig

    def _beyond_parts(self, one: DerivedLevels, *, by_impact: bool) -> DerivedLevels:
        """Test what a variable says beyond the parts, too, which are variables by themselves."""
        if self._beyond is None:
            return one
        least = self._beyond
        scores = tuple(
            replace(score, sig=least if by_impact else max(least, score.sig))
            for score in one.variable.scores
        )
        return replace(one, variable=replace(one.variable, scores=scores))

    def dropped(self, target: Any, derived: Sequence[DerivedLevels]) -> list[DroppedCode]:
        """Codes that were dropped for what the outcome said; R's rules do not count them."""
        if self._context.calibrated is None:
            return []
        made = Counter(d.variable.code for d in derived)
        tests = _LevelTests(self._context, self._facts, self._whole.entries, None, self._pooled)
        found = []
        for code in self._column.beside:
            if n := code.ruled_out(self._column, made[code.name]):
                sig = code.significance(tests) if code.y_aware else None
                sig = 1.0 if sig is None else sig
                sig = sig if self._beyond is None else max(sig, self._beyond)
                found.append(DroppedCode(self._facts.name, code.name, target, sig, n))
        return found

    def slots(self) -> IntArray:
        """What each code is taken for; see `LevelTreatment`."""
        novel = self._facts.levels.novel
        slots = np.arange(novel + 1, dtype=np.int32)
        slots[:novel][self._pooled.pooled] = novel
        slots[:novel][self._pooled.suppressed] = -1
        if self._pooled.pool_suppressed[0]:
            slots[slots == novel] = -1
        return slots

    @cached_property
    def seen(self) -> OutcomeSums:
        """Sums of each level, of the missing one, and of the pool."""
        return OutcomeSums.joined([self._whole.entries, self._pooled.pool])

    def outcome(
        self, target: Any, slots: IntArray, derived: list[DerivedLevels]
    ) -> LevelOutcome | None:
        """Describe the outcome in each level, and its effect: the impact code, derived or not.

        None where no impact code was asked for.
        """
        code = next((c for c in self._column.beside if isinstance(c, Impact)), None)
        if code is None:
            return None
        pooled, whole, options = self._pooled, self._whole.whole, self._context.options
        believed = pooled.worth
        effect = next((d.table for d in derived if d.variable.code == code.name), None)
        if effect is None:
            effect = np.append(*code.values(pooled, options))
        sums = self.seen
        return LevelOutcome(
            target=target,
            mean=np.where(sums.weight > 0, sums.mean + sums.centre, 0.0),
            effect=effect,
            slots=slots,
            overall=float(whole.mean[0]) + whole.centre,
            prior_weight=float(code.prior(believed, options)[0]),
            within=code.within(believed),
            per_exposure=self._context.is_rate,
            worth=None if believed is pooled else believed.size,
        )

    def _of_code(self, code: LevelCode) -> list[DerivedLevels]:
        """The variables of one code, with their scores and cross-frame values."""
        made, context = code.made(self._column), self._context
        if isinstance(made, str):
            self.declined.append(made)
            return []
        if made is None:
            return []
        scores = None
        if not code.is_crossed:
            fit = regression(context, made.points)
            tests = _LevelTests(context, self._facts, self._whole.entries, made, self._pooled)
            scores = score(context, made.moments, fit, made.sample, by_rows=tests.by_rows)
        own = slopes(context, made.moments, made.points) if scores is None else scores.slope
        names = munge([f"{self._facts.name}_{one.label}" for one in made.variables])
        few_events = self._few_events(code, made.moments)
        derived = []
        for i, (one, name) in enumerate(zip(made.variables, names, strict=True)):
            variable = DerivedVariable(
                name,
                self._facts.name,
                code.name,
                one.level,
                one.slot,
                scores=(outcome_score(context, scores, i),),
                needs_split=code.is_crossed or context.options.force_split,
                extra_model_degrees=made.degrees,
                slope=float(own[i]),
                mean=float(made.moments.x[i]),
                few_events=bool(few_events[i]),
            )
            derived.append(self._with_cross(code, made, one, variable))
        if code.most_apart < math.inf and not self._on_one_scale(derived[0], code.most_apart):
            return []
        return derived

    def _few_events(self, code: LevelCode, indicators: Moments) -> BoolArray:
        """Indicators that few rows of the rarer class are expected to have, were they noise.

        Not of a column of two levels, whose indicator is the column itself.
        """
        context, n_levels = self._context, np.count_nonzero(self._whole.entries.weight)
        of_two_classes = context.outcome.kind == "binomial" and context.class_number is None
        if code.name != Lev.name or not of_two_classes or n_levels <= _TWO_LEVELS:
            return np.zeros(len(indicators.x), dtype=bool)
        rarer = np.minimum(indicators.y, 1.0 - indicators.y)
        return ~reaches(indicators.weight * indicators.x * rarer, _EVENTS)

    def _on_one_scale(self, made: DerivedLevels, most: float) -> bool:
        """Whether a code that is shrunk varies in the cross-frame about as much as in the plan.

        Where folds say that levels differ by chance only, and all rows that they do not, or the
        other way round, a model trained on the one would be wrong about the other.
        """
        training = self._training
        if training is None or self._context.options.shrinkage not in BY_LIKELIHOOD:
            return True
        assert made.table is not None
        weight, in_plan = training.table.cells.weight, made.table[training.table.level]
        crossed, planned = (_deviation(values, weight) for values in (made.cells, in_plan))
        return planned <= most * crossed and crossed <= most * planned

    def _with_cross(
        self, code: LevelCode, made: LevelVariables, one: LevelVariable, variable: DerivedVariable
    ) -> DerivedLevels:
        """Add the cross-frame values, and score on them what must be scored out of fold."""
        context, training, nothing = self._context, self._training, np.empty(0)
        novel = one.weights, one.parts
        if training is None:
            return DerivedLevels(variable, one.table, nothing, nothing, nothing, *novel)
        in_folds = one.in_folds(self._folds)
        at_cells = self._folds.at_cells(in_folds.values(self._folds.pooled))
        cells = np.zeros(len(training.table.level))
        cells[training.coded] = at_cells
        if variable.needs_split:
            crossed = by_values(context, at_cells, training.coded_cells)
            if context.calibrated is not None:
                tests = _LevelTests(context, self._facts, self._whole.entries, made, self._pooled)
                sig = code.significance(tests) if code.is_crossed else variable.sig
                crossed = crossed if sig is None else replace(crossed, sig=np.array([sig]))
            variable = replace(variable, scores=(outcome_score(context, crossed),))
        if not context.scaled_cross_frame:
            return DerivedLevels(variable, one.table, cells, nothing, nothing, *novel)
        slope, mean = self._scales(in_folds, variable)
        return DerivedLevels(variable, one.table, cells, slope, mean, *novel)

    def _scales(
        self, in_folds: FoldValues, variable: DerivedVariable
    ) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of a variable in each fold's training set."""
        view, context = self._scaling.view, self._context
        values, sums = in_folds.values(self._scaling.pooled), view.entries
        moments = Moments.of_points(values, sums).grouped(view.group, view.n_groups)
        shape = view.n_groups, -1
        points = values.reshape(shape), sums.weight.reshape(shape), sums.total.reshape(shape)
        slope, mean = slopes(context, moments, points), moments.x
        if context.options.follows_r:
            filled = in_folds.lacking(self._scaling.pooled) & (view.whole.weight > 0)
            slope = np.where(filled, variable.slope, slope)
            mean = np.where(filled, variable.mean, mean)
        return slope, mean


@dataclass(frozen=True, eq=False)
class _LevelTests:
    """The `LevelTests` of a column, from all rows: they do not need the cross-frame."""

    context: DesignContext
    facts: LevelFacts
    sums: OutcomeSums
    made: LevelVariables | None
    pooled: PooledLevels

    @property
    def _tests(self) -> CalibratedTests:
        assert self.context.calibrated is not None
        return self.context.calibrated

    @property
    def _contrast(self) -> int:
        return self.context.class_number or 0

    @property
    def _rows(self) -> LevelRows | None:
        """The rows, where sums are not enough."""
        return self.facts.rows if self.context.tests_rows else None

    def correlation(self) -> float:
        """Whether the outcome goes up or down with the variable."""
        assert self.made is not None
        sig = self.by_rows(0)
        if sig is None:
            sig = float(self._tests.correlation(self.made.moments, self.made.sample)[0])
        return sig

    def by_rows(self, place: int) -> float | None:
        """The same for one of several variables, by rows."""
        if self._rows is None:
            return None
        assert self.made is not None
        variable, levels = self.made.variables[place], self.facts.levels
        values = variable.table
        if values is None:
            marks = np.arange(levels.novel) == variable.slot
            is_pool = variable.slot == levels.novel
            values = (self.pooled.pooled if is_pool else marks).astype(np.float64)
        return self._rows.correlation(self._contrast, values[: levels.novel])

    def effects(self) -> float:
        """Whether the outcome differs from level to level."""
        if self._rows is not None:
            return self._rows.level_effects(self._contrast)
        means, combined = self._tests.levels(self.sums), self.context.combined
        if combined is None or self.facts.rows is None:
            return means
        return combined.levels(means, self.facts.rows.score_sums)

    def spread(self) -> float | None:
        """Whether it varies more in some levels than in others."""
        return None if self.facts.rows is None else self.facts.rows.spread()

    def texts(self) -> float:
        """Whether the outcome differs from level to level, or with the texts of levels."""
        if self._rows is not None:
            p_values = self._along_texts(self._rows)
        elif self.context.combined is None:
            return self.effects()
        else:
            p_values = [self._by_texts(self.context.combined)]
        share = 1.0 / len(p_values)
        if not (self.sums.weight > 1.0).any():  # levels of one row tell nothing by themselves
            return cauchy_combination(p_values, [share] * len(p_values))
        weights = [0.5, *[0.5 * share] * len(p_values)]
        return cauchy_combination([self.effects(), *p_values], weights)

    def _by_texts(self, combined: CombinedTests) -> float:
        """Whether the outcome goes with texts, by sums."""
        features, rows = self.facts.texts, self.facts.rows
        of_scores = None if rows is None else lambda: rows.score_sums().take(features.places)
        return combined.similar_levels(self.sums.take(features.places), features.points, of_scores)

    def _along_texts(self, rows: LevelRows) -> list[float]:
        """Whether it goes with single directions of texts, by rows."""
        features = self.facts.texts
        along = features.along(_ALONG)
        values = np.zeros((along.shape[1], self.facts.levels.novel))
        values[:, features.places] = along.T
        return [rows.correlation(self._contrast, one) for one in values]
