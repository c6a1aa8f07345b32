"""Learning a numeric column: from its moments to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from vtreat_py._column_treatment import DerivedVariable, NumericTreatment
from vtreat_py._columns import NumericColumn
from vtreat_py._design_context import (
    NO_BAD_VALUES,
    NO_CODE_APPLIES,
    DesignContext,
    Points,
    combined_slopes,
    digest,
)
from vtreat_py._names import munge
from vtreat_py._number_profile import NumberProfile
from vtreat_py._options import NUMERIC_CODERS
from vtreat_py._typing import BoolArray, FloatArray, IntArray, NumberArray
from vtreat_py.coders.clean import clean, imputed_value, scale_in_place
from vtreat_py.coders.lev import indicator_moments, indicator_points, indicator_sample
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.coordinates import Coordinates
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.numeric_sums import NumericSums
from vtreat_py.statistics.quantiles import weighted_quantiles

# Folds with less variation than this share of all of it are looked at value by value.
_NEARLY_CONSTANT = 1e-9


@dataclass(frozen=True, eq=False)
class LearnedNumbers:
    """A treated numeric column, and what is needed to write its cross-frame."""

    treatment: NumericTreatment
    learner: _Learner

    def write_cross(self, place: int, scale: bool, collar: bool, out: FloatArray) -> None:
        """Write the cross-frame column of the variable at ``place`` to ``out``."""
        self.learner.write_cross(self.treatment.variables[place], scale, collar, out)

    def fold_slopes(self, place: int) -> FloatArray:
        """y-aware slope of the variable at ``place`` in each fold."""
        return self.learner.fold_scales(self.treatment.variables[place])[0][:-1]


def learn_numbers(column: NumericColumn, context: DesignContext) -> LearnedNumbers | str:
    """Learn a numeric column; a string says why nothing can be derived from it."""
    if not set(context.coders) & set(NUMERIC_CODERS):
        return NO_CODE_APPLIES
    learner = _Learner(column, context)
    if not learner.has_good:
        return "it has no finite value"
    variables = learner.variables()
    if not variables:
        if learner.varies:
            return NO_BAD_VALUES
        return "it is constant"
    lower, upper = learner.cuts(None)
    treatment = NumericTreatment(
        column.name,
        column.kind,
        learner.value,
        lower,
        upper,
        variables,
        digest(column),
        learner.profile,
    )
    return LearnedNumbers(treatment, learner)


class _Learner:
    """The steps of learning one column."""

    def __init__(self, column: NumericColumn, context: DesignContext) -> None:
        self._column = column
        self._context = context
        self._weight = context.outcome.weight
        good = column.bad is None or not column.bad.all()
        if good and self._weight is not None:
            good = bool((self._good & (self._weight > 0)).any())
        self.has_good = good
        if not good:
            return
        counted, counted_weight = self._known_to(None)
        self._coordinates = Coordinates.near(counted)
        self._sums = self._sums_by(context.folds.fold, context.folds.n_blocks, None)
        self._wholes = [sums.merged() for sums in self._sums]
        self._whole = self._wholes[0]  # for what does not depend on the outcome
        bad_weight = float(self._whole.bad.weight[0])
        self.profile = NumberProfile.of_values(counted, counted_weight, bad_weight)
        low, high = self._range = self.profile.low, self.profile.high
        self.value = self._imputed_value(None)
        self._marks_bad = bad_weight > 0
        self.varies = low < high or (self._marks_bad and self.value != low)

    @cached_property
    def _good(self) -> BoolArray:
        bad = self._column.bad
        return np.ones(len(self._column), dtype=bool) if bad is None else ~bad

    def _known_to(self, fold: int | None) -> tuple[NumberArray, FloatArray | None]:
        """Good values of the rows that count, with their weights (None: all 1).

        Of all rows, or of a fold's training rows.
        """
        column, weight, repeated = self._column, self._weight, False
        if fold is not None:
            repeated = self._context.folds.training is not None
            weight = self._context.folds.training_weight(fold, self._weight)
        if weight is None:
            return (column.values if column.bad is None else column.values[self._good]), None
        counted = self._good & (weight > 0)
        weighted = self._weight is not None or repeated
        return column.values[counted], weight[counted] if weighted else None

    def _sums_by(self, group: IntArray, n_groups: int, rows: IntArray | None) -> list[NumericSums]:
        """Sums of the column by a grouping of all rows, or of the given ones, for each contrast.

        Sums by group and class are enough for all classes.
        """
        outcome, column, n_classes = self._context.outcome, self._column, self._context.n_classes
        x, y, w, bad = column.values, outcome.y, self._weight, column.bad
        if rows is not None:
            x, y = x[rows], y[rows]
            w = None if w is None else w[rows]
            bad = None if bad is None else bad[rows]
        x = self._coordinates.inner(x)
        if not n_classes:
            return [NumericSums.of_rows(group, n_groups, x, bad, y, w, outcome.centre)]
        pair = np.add(group.astype(np.intp) * n_classes, y, dtype=np.intp)
        none = np.zeros(len(y), dtype=np.int8)
        sums = NumericSums.of_rows(pair, n_groups * n_classes, x, bad, none, w, 0.0)
        return [sums.of_class(k, n_classes) for k in range(n_classes)]

    @cached_property
    def _trainings(self) -> list[NumericSums]:
        """Sums over each fold's training rows, for each contrast."""
        folds = self._context.folds
        if folds.training is not None:
            rows, owner = folds.training
            return self._sums_by(owner, folds.n_folds, rows)
        if folds.in_order:
            return [sums.all_before() for sums in self._sums]
        return [sums.all_but_own().take(slice(folds.n_folds)) for sums in self._sums]

    @property
    def _training(self) -> NumericSums:
        """The same, for what does not depend on the outcome."""
        return self._trainings[0]

    def _imputed_value(self, fold: int | None) -> float:
        """What stands for bad values, learned on all rows or on a fold's training rows."""
        imputer = self._context.options.imputer(self._column.name)
        if isinstance(imputer, int | float):
            return float(imputer)
        if imputer == "mean":
            good = self._whole.good if fold is None else self._training.good
            place = 0 if fold is None else fold
            # Without a good training value nothing was learned: use the value of all rows.
            if good.weight[place] <= 0:
                return self.value
            return float(np.clip(self._coordinates.outer(good.x[place]), *self._range))
        values, weight = self._known_to(fold)
        if not len(values):
            return self.value
        return imputed_value(self._column.name, imputer, values.astype(np.float64), weight)

    @cached_property
    def _fold_values(self) -> FloatArray:
        """Imputed value of each fold."""
        n_folds = self._context.folds.n_folds
        as_r = self._context.n_classes > 0 and self._context.options.follows_r
        if self._column.bad is None or as_r:  # R codes by fold only what is built for a class
            return np.full(n_folds, self.value)
        values = np.array([self._imputed_value(k) for k in range(n_folds)])
        return np.where(self._constant_in, self.value, values)

    @cached_property
    def _constant_in(self) -> BoolArray:
        """Folds whose training rows hold one value of the clean column only."""
        good, bad = self._training.good, self._training.bad
        constant = good.xx <= _NEARLY_CONSTANT * self._whole.good.xx
        for k in np.flatnonzero(constant):
            values, _ = self._known_to(int(k))
            if len(values):
                one = bool(values.min() == values.max())
                filled = bad.weight[k] == 0 or self._fills_with(int(k), float(values[0]))
                constant[k] = one and filled
        return np.asarray(constant)

    def _fills_with(self, fold: int, only: float) -> bool:
        """Whether bad values of a fold get the one good value that it has."""
        mean = self._context.options.imputer(self._column.name) == "mean"
        return mean or self._imputed_value(fold) == only

    def cuts(self, fold: int | None) -> tuple[float, float]:
        """Collar cuts, learned on all rows or on a fold's training rows."""
        p = self._context.options.collar_prob
        values, weight = self._known_to(fold)
        if not len(values):
            return self.cuts(None)
        if p == 0:
            return float(values.min()), float(values.max())
        low, high = weighted_quantiles(values, weight, [p, 1.0 - p])
        return float(low), float(high)

    def _cleaned(self, by_fold: bool) -> NumberArray:
        """The column with bad values imputed: of all rows, or out of fold of the coded rows."""
        values, bad = self._column.values, self._column.bad
        if not by_fold:
            return clean(values, bad, self.value)
        rows, fold = self._context.folds.coding
        if bad is None:
            return values[rows]
        imputed = np.append(self._fold_values, self.value)
        return clean(values[rows], bad[rows], imputed[fold])

    def _marked(self) -> BoolArray:
        """Bad values of the coded rows."""
        assert self._column.bad is not None
        return self._column.bad[self._context.folds.coding[0]]

    def variables(self) -> tuple[DerivedVariable, ...]:
        """Build the clean copy and the mark of bad values, as far as they apply and vary."""
        coders, built = self._context.coders, []
        if "clean" in coders and self.varies:
            built.append(self._clean_variable())
        if "isBAD" in coders and self._marks_bad:
            built.append(self._bad_variable())
        return tuple(built)

    def _clean_variable(self) -> DerivedVariable:
        value, contrasts = self._inner(self.value), self._context.contrasts
        moments = [whole.imputed(value) for whole in self._wholes]
        points: list[Points | None] = [None]
        if contrasts[0].is_binary:
            cleaned = self._inner(self._cleaned(by_fold=False))
            points = [_row_points(cleaned, c.outcome.y, self._weight) for c in contrasts]
        sample = cache(lambda _: self._clean_sample(value))
        scores = [
            c.score(m, p, sample, self._reach(m, value))
            for c, m, p in zip(contrasts, moments, points, strict=True)
        ]
        return replace(
            self._variable("clean", scores, lambda: self._inner(self._cleaned(by_fold=True))),
            slope=float(combined_slopes([s.slope for s in scores])[0] / self._coordinates.unit),
            mean=float(self._coordinates.outer(moments[0].x[0])),
        )

    def _reach(self, moments: Moments, imputed: FloatArray) -> float:
        """Largest standardised size of the clean copy."""
        ends = np.append(self._inner(np.array(self._range)), imputed) - moments.x[0]
        spread = float(np.sqrt(moments.xx[0] / moments.weight[0]))
        return float(np.abs(ends).max()) / spread if spread > 0 else np.inf

    def _clean_sample(self, imputed: FloatArray) -> Sample:
        """The clean copy over all rows."""
        values = self._coordinates.inner(self._column.values)
        return Sample.of_values(clean(values, self._column.bad, imputed), self._weight)

    def _bad_variable(self) -> DerivedVariable:
        contrasts = self._context.contrasts
        marks = list(map(_mark, contrasts, self._wholes))
        on, weight = self._whole.bad.weight[0], self._whole.outcome().weight[0]
        scores = [
            c.score(*mark, lambda _: indicator_sample(on, weight))
            for c, mark in zip(contrasts, marks, strict=True)
        ]
        return replace(
            self._variable("isBAD", scores, lambda: self._marked().astype(np.float64)),
            slope=float(combined_slopes([s.slope for s in scores])[0]),
            mean=float(marks[0][0].x[0]),
        )

    def _variable(
        self, code: str, scores: list[Score], crossed: Callable[[], FloatArray]
    ) -> DerivedVariable:
        """A variable with its scores, on its cross-frame column where the options say so."""
        context, name = self._context, str(self._column.name)
        split = context.options.force_split
        if split and context.supervised:
            column = crossed()
            scores = [
                self._cross_score(contrast, column, score)
                for contrast, score in zip(context.contrasts, scores, strict=True)
            ]
        return DerivedVariable(
            munge([name if code == "clean" else f"{name}_{code}"])[0],
            self._column.name,
            code,
            scores=tuple(map(DesignContext.outcome_score, context.contrasts, scores)),
            needs_split=split,
        )

    def _inner(self, values: NumberArray | float) -> FloatArray:
        return self._coordinates.inner(np.atleast_1d(values))

    def _cross_score(self, context: DesignContext, values: FloatArray, whole: Score) -> Score:
        """Score a cross-frame column on the rows that have one; calibrated p-values stay."""
        if context.folds.repeats is not None:
            coded = context.coded_rows
            x, y, weight = values, coded.y, coded.weight
        else:
            folds = context.folds
            rows = slice(None) if folds.covers_all_rows else folds.cross_rows()
            x, y = values[rows], context.outcome.y[rows]
            weight = None if self._weight is None else self._weight[rows]
        if context.is_binary:
            score = context.test(None, _row_points(x, y, weight))
        else:
            one = np.zeros(len(x), dtype=np.intp)
            score = context.test(Moments.of_rows(one, 1, x, y, weight), None)
        return score if context.calibrated is None else replace(score, sig=whole.sig)

    def write_cross(
        self, variable: DerivedVariable, scale: bool, collar: bool, out: FloatArray
    ) -> None:
        """Write the cross-frame column of a variable to ``out``."""
        folds = self._context.folds
        _, fold = folds.coding
        if variable.code == "isBAD":
            out[:] = self._marked()
        else:
            out[:] = self._cleaned(by_fold=True)
            if collar:
                cuts = np.array([*(self.cuts(k) for k in range(folds.n_folds)), self.cuts(None)])
                np.clip(out, cuts[fold, 0], cuts[fold, 1], out=out)
        if scale:
            slope, mean = self.fold_scales(variable)
            scale_in_place(out, slope[fold], mean[fold])

    def fold_scales(self, variable: DerivedVariable) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        contrasts, training = self._context.contrasts, self._training
        if variable.code == "isBAD":
            marks = list(map(_mark, contrasts, self._trainings))
            slopes = [c.slopes(*mark) for c, mark in zip(contrasts, marks, strict=True)]
            slope, mean = combined_slopes(slopes), marks[0][0].x
            lacking = (training.bad.weight <= 0) | (training.good.weight <= 0)
        else:
            slopes = list(map(self._clean_slopes, contrasts, self._trainings))
            slope = combined_slopes(slopes) / self._coordinates.unit
            mean = self._coordinates.outer(training.imputed(self._inner(self._fold_values)).x)
            lacking = self._constant_in
        if self._context.options.follows_r:
            lacking = lacking & (training.outcome().weight > 0)  # no past: nothing may be known
            slope = np.where(lacking, variable.slope, slope)
            mean = np.where(lacking, variable.mean, mean)
        return np.append(slope, 0.0), np.append(mean, 0.0)

    def _clean_slopes(self, context: DesignContext, training: NumericSums) -> FloatArray:
        """y-aware slope of the clean column in each fold, in inner coordinates."""
        if context.link_slopes:
            return np.array([self._link_slope(context, k) for k in range(context.folds.n_folds)])
        return context.slopes(training.imputed(self._inner(self._fold_values)), None)

    def _link_slope(self, context: DesignContext, fold: int) -> float:
        """Logistic slope of the clean column on a fold's training rows."""
        values = clean(self._column.values, self._column.bad, self._fold_values[fold])
        weight = context.folds.training_weight(fold, self._weight)
        values = self._inner(values)
        points = (values[None], weight[None], (weight * context.outcome.y)[None])
        moments = self._training.good  # only the link slope is wanted
        return float(context.slopes(moments, points)[0])


def _mark(context: DesignContext, sums: NumericSums) -> tuple[Moments, Points | None]:
    """Moments of the mark of bad values, and its points where they are asked for."""
    everything = sums.outcome()
    points = indicator_points(sums.bad, everything) if context.is_binary else None
    return indicator_moments(sums.bad, everything), points


def _row_points(x: FloatArray, y: NumberArray, weight: FloatArray | None) -> Points:
    """One point for each row, for a logistic regression."""
    hits = y.astype(np.float64) if weight is None else weight * y
    return x[None], None if weight is None else weight[None], hits[None]
