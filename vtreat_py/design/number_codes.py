"""The variables of a numeric column that copy its numbers, or mark the bad ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol

import numpy as np

from vtreat_py.base.arrays import BoolArray, FloatArray
from vtreat_py.base.names import munge
from vtreat_py.coders.code import NumberCode
from vtreat_py.coders.forms import Copy, FoldForm, Form
from vtreat_py.coders.lev import indicator_sample
from vtreat_py.design.context import DesignContext
from vtreat_py.design.filled import FilledNumbers
from vtreat_py.design.scoring import (
    by_regression,
    combined_slopes,
    mark_fit,
    mark_moments,
    mark_slopes,
    outcome_score,
    score,
    slopes,
)
from vtreat_py.design.shapes import with_shapes
from vtreat_py.plan.options import CLASSIC
from vtreat_py.plan.treatments import CurveCodes, RangeCodes
from vtreat_py.plan.variables import DerivedVariable
from vtreat_py.significance.newton import RegressionFit
from vtreat_py.significance.sample import Sample
from vtreat_py.significance.score import Score
from vtreat_py.statistics.moments import Moments

# Squares short of those of two values by less than this share are so by rounding.
_TWO_VALUES = 1e-10


class NumberPart(Protocol):
    """A variable of a numeric column, and its cross-frame."""

    @property
    def variable(self) -> DerivedVariable:
        """The variable."""

    @property
    def codes(self) -> RangeCodes | CurveCodes | None:
        """What the plan keeps of it, beside what it knows of the column."""

    def fold_form(self, collar: bool) -> FoldForm:
        """How rows are coded: by fold; the last entries are for rows that are in none."""

    def fold_scales(self) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold, and 0 for rows that are in none."""


def number_parts(
    filled: FilledNumbers, copied: Callable[[], tuple[Moments, list[Score]]]
) -> Iterator[NumberPart]:
    """Copy a column, and mark its bad values, as far as that is asked for and varies."""
    for code in filled.context.number_codes:
        if isinstance(code.form(filled.value, None), Copy):
            if filled.varies:
                yield _CopyPart.of(filled, code, *copied())
        elif filled.any_bad:
            yield _MarkPart.of(filled, code)


@dataclass(frozen=True, eq=False)
class _Part:
    """What copies and marks share."""

    filled: FilledNumbers
    code: NumberCode
    variable: DerivedVariable
    codes: None = None

    def fold_form(self, collar: bool) -> Form:
        """How rows are coded, by fold."""
        return self.code.form(self.filled.fold_values, self.filled.fold_cuts if collar else None)

    def _completed(
        self, slope: FloatArray, mean: FloatArray, lacking: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Scales of each fold, and 0 for rows that are in none.

        R takes those of all rows for folds whose training rows support none.
        """
        if self.filled.context.options.follows_r:
            lacking = lacking & (self.filled.training.outcome().weight > 0)  # there is a past
            slope = np.where(lacking, self.variable.slope, slope)
            mean = np.where(lacking, self.variable.mean, mean)
        return np.append(slope, 0.0), np.append(mean, 0.0)


class _CopyPart(_Part):
    """The clean copy."""

    @classmethod
    def of(
        cls, filled: FilledNumbers, code: NumberCode, moments: Moments, scores: list[Score]
    ) -> _CopyPart:
        """Copy a column."""
        variable = replace(
            _scored(filled, code, scores, _crossed_copy),
            slope=float(_outer_slopes(filled, [s.slope for s in scores])[0]),
            mean=float(filled.facts.coordinates.outer(moments.x[0])),
        )
        return cls(filled, code, variable)

    def fold_scales(self) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold."""
        filled, coordinates = self.filled, self.filled.facts.coordinates
        contrasts, values = filled.context.contrasts, filled.inner_values
        if contrasts[0].link_slopes:
            own = filled.facts.link_slopes(filled.fold_values[:-1])
        else:
            sums = (training.imputed(values) for training in filled.trainings)
            own = [slopes(c, m, None) for c, m in zip(contrasts, sums, strict=True)]
        slope = _outer_slopes(filled, own)
        mean = coordinates.outer(filled.training.imputed(values).x)
        return self._completed(slope, mean, filled.constant_in)


def copied(filled: FilledNumbers) -> tuple[Moments, list[Score]]:
    """Moments of the clean copy over all rows, in inner coordinates, and its scores."""
    facts, contrasts = filled.facts, filled.context.contrasts
    value = filled.inner(filled.value)
    moments = [whole.imputed(value) for whole in filled.wholes]
    fits: Sequence[RegressionFit | None] = [None]
    if contrasts[0].has_link:
        fits = facts.link_fits(filled.value)
    two = _two_values(filled, moments[0])
    sample = cache(lambda _: facts.sample(filled.value) if two is None else two)
    reach = math.inf if two is not None else _reach(filled, moments[0])
    scores = [
        score(c, m, f, sample, reach, partial(_by_rows, filled, c, filled.value))
        for c, m, f in zip(contrasts, moments, fits, strict=True)
    ]
    if two is None:
        scores = with_shapes(filled, moments[0], scores)
    return moments[0], scores


class _MarkPart(_Part):
    """The mark of bad values."""

    @classmethod
    def of(cls, filled: FilledNumbers, code: NumberCode) -> _MarkPart:
        """Mark bad values."""
        on, weight = filled.whole.bad.weight[0], filled.whole.outcome().weight[0]
        moments = list(map(mark_moments, filled.wholes))

        def sample(_: int) -> Sample:
            return indicator_sample(on, weight)

        scores = [
            score(c, m, mark_fit(c, sums), sample, by_rows=partial(_by_rows, filled, c, None))
            for c, m, sums in zip(filled.context.contrasts, moments, filled.wholes, strict=True)
        ]
        variable = replace(
            _scored(filled, code, scores, _crossed_mark),
            slope=float(combined_slopes([s.slope for s in scores])[0]),
            mean=float(moments[0].x[0]),
        )
        return cls(filled, code, variable)

    def fold_scales(self) -> tuple[FloatArray, FloatArray]:
        """y-aware slope and mean of each fold."""
        contrasts, training = self.filled.context.contrasts, self.filled.training
        own = [mark_slopes(c, s) for c, s in zip(contrasts, self.filled.trainings, strict=True)]
        lacking = (training.bad.weight <= 0) | (training.good.weight <= 0)
        return self._completed(combined_slopes(own), mark_moments(training).x, lacking)


def _scored(
    filled: FilledNumbers,
    code: NumberCode,
    scores: list[Score],
    crossed: Callable[[FilledNumbers], list[Score]],
) -> DerivedVariable:
    """A variable with its scores, on its cross-frame column where the options say so."""
    context, name = filled.context, filled.facts.name
    split = context.options.force_split
    if split and context.supervised:
        whole, scores = scores, crossed(filled)
        if context.options.significance != CLASSIC:  # those p-values stay
            scores = [replace(s, sig=w.sig) for s, w in zip(scores, whole, strict=True)]
    return DerivedVariable(
        munge([code.named_after(name)])[0],
        name,
        code.name,
        scores=tuple(map(outcome_score, context.contrasts, scores)),
        needs_split=split,
    )


def _crossed_copy(filled: FilledNumbers) -> list[Score]:
    """Score the clean column as the cross-frame has it."""
    facts, contrasts = filled.facts, filled.context.contrasts
    if contrasts[0].has_link:
        fits = facts.crossed_fits(filled.fold_values)
        return [by_regression(c, None, fit) for c, fit in zip(contrasts, fits, strict=True)]
    (sums,) = facts.crossed_sums()
    return [by_regression(contrasts[0], sums.imputed(filled.inner_values).merged(), None)]


def _crossed_mark(filled: FilledNumbers) -> list[Score]:
    """Score the mark of bad values on the rows that the cross-frame has."""
    crossed = zip(filled.context.contrasts, filled.facts.crossed_sums(), strict=True)
    merged = [(contrast, sums.merged()) for contrast, sums in crossed]
    return [by_regression(c, mark_moments(s), mark_fit(c, s)) for c, s in merged]


def _outer_slopes(filled: FilledNumbers, contrasts: Sequence[FloatArray]) -> FloatArray:
    """One slope for all contrasts, per unit of the column."""
    spread = 1.0
    if filled.context.outcome.kind == "numeric":
        spread = float(filled.whole.outcome().deviation[0])
    return filled.outer_slopes(combined_slopes(contrasts), spread)


def _by_rows(
    filled: FilledNumbers, contrast: DesignContext, imputed: float | None, _: int
) -> float | None:
    """p-value of the clean column, or of the mark of bad values, where sums are not enough."""
    return filled.facts.correlation(contrast.class_number or 0, imputed)


def _two_values(filled: FilledNumbers, moments: Moments) -> Sample | None:
    """The clean copy over all rows, where it has no more than two values; else None.

    No variable of the same ends and mean has squares as large as that one; but beside a number that
    is far enough from all others, these are one but for rounding.
    """
    if len(filled.profile.edges) > 1:  # edges of three values or more
        return None
    ends = filled.inner(np.array([*filled.range, *([filled.value] * filled.any_bad)]))
    low, high = ends.min() - moments.x[0], ends.max() - moments.x[0]
    if not moments.xx[0] >= (1.0 - _TWO_VALUES) * moments.weight[0] * -low * high > 0:
        return None
    weight = float(moments.weight[0])
    return indicator_sample(float(np.rint(weight * -low / (high - low))), weight)


def _reach(filled: FilledNumbers, moments: Moments) -> float:
    """Largest standardised size of the clean copy."""
    ends = filled.inner(np.array([*filled.range, filled.value])) - moments.x[0]
    spread = float(np.sqrt(moments.xx[0] / moments.weight[0]))
    return float(np.abs(ends).max()) / spread if spread > 0 else np.inf
