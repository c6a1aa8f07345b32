"""Learning a numeric column: from its moments to its treatment and its cross-frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray, NumberArray
from vtreat_py.base.names import munge
from vtreat_py.coders.lev import indicator_moments, indicator_points, indicator_sample
from vtreat_py.design.context import NO_BAD_VALUES, DesignContext
from vtreat_py.design.facts import NumberFacts
from vtreat_py.design.scoring import PointSums, combined_slopes
from vtreat_py.plan.options import CALIBRATED
from vtreat_py.plan.treatments import NumericTreatment
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.significance.logistic import logistic_fit
from vtreat_py.significance.newton import LogisticFit
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments
from vtreat_py.statistics.numeric_sums import NumericSums

# Folds with less variation than this share of all of it are looked at value by value.
_NEARLY_CONSTANT = 1e-9


@dataclass(frozen=True, eq=False)
class LearnedNumbers:
    """A treated numeric column, and what is needed to write its cross-frame."""

    treatment: NumericTreatment
    learner: NumberLearner
    statistics = None


def learn_number_facts(facts: NumberFacts, context: DesignContext) -> LearnedNumbers | str:
    """Learn a numeric column from what is known of it; a string says why not."""
    if not facts.has_good:
        return "it has no finite value"
    return NumberLearner(facts, context).learned()


class NumberLearner:
    """The steps of learning one column that has a good value.

    Attributes
    ----------
    value : float
        What stands for bad values.
    """

    def __init__(self, facts: NumberFacts, context: DesignContext) -> None:
        self.context = context
        self._facts = facts
        self._coordinates = facts.coordinates
        self._sums = facts.sums()
        self._wholes = [sums.merged() for sums in self._sums]
        self._whole = self._wholes[0]  # for what does not depend on the outcome
        extent = facts.extent(None)
        assert extent is not None
        self._range = extent
        self.value = self._imputed_value(None)
        any_bad = self._whole.bad.weight[0] > 0
        self.varies = extent[0] < extent[1] or (any_bad and self.value != extent[0])
        self._marks_bad = bool(any_bad)

    def learned(self) -> LearnedNumbers | str:
        """Build what is asked for; a string says why nothing can be derived."""
        variables = self._variables()
        if not variables:
            return NO_BAD_VALUES if self.varies else "it is constant"
        facts, (lower, upper) = self._facts, self._cuts(None)
        profile = facts.profile(float(self._whole.bad.weight[0]))
        treatment = NumericTreatment(
            facts.name, facts.kind, self.value, lower, upper, variables, facts.digest, profile
        )
        return LearnedNumbers(treatment, self)

    @cached_property
    def _trainings(self) -> list[NumericSums]:
        """Sums over each fold's training rows, for each contrast."""
        folds = self.context.folds
        if folds.training is not None:
            return self._facts.training_sums()
        if folds.in_order:
            return [sums.all_before() for sums in self._sums]
        return [sums.all_but_own().take(slice(folds.n_folds)) for sums in self._sums]

    @property
    def _training(self) -> NumericSums:
        """The same, for what does not depend on the outcome."""
        return self._trainings[0]

    def _imputed_value(self, fold: int | None) -> float:
        """What stands for bad values, learned on all rows or on a fold's training rows."""
        imputer = self.context.options.imputer(self._facts.name)
        if isinstance(imputer, int | float):
            return float(imputer)
        if imputer == "mean":
            good = self._whole.good if fold is None else self._training.good
            place = 0 if fold is None else fold
            # Without a good training value nothing was learned: use the value of all rows.
            if good.weight[place] <= 0:
                return self.value
            return float(np.clip(self._coordinates.outer(good.x[place]), *self._range))
        value = self._facts.imputed(fold, imputer)
        return self.value if value is None else value

    @cached_property
    def fold_values(self) -> FloatArray:
        """What stands for bad values in each fold, and in rows that are in none."""
        n_folds = self.context.folds.n_folds
        values = np.full(n_folds + 1, self.value)
        as_r = self.context.n_classes > 0 and self.context.options.follows_r
        if self._facts.has_bad and not as_r:  # R codes by fold only what is built for a class
            learned = [self._imputed_value(k) for k in range(n_folds)]
            values[:-1] = np.where(self._constant_in, self.value, learned)
        return values

    @cached_property
    def _constant_in(self) -> BoolArray:
        """Folds whose training rows hold one value of the clean column only."""
        good, bad = self._training.good, self._training.bad
        constant = good.xx <= _NEARLY_CONSTANT * self._whole.good.xx
        for k in np.flatnonzero(constant):
            extent = self._facts.extent(int(k))
            if extent is not None:
                filled = bad.weight[k] == 0 or self._fills_with(int(k), extent[0])
                constant[k] = extent[0] == extent[1] and filled
        return np.asarray(constant)

    def _fills_with(self, fold: int, only: float) -> bool:
        """Whether bad values of a fold get the one good value that it has."""
        mean = self.context.options.imputer(self._facts.name) == "mean"
        return mean or self._imputed_value(fold) == only

    def _cuts(self, fold: int | None) -> tuple[float, float]:
        """Collar cuts, learned on all rows or on a fold's training rows."""
        p = self.context.options.collar_prob
        if p == 0:
            return self._facts.extent(fold) or self._range
        cuts = self._facts.quantiles(fold, [p, 1.0 - p])
        if cuts is None:
            return self._cuts(None)
        return float(cuts[0]), float(cuts[1])

    def fold_cuts(self) -> FloatArray:
        """Collar cuts of each fold, and of rows that are in none, as rows of two numbers."""
        folds = range(self.context.folds.n_folds)
        return np.array([*map(self._cuts, folds), self._cuts(None)])

    def _variables(self) -> tuple[DerivedVariable, ...]:
        """Build the clean copy and the mark of bad values, as far as they apply and vary."""
        coders, built = self.context.coders, []
        if "clean" in coders and self.varies:
            built.append(self._clean_variable())
        if "isBAD" in coders and self._marks_bad:
            built.append(self._bad_variable())
        return tuple(built)

    def _clean_variable(self) -> DerivedVariable:
        value, contrasts = self._inner(self.value), self.context.contrasts
        moments = [whole.imputed(value) for whole in self._wholes]
        fits: Sequence[LogisticFit | None] = [None]
        if contrasts[0].is_binary:
            fits = self._facts.logistic_fits(self.value)
        sample = cache(lambda _: self._facts.sample(self.value))
        scores = [
            c.score(m, f, sample, self._reach(m, value))
            for c, m, f in zip(contrasts, moments, fits, strict=True)
        ]
        return replace(
            self._variable("clean", scores),
            slope=float(combined_slopes([s.slope for s in scores])[0] / self._coordinates.unit),
            mean=float(self._coordinates.outer(moments[0].x[0])),
        )

    def _reach(self, moments: Moments, imputed: FloatArray) -> float:
        """Largest standardised size of the clean copy."""
        ends = np.append(self._inner(np.array(self._range)), imputed) - moments.x[0]
        spread = float(np.sqrt(moments.xx[0] / moments.weight[0]))
        return float(np.abs(ends).max()) / spread if spread > 0 else np.inf

    def _bad_variable(self) -> DerivedVariable:
        contrasts = self.context.contrasts
        marks = list(map(_mark, contrasts, self._wholes))
        on, weight = self._whole.bad.weight[0], self._whole.outcome().weight[0]
        scores = [
            c.score(
                moments,
                None if points is None else logistic_fit(*points),
                lambda _: indicator_sample(on, weight),
            )
            for c, (moments, points) in zip(contrasts, marks, strict=True)
        ]
        return replace(
            self._variable("isBAD", scores),
            slope=float(combined_slopes([s.slope for s in scores])[0]),
            mean=float(marks[0][0].x[0]),
        )

    def _variable(self, code: str, scores: list[Score]) -> DerivedVariable:
        """A variable with its scores, on its cross-frame column where the options say so."""
        context, name = self.context, str(self._facts.name)
        split = context.options.force_split
        if split and context.supervised:
            crossed = self._facts.cross_scores(code, self.fold_values)
            if context.options.significance == CALIBRATED:  # those p-values stay
                crossed = [
                    replace(score, sig=whole.sig)
                    for score, whole in zip(crossed, scores, strict=True)
                ]
            scores = crossed
        return DerivedVariable(
            munge([name if code == "clean" else f"{name}_{code}"])[0],
            self._facts.name,
            code,
            scores=tuple(map(DesignContext.outcome_score, context.contrasts, scores)),
            needs_split=split,
        )

    def _inner(self, values: NumberArray | float) -> FloatArray:
        return self._coordinates.inner(np.atleast_1d(values))

    def fold_scales(self, variable: DerivedVariable) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""
        contrasts, training = self.context.contrasts, self._training
        if variable.code == "isBAD":
            marks = list(map(_mark, contrasts, self._trainings))
            slopes = [c.slopes(*mark) for c, mark in zip(contrasts, marks, strict=True)]
            slope, mean = combined_slopes(slopes), marks[0][0].x
            lacking = (training.bad.weight <= 0) | (training.good.weight <= 0)
        else:
            slope = combined_slopes(self._clean_slopes()) / self._coordinates.unit
            mean = self._coordinates.outer(training.imputed(self._inner_values).x)
            lacking = self._constant_in
        if self.context.options.follows_r:
            lacking = lacking & (training.outcome().weight > 0)  # no past: nothing may be known
            slope = np.where(lacking, variable.slope, slope)
            mean = np.where(lacking, variable.mean, mean)
        return np.append(slope, 0.0), np.append(mean, 0.0)

    @property
    def _inner_values(self) -> FloatArray:
        return self._inner(self.fold_values[:-1])

    def _clean_slopes(self) -> list[FloatArray]:
        """y-aware slopes of the clean column in each fold, in inner coordinates."""
        contrasts = self.context.contrasts
        if contrasts[0].link_slopes:
            return self._facts.link_slopes(self.fold_values[:-1])
        filled = [sums.imputed(self._inner_values) for sums in self._trainings]
        return [c.slopes(m, None) for c, m in zip(contrasts, filled, strict=True)]


def _mark(context: DesignContext, sums: NumericSums) -> tuple[Moments, PointSums | None]:
    """Moments of the mark of bad values, and its points where they are asked for."""
    everything = sums.outcome()
    points = indicator_points(sums.bad, everything) if context.is_binary else None
    return indicator_moments(sums.bad, everything), points
